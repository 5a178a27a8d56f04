//! What whoever runs the gate can look at.

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::Web;
use crate::host::Judge;

/// What Prometheus reads (OpenMetrics 1.0, "Content-Type").
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl<J: Judge> Web<J> {
    pub(super) fn page(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, _) = request.into_parts();
        if let Err(reason) = self.endpoint.admit(&head) {
            return text(StatusCode::FORBIDDEN, "text/plain", reason);
        }
        let is_known = matches!(head.uri.path(), "/healthz" | "/metrics");
        if !is_known {
            // Such as the metadata of an authorization server, which some clients look for.
            return text(StatusCode::NOT_FOUND, "text/plain", "not found");
        }
        if !matches!(head.method, Method::GET | Method::HEAD) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "only GET");
            let allow = HeaderValue::from_static("GET, HEAD");
            response.headers_mut().insert(ALLOW, allow);
            return response;
        }
        match head.uri.path() {
            "/metrics" => self.metrics(),
            _ => self.health(),
        }
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        let mut encoded = String::new();
        match prometheus_client::encoding::text::encode(&mut encoded, &self.registry) {
            Ok(()) => text(StatusCode::OK, METRICS_TYPE, encoded),
            Err(_) => text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "text/plain",
                "the metrics cannot be written",
            ),
        }
    }

    fn health(&self) -> Response<Full<Bytes>> {
        let is_stopping = self.stop.is_stopped();
        let body = self.hosts.health(is_stopping);
        let status = if is_stopping {
            StatusCode::SERVICE_UNAVAILABLE
        } else {
            StatusCode::OK
        };
        text(status, "application/json", body)
    }
}

fn text(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
