//! The gateway: all servers behind one endpoint, and the state that their clients share.
//!
//! Requests enter through [`dispatch`] and are answered by method. A request for a named item goes
//! to the server that has it. Servers can be replaced while clients are connected.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use manila::request_envelope::Notification;
use tokio::sync::watch;

use crate::admit::Limits;
use crate::backend::{Backend, Shared};
use crate::config::NamedServer;
use crate::config::Server;
use crate::config::Settings;
use crate::notifications::Notifications;
use crate::protocol::era::Era;
use crate::protocol::method;
use crate::rt::deadlines::Deadlines;
use crate::telemetry::event::{Event, Events};
use crate::telemetry::journal::Journal;
use crate::telemetry::live_redactor::{LiveRedactor, redact_events};
use crate::telemetry::metrics::Metrics;
use crate::upstream::{Unavailable, Upstream};

pub(crate) mod answer;
mod call;
mod capabilities;
pub(crate) mod dispatch;
mod forward;
pub(crate) mod handshake;
mod list;
mod listen;
mod listeners;
mod record;
mod reload;
pub(crate) mod response;
mod servers;
mod subscriptions;

pub(crate) use capabilities::{HandshakeInfo, MergedCapabilities};
use listeners::Listeners;
use servers::Names;
pub(crate) use servers::Servers;

/// The endpoint that clients connect to.
pub struct Gateway {
    servers: ArcSwap<Servers>,
    pub(crate) notifications: Arc<Notifications>,
    pub(crate) deadlines: Arc<Deadlines>,
    shared: Shared,
    pub(crate) limits: Limits,
    is_stopping: watch::Sender<bool>,
    is_stop_reported: AtomicBool,
    listeners: Listeners,
    settings: ArcSwap<Settings>,
    events: Events,
    events_of: Box<EventsOf>,
    pub(crate) metrics: Arc<Metrics>,
    journal: OnceLock<Journal>,
}

/// Returns the callback for the events of the server with this name.
type EventsOf = dyn Fn(&str) -> Events + Send + Sync;

impl Gateway {
    /// Starts a gateway with one server, or prepares the connection to it. The names of its items
    /// get no prefix.
    #[must_use]
    pub fn with_server(server: Server, settings: Settings, events: Events) -> Arc<Gateway> {
        let entry = NamedServer::new("", server, settings.clone());
        let server_events = Arc::clone(&events);
        Gateway::with_servers(vec![entry], settings, events, move |_| Arc::clone(&server_events))
    }

    /// Starts a gateway with these servers, or prepares the connections to them. Every name begins
    /// with that of its server, unless there is only one server and it is not a pack. `events_of`
    /// returns the callback for the events of a server, by its name.
    #[must_use]
    pub fn with_servers(
        servers: Vec<NamedServer>,
        settings: Settings,
        events: Events,
        events_of: impl Fn(&str) -> Events + Send + Sync + 'static,
    ) -> Arc<Gateway> {
        let redactor = LiveRedactor::new(Arc::clone(&settings.redaction.redactor));
        let shared = Shared::new(redactor.clone());
        let metrics = Arc::<Metrics>::default();
        let counter = Arc::clone(&metrics);
        let events_of = Box::new(move |name: &str| counter.count_events(name, events_of(name)));
        let events = metrics.count_events("", events);
        let servers = start_servers(servers, &[], &shared, &*events_of);
        let events = redact_events(events, redactor);
        let gateway = Arc::new(Gateway {
            servers: ArcSwap::from_pointee(servers),
            notifications: Arc::clone(&shared.notifications),
            deadlines: Arc::clone(&shared.deadlines),
            shared,
            limits: Limits::new(&settings),
            is_stopping: watch::Sender::new(false),
            is_stop_reported: AtomicBool::new(false),
            listeners: Listeners::default(),
            settings: ArcSwap::from_pointee(settings),
            events,
            events_of,
            metrics,
            journal: OnceLock::new(),
        });
        let listing = Arc::downgrade(&gateway);
        gateway.metrics.set_is_listed(Box::new(move |tool| {
            listing.upgrade().is_some_and(|gateway| gateway.servers().lists_tool(tool))
        }));
        gateway
    }

    /// Returns the current servers.
    pub(crate) fn servers(&self) -> Arc<Servers> {
        self.servers.load_full()
    }

    /// Returns the current settings.
    pub(crate) fn settings(&self) -> Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// Records every request from now on in this journal. Only the first journal is used.
    pub fn keep_journal(&self, journal: Journal) {
        let _ = self.journal.set(journal);
    }

    /// Returns the journal, if there is one.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.get()
    }

    pub(crate) fn report(&self, event: Event) {
        (self.events)(event);
    }

    /// Forwards a client's notification to the running servers that use the client's era.
    /// One that a server could take for a call is dropped.
    pub(crate) fn forward_notification(&self, notification: &Notification, era: Era) {
        if method::is_disguised_call(&notification.method) {
            let reason = "a notification whose method resembles `tools/call`";
            return self.report(Event::Refused(format!("a message from the client: {reason}")));
        }
        for backend in self.servers().all() {
            backend.forward_notification(notification, era);
        }
    }

    /// Reports once that the gateway is stopping, if requests are open.
    pub(crate) fn report_stopping(&self, n_open: usize, grace: Duration) {
        if n_open > 0 && !self.is_stop_reported.swap(true, Ordering::Relaxed) {
            self.report(Event::Stopping { n_open, grace });
        }
    }

    /// Signals to everything that waits with `wait_stopping` that the gateway is stopping.
    pub(crate) fn begin_to_stop(&self) {
        self.is_stopping.send_replace(true);
    }

    /// Waits until the gateway is stopping.
    pub(crate) async fn wait_stopping(&self) {
        // It cannot fail: the sender lives as long as the gateway.
        let _ = self.is_stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// Stops the servers and all processes that they started.
    pub async fn stop(&self) {
        self.begin_to_stop();
        let servers = self.servers();
        let mut stopping = tokio::task::JoinSet::new();
        for backend in servers.all().iter().cloned() {
            stopping.spawn(async move { backend.upstream.stop().await });
        }
        stopping.join_all().await;
    }

    /// Kills the servers without waiting any longer.
    pub(crate) fn kill_now(&self) {
        self.servers().all().iter().for_each(|backend| backend.upstream.kill_now());
    }

    /// Returns the only server, if it is a child process and the gateway has one listener. It gets
    /// its client's own handshake.
    pub(crate) fn dedicated_child<'a>(&self, servers: &'a Servers) -> Option<&'a Arc<Backend>> {
        let only = servers.only().filter(|_| self.has_one_listener())?;
        matches!(only.upstream, Upstream::Child(_)).then_some(only)
    }

    /// Performs the handshake with the only server on the gateway's behalf, for callers that are
    /// not MCP clients. Does nothing if there are several servers.
    pub async fn perform_handshake(&self) -> Result<(), Unavailable> {
        match self.servers().only() {
            Some(only) => only.perform_handshake().await,
            None => Ok(()),
        }
    }
}

/// Starts the servers that do not run yet, and updates the settings of those that do.
fn start_servers(
    servers: Vec<NamedServer>,
    running: &[Arc<Backend>],
    shared: &Shared,
    events_of: &EventsOf,
) -> Servers {
    // A pack's tools are always named after it.
    let is_alone = matches!(servers.as_slice(), [only] if !only.server.is_pack());
    let all = servers.into_iter().map(|entry| {
        let NamedServer { name, server, settings } = entry;
        let settings = Settings { name: (!is_alone).then(|| name.clone()), ..settings };
        let running = running.iter().find(|it| it.is_for(&name, &server)).cloned();
        let backend = match running {
            Some(running) => {
                running.set(settings);
                running
            }
            None => Backend::start(&name, server, settings, events_of(&name), shared),
        };
        (name, backend)
    });
    let names = if is_alone { Names::Unprefixed } else { Names::Prefixed };
    Servers::new(all.collect(), names)
}
