//! Traces of calls, sent to a collector by OTLP over HTTP, in protobuf.
//!
//! They go out in batches from a thread of their own: a collector that is slow or gone costs spans,
//! not calls.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry::{KeyValue, Value};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use rustls_platform_verifier::BuilderVerifierExt;
use sayso_gateway::spans::{self, Propagation, TARGET, TraceContext};
use tracing::{Level, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::Registry;

use crate::error::Failure;

/// Where traces go below the URL of a collector (OTLP specification, "OTLP/HTTP Request").
const PATH: &str = "v1/traces";

/// Set, they say where traces go (OpenTelemetry, "OTLP Exporter Configuration").
const VARIABLES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// How long the collector may take for one batch.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long the end of the program may be held up for what was not sent yet.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Listens for spans.
pub(crate) type Traces = Box<dyn Layer<Registry> + Send + Sync>;

/// Sends what is left when it is dropped.
#[derive(Debug)]
pub(crate) struct Export(SdkTracerProvider);

impl Drop for Export {
    fn drop(&mut self) {
        // What cannot be sent by then is lost, and was logged.
        let _ = self.0.shutdown_with_timeout(END_TIMEOUT);
    }
}

/// Begins to send traces to a collector at this URL, or at the one the environment names; nowhere
/// where there is neither.
///
/// # Errors
/// When the URL is none, or the HTTP client cannot be set up.
pub(crate) fn start(url: Option<&str>) -> Result<Option<(Traces, Export)>, Failure> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if url.is_none() && !VARIABLES.into_iter().any(is_set) {
        return Ok(None);
    }
    let failed = |error: String| {
        Failure::usage(format!("traces cannot be sent: {error}"))
            .hint("a collector's URL is like `http://127.0.0.1:4318`")
    };
    let client = Client::new().map_err(failed)?;
    let mut exporter = SpanExporter::builder().with_http().with_http_client(client);
    if let Some(url) = url {
        exporter = exporter.with_endpoint(format!("{}/{PATH}", url.trim_end_matches('/')));
    }
    let exporter = exporter
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource())
        .build();
    spans::propagate(Box::new(W3c(TraceContextPropagator::new())));
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("sayso"))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_target(false)
        .with_level(false)
        .with_filter(Targets::new().with_target(TARGET, Level::INFO));
    Ok(Some((layer.boxed(), Export(provider))))
}

/// Who sends the traces: as the environment has it (`OTEL_SERVICE_NAME`,
/// `OTEL_RESOURCE_ATTRIBUTES`), else `sayso`.
fn resource() -> Resource {
    let found = Resource::builder().build();
    let named = found.get(&"service.name".into());
    let is_named = named.is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let mut resource = Resource::builder();
    if !is_named {
        resource = resource.with_service_name("sayso");
    }
    let version: Value = env!("CARGO_PKG_VERSION").into();
    resource
        .with_attribute(KeyValue::new("service.version", version))
        .build()
}

/// An HTTP client for a thread without a runtime: it brings its own.
#[derive(Debug)]
struct Client {
    library: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

impl Client {
    fn new() -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier)
            .map_err(|error| error.to_string())?;
        let library = reqwest::Client::builder()
            .tls_backend_preconfigured(tls.with_no_client_auth())
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { library, runtime })
    }

    async fn send(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpError> {
        let response = self.library.execute(request.try_into()?).await?;
        let status = response.status();
        let body = response.bytes().await?;
        Ok(http::Response::builder().status(status).body(body)?)
    }
}

#[async_trait]
impl HttpClient for Client {
    // Waits where it is polled: the thread that sends batches does nothing else.
    async fn send_bytes(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpError> {
        self.runtime.block_on(self.send(request))
    }
}

/// W3C Trace Context.
#[derive(Debug)]
struct W3c(TraceContextPropagator);

impl Propagation for W3c {
    fn follow(&self, span: &Span, caller: &TraceContext) {
        let mut carrier = HashMap::from([("traceparent".to_owned(), caller.traceparent.clone())]);
        if let Some(tracestate) = &caller.tracestate {
            carrier.insert("tracestate".to_owned(), tracestate.clone());
        }
        let context = self.0.extract(&carrier);
        if context.span().span_context().is_valid() {
            // Fails for a span that has begun, and this one has not.
            let _ = span.set_parent(context);
        }
    }

    fn context(&self, span: &Span) -> Option<TraceContext> {
        let mut carrier = HashMap::new();
        self.0.inject_context(&span.context(), &mut carrier);
        Some(TraceContext {
            traceparent: carrier.remove("traceparent")?,
            tracestate: carrier
                .remove("tracestate")
                .filter(|state| !state.is_empty()),
        })
    }
}
