//! Serving.

use std::io::{ErrorKind, IsTerminal as _};
use std::net::SocketAddr;
use std::sync::Arc;

use clap::Args;
use sayso_core::reveal::reveal;
use sayso_mcp::server::{Changes, Transport, serve_stdio};
use sayso_scratch::folder::{Folder, FolderError};
use sayso_scratch::{PATH, Scratch};
use tokio::net::TcpListener;

use super::{Place, assignments, failure};
use crate::error::{Failure, Outcome};
use crate::exit;

/// How the server is started.
#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    /// Change a setting before serving, as `sayso scratch set` does; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Serve over Streamable HTTP at this address of this machine; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback)]
    http: Option<SocketAddr>,

    #[command(flatten)]
    place: Place,
}

impl ServeArgs {
    pub(super) fn run(self) -> Outcome {
        let assignments = assignments(&self.set)?;
        let folder = self.place.folder()?;
        let settings = folder.set(&assignments).map_err(failure)?;
        for (key, text) in settings.written() {
            tell(&format!("set: {key}={text}"));
        }
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(cannot_serve)?
            .block_on(self.serve(folder))
    }

    async fn serve(&self, folder: Folder) -> Outcome {
        let transport = self.http.map_or(Transport::Stdio, |_| Transport::Http);
        let version = env!("CARGO_PKG_VERSION");
        let scratch = Arc::new(Scratch::open(folder, transport, version).map_err(failure)?);
        let changes = Changes::new();
        let serve = async {
            match self.http {
                None => serve_pipes(&scratch, changes.clone()).await,
                Some(address) => serve_http(&scratch, changes.clone(), address).await,
            }
        };
        let on_problem = |error: &FolderError| tell(&format!("warning: {error}"));
        tokio::select! {
            outcome = serve => outcome,
            error = scratch.watch(&changes, on_problem) => Err(failure(error)),
        }
    }
}

async fn serve_pipes(scratch: &Arc<Scratch>, changes: Changes) -> Outcome {
    if std::io::stdin().is_terminal() {
        tell("serving on standard input and output, for a host that starts this command");
        tell("hint: `--http 127.0.0.1:0` serves at a URL");
    }
    match serve_stdio(Arc::clone(scratch), changes).await {
        // A client that goes away without a word is an ordinary end.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(cannot_serve(error)),
        _ => Ok(exit::CLEAN),
    }
}

async fn serve_http(scratch: &Arc<Scratch>, changes: Changes, address: SocketAddr) -> Outcome {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::usage(format!("cannot listen at `{address}`"))
            .source(error)
            .hint("port 0 takes a free one")
    })?;
    let bound = listener.local_addr().map_err(cannot_serve)?;
    tell(&format!("serving at http://{bound}{PATH}"));
    scratch.serve_http(listener, changes).await;
    Ok(exit::CLEAN)
}

/// An address of this machine: whoever reaches the server can have its tools run.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let text = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(_) => Err(
            "the server has no login, so it serves this machine only: 127.0.0.1 or [::1]"
                .to_owned(),
        ),
        Err(_) => Err("write it as ADDRESS:PORT, such as 127.0.0.1:8080".to_owned()),
    }
}

fn cannot_serve(error: std::io::Error) -> Failure {
    Failure::usage("cannot serve").source(error)
}

/// Standard output is the protocol's. Nothing is left to be done if standard error is gone.
fn tell(line: &str) {
    use std::io::Write as _;
    let _ = writeln!(anstream::stderr(), "{}", reveal(line));
}
