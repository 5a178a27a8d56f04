//! What the gate counts, for Prometheus.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
pub use prometheus_client::registry::Registry;
use prometheus_client::registry::Unit;

/// What the gate counts.
#[derive(Clone, Debug)]
pub struct Metrics {
    calls: Family<CallLabels, Counter>,
    refused: Family<ReasonLabels, Counter>,
    upstream: Family<ServerLabels, Histogram, fn() -> Histogram>,
    added: Histogram,
    running: Gauge<i64, std::sync::atomic::AtomicI64>,
    up: Family<ServerLabels, Gauge>,
    lost_records: Counter<u64, AtomicU64>,
    confined: Family<CallLabels, Counter>,
    refused_acts: Family<CallLabels, Counter>,
    not_enforced: Family<ServerLabels, Gauge>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    server: String,
    tool: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServerLabels {
    server: String,
}

fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.000_25, 2.0, 20))
}

impl Metrics {
    /// Counts from nought, shown by this registry.
    #[must_use]
    pub fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            calls: Family::default(),
            refused: Family::default(),
            upstream: Family::new_with_constructor(histogram as fn() -> Histogram),
            added: histogram(),
            running: Gauge::default(),
            up: Family::default(),
            lost_records: Counter::default(),
            confined: Family::default(),
            refused_acts: Family::default(),
            not_enforced: Family::default(),
        };
        let registry = registry.sub_registry_with_prefix("sayso");
        registry.register("calls", "Calls that were made", metrics.calls.clone());
        registry.register(
            "refusals",
            "Calls and other requests that were refused",
            metrics.refused.clone(),
        );
        registry.register_with_unit(
            "server_response",
            "How long servers took to answer a call",
            Unit::Seconds,
            metrics.upstream.clone(),
        );
        registry.register_with_unit(
            "judging",
            "How long calls were judged before they went out, people not counted",
            Unit::Seconds,
            metrics.added.clone(),
        );
        registry.register(
            "running_calls",
            "Calls that are running",
            metrics.running.clone(),
        );
        registry.register(
            "server_up",
            "Whether a server answers: 1 or 0",
            metrics.up.clone(),
        );
        registry.register(
            "lost_journal_entries",
            "Entries that could not be written",
            metrics.lost_records.clone(),
        );
        metrics.register_confinement(registry);
        metrics
    }

    fn register_confinement(&self, registry: &mut Registry) {
        registry.register(
            "confined_calls",
            "Calls that were made in confinement",
            self.confined.clone(),
        );
        registry.register(
            "refused_acts",
            "What confined calls tried and were refused",
            self.refused_acts.clone(),
        );
        registry.register(
            "tools_not_enforced",
            "Tools that should be confined and cannot be",
            self.not_enforced.clone(),
        );
    }

    /// A call is made in confinement.
    pub(crate) fn confined(&self, server: &str, tool: &str) {
        let labels = CallLabels {
            server: server.to_owned(),
            tool: tool.to_owned(),
        };
        self.confined.get_or_create(&labels).inc();
    }

    /// A confined call tried so many things and was refused.
    pub(crate) fn refused_acts(&self, server: &str, tool: &str, acts: usize) {
        let labels = CallLabels {
            server: server.to_owned(),
            tool: tool.to_owned(),
        };
        let acts = u64::try_from(acts).unwrap_or(u64::MAX);
        self.refused_acts.get_or_create(&labels).inc_by(acts);
    }

    /// So many tools of a server should be confined and cannot be.
    pub(crate) fn not_enforced(&self, server: &str, tools: usize) {
        let labels = ServerLabels {
            server: server.to_owned(),
        };
        let tools = i64::try_from(tools).unwrap_or(i64::MAX);
        self.not_enforced.get_or_create(&labels).set(tools);
    }

    /// A call goes out, after it was judged for so long; `None` where a person was waited for.
    pub(crate) fn call(&self, server: &str, tool: &str, judged: Option<Duration>) {
        let labels = CallLabels {
            server: server.to_owned(),
            tool: tool.to_owned(),
        };
        self.calls.get_or_create(&labels).inc();
        if let Some(judged) = judged {
            self.added.observe(judged.as_secs_f64());
        }
    }

    pub(crate) fn refusal(&self, reason: &'static str) {
        self.refused.get_or_create(&ReasonLabels { reason }).inc();
    }

    pub(crate) fn upstream(&self, server: &str, took: Duration) {
        let labels = ServerLabels {
            server: server.to_owned(),
        };
        self.upstream
            .get_or_create(&labels)
            .observe(took.as_secs_f64());
    }

    pub(crate) fn server(&self, server: &str, is_up: bool) {
        let labels = ServerLabels {
            server: server.to_owned(),
        };
        self.up.get_or_create(&labels).set(i64::from(is_up));
    }

    pub(crate) fn running(&self) -> &Gauge<i64, std::sync::atomic::AtomicI64> {
        &self.running
    }

    pub(crate) fn record_lost(&self) {
        self.lost_records.inc();
    }
}

/// The registry and what it shows.
#[must_use]
pub fn registry() -> (Arc<Registry>, Metrics) {
    let mut registry = Registry::default();
    let metrics = Metrics::new(&mut registry);
    (Arc::new(registry), metrics)
}
