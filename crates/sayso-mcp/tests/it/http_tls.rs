//! Servers behind TLS, with a certificate made for the test.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;
use std::sync::Arc;

use axum::serve::Listener;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use sayso_mcp::{HttpTarget, ReadOptions};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::server::TlsStream;

use crate::http::{names, read, told};
use crate::http_server::HttpServer;

/// Where the test that trusts the certificate finds the server.
const URL_VARIABLE: &str = "SAYSO_TEST_TLS_URL";

struct TlsListener {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// The fixture server behind TLS: its URL, and its certificate as PEM.
async fn start() -> (String, String) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let listener = TlsListener {
        listener,
        acceptor: TlsAcceptor::from(Arc::new(config)),
    };
    tokio::spawn(async move { axum::serve(listener, HttpServer::router()).await });
    (format!("https://localhost:{port}/session"), cert.pem())
}

#[tokio::test]
async fn a_certificate_of_an_unknown_issuer_is_not_accepted() {
    let (url, _) = start().await;
    let target = HttpTarget::new(&url).unwrap();
    let error = read(target, &ReadOptions::default()).await.unwrap_err();
    insta::assert_snapshot!(told(&error), @r#"
    https://localhost/session: TLS failed: the issuer of its certificate is unknown
    hint: if the certificate is your own, name its issuer's file in SSL_CERT_FILE; if the server speaks plain HTTP, write http://
    "#);
}

#[tokio::test]
async fn a_server_without_tls_is_told_from_one_with_it() {
    let server = HttpServer::start().await;
    let url = server.url("json").replace("http://", "https://");
    let error = read(HttpTarget::new(&url).unwrap(), &ReadOptions::default())
        .await
        .unwrap_err();
    insta::assert_snapshot!(told(&error), @r#"
    https://127.0.0.1/json: TLS failed: it answered with something that is not TLS
    hint: if the certificate is your own, name its issuer's file in SSL_CERT_FILE; if the server speaks plain HTTP, write http://
    "#);
}

/// Root certificates are read from the environment, so that a process of its own reads with them.
#[tokio::test]
async fn a_certificate_named_in_the_environment_is_trusted() {
    let (url, certificate) = start().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("issuer.pem");
    std::fs::write(&file, certificate).unwrap();
    let reading = tokio::task::spawn_blocking(move || {
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "http_tls::reads_from_the_url_in_the_environment",
                "--nocapture",
            ])
            .env("SSL_CERT_FILE", file)
            .env(URL_VARIABLE, url)
            .output()
            .unwrap()
    });
    let output = reading.await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("read_note drop_note"),
        "{output:?}"
    );
}

/// Part of the test before it, in a process with an environment of its own; by itself nothing.
#[tokio::test]
async fn reads_from_the_url_in_the_environment() {
    let Ok(url) = std::env::var(URL_VARIABLE) else {
        return;
    };
    let target = HttpTarget::new(&url).unwrap();
    let listing = read(target, &ReadOptions::default()).await.unwrap();
    println!("{}", names(&listing).join(" "));
}
