//! Metrics since the start of the gateway, in the format of Prometheus.

use std::collections::HashSet;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, OnceLock};

use manila::Code;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};

use crate::telemetry::event::{Event, Events};

/// The metrics of a gateway.
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    durations: Family<ToolLabels, Histogram, fn() -> Histogram>,
    /// The tools that have labels of their own.
    labelled_tools: Mutex<HashSet<Arc<str>>>,
    /// Returns whether clients can list the tool with this public name.
    is_listed: OnceLock<Box<IsListed>>,
    redactions: Family<RuleLabels, Counter>,
    servers_up: Family<ServerLabels, Gauge>,
    starts: Family<ServerLabels, Counter>,
    refusals: Counter,
    bytes_in: Counter,
    bytes_out: Counter,
    in_flight: Gauge<i64, AtomicI64>,
    sessions: Gauge<i64, AtomicI64>,
}

type IsListed = dyn Fn(&str) -> bool + Send + Sync;

/// The label of all tools that have none of their own. MCP does not allow parentheses in the name
/// of a tool.
const OTHER_TOOLS: &str = "(other)";

/// The number of tools that get a label of their own, and the maximum size of that label.
const TOOLS_MAX: usize = 2_000;
const TOOL_BYTES_MAX: usize = 256;

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    server: Arc<str>,
    tool: Arc<str>,
    code: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ToolLabels {
    server: Arc<str>,
    tool: Arc<str>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RuleLabels {
    rule: String,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ServerLabels {
    server: Arc<str>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct DirectionLabels {
    direction: &'static str,
}

/// The values that are determined only when the metrics are encoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gauges {
    pub(crate) n_in_flight: usize,
    pub(crate) n_sessions: usize,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut registry = Registry::with_prefix("manila");
        let durations: Family<ToolLabels, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(seconds);
        let help = "Duration of tool calls";
        registry.register_with_unit("call_duration", help, Unit::Seconds, durations.clone());
        let bytes = Family::<DirectionLabels, Counter>::default();
        let help = "Size of requests and responses";
        registry.register_with_unit("messages", help, Unit::Bytes, bytes.clone());
        let direction = |direction| bytes.get_or_create(&DirectionLabels { direction }).clone();
        Metrics {
            calls: register(&mut registry, "calls", "Tool calls by result code"),
            durations,
            labelled_tools: Mutex::new(HashSet::from([Arc::from(OTHER_TOOLS)])),
            is_listed: OnceLock::new(),
            redactions: register(&mut registry, "redactions", "Redacted secrets by rule"),
            servers_up: register(&mut registry, "server_up", "Whether a server is available"),
            starts: register(&mut registry, "server_starts", "Starts of a server"),
            refusals: register(&mut registry, "refusals", "Refused messages"),
            bytes_in: direction("in"),
            bytes_out: direction("out"),
            in_flight: register(&mut registry, "requests_in_flight", "Requests in flight"),
            sessions: register(&mut registry, "sessions", "Open sessions"),
            registry,
        }
    }
}

/// Creates a metric, and adds it to the registry.
fn register<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

fn seconds() -> Histogram {
    Histogram::new([
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
        30.0, 60.0,
    ])
}

impl Metrics {
    /// Wraps a callback so that its events are counted. `server` is the name of their server.
    pub(crate) fn count_events(self: &Arc<Metrics>, server: &str, events: Events) -> Events {
        let (metrics, server) = (Arc::clone(self), Arc::<str>::from(server));
        Arc::new(move |event| {
            metrics.count(&server, &event);
            events(event);
        })
    }

    /// Counts the bytes of a request and of its response.
    pub(crate) fn count_bytes(&self, n_in: usize, n_out: usize) {
        self.bytes_in.inc_by(n_in as u64);
        self.bytes_out.inc_by(n_out as u64);
    }

    fn count(&self, server: &Arc<str>, event: &Event) {
        let labels = || ServerLabels { server: Arc::clone(server) };
        match event {
            Event::Called { tool, failure, duration } => {
                let is_found = *failure != Some(Code::ToolNotFound);
                let tool = self.tool_label(if is_found { tool } else { OTHER_TOOLS });
                let (server, code) = (Arc::clone(server), failure.map_or("ok", Code::name));
                let (call_server, call_tool) = (Arc::clone(&server), Arc::clone(&tool));
                let call = CallLabels { server: call_server, tool: call_tool, code };
                self.calls.get_or_create(&call).inc();
                let labels = ToolLabels { server, tool };
                self.durations.get_or_create(&labels).observe(duration.as_secs_f64());
            }
            Event::Started { .. } => {
                self.starts.get_or_create(&labels()).inc();
                self.servers_up.get_or_create(&labels()).set(1);
            }
            Event::Ended { .. } => {
                self.servers_up.get_or_create(&labels()).set(0);
            }
            Event::Redacted { findings, .. } => {
                for (rule, n) in findings {
                    let labels = RuleLabels { rule: rule.clone() };
                    self.redactions.get_or_create(&labels).inc_by(*n);
                }
            }
            Event::Refused(_) => {
                self.refusals.inc();
            }
            Event::Stderr(_)
            | Event::Unusable(_)
            | Event::SchemaUnusable { .. }
            | Event::LeftOut { .. }
            | Event::Stopping { .. }
            | Event::Disconnected(_)
            | Event::Unredacted { .. } => {}
        }
    }

    /// Sets the function that returns whether clients can list the tool with a public name. Only
    /// such tools get a label.
    pub(crate) fn set_is_listed(&self, is_listed: Box<IsListed>) {
        let _ = self.is_listed.set(is_listed);
    }

    /// Returns the label of a tool. Callers can invent any number of names, and a server can list
    /// new ones again and again, so neither may add labels without a limit.
    fn tool_label(&self, tool: &str) -> Arc<str> {
        let Ok(mut labelled) = self.labelled_tools.lock() else { return Arc::from(OTHER_TOOLS) };
        if let Some(label) = labelled.get(tool) {
            return Arc::clone(label);
        }
        let has_room = labelled.len() <= TOOLS_MAX && tool.len() <= TOOL_BYTES_MAX;
        if !has_room || !self.is_listed.get().is_some_and(|is_listed| is_listed(tool)) {
            return labelled.get(OTHER_TOOLS).map_or_else(|| Arc::from(OTHER_TOOLS), Arc::clone);
        }
        let label = Arc::<str>::from(tool);
        labelled.insert(Arc::clone(&label));
        label
    }

    /// Returns all metrics in the text format of Prometheus.
    pub(crate) fn encode(&self, now: Gauges) -> String {
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        self.in_flight.set(number(now.n_in_flight));
        self.sessions.set(number(now.n_sessions));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests;
