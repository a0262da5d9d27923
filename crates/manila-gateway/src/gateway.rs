//! The gateway: all servers behind one endpoint, and what their clients share.
//!
//! Requests enter through [`dispatch`], are answered by method, and go to the server that a name
//! belongs to. Servers can be replaced while clients are served.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use manila::request_envelope::Notification;
use tokio::sync::watch;

use crate::admit::Limits;
use crate::backend::{Backend, Shared};
use crate::config::Member;
use crate::config::Server;
use crate::config::Settings;
use crate::notifications::Audience;
use crate::protocol::era::Era;
use crate::rt::deadlines::Deadlines;
use crate::telemetry::event::{Event, Events};
use crate::telemetry::journal::Journal;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::rules::{Rules, events_without_secrets};
use crate::upstream::{Down, Upstream};

pub(crate) mod answer;
mod call;
pub(crate) mod dispatch;
mod doors;
mod forward;
mod greet;
pub(crate) mod hello;
mod list;
mod listen;
mod record;
mod replace;
pub(crate) mod response;
mod servers;
mod standing;

use doors::Doors;
pub(crate) use greet::{Hello, United};
use servers::Names;
pub(crate) use servers::Servers;

/// What clients reach.
pub struct Gateway {
    servers: ArcSwap<Servers>,
    pub(crate) audience: Arc<Audience>,
    pub(crate) deadlines: Arc<Deadlines>,
    shared: Shared,
    pub(crate) limits: Limits,
    is_stopping: watch::Sender<bool>,
    is_stop_reported: AtomicBool,
    doors: Doors,
    settings: ArcSwap<Settings>,
    events: Events,
    events_of: Box<EventsOf>,
    pub(crate) metrics: Arc<Metrics>,
    journal: OnceLock<Journal>,
}

/// Who is told what happens to the server of a name.
type EventsOf = dyn Fn(&str) -> Events + Send + Sync;

impl Gateway {
    /// Starts a server, or gets ready to reach it. It is the only one, and its names are its own.
    #[must_use]
    pub fn in_front_of(server: Server, settings: Settings, events: Events) -> Arc<Gateway> {
        let member = Member::new("", server, settings.clone());
        let own = Arc::clone(&events);
        Gateway::in_front_of_all(vec![member], settings, events, move |_| Arc::clone(&own))
    }

    /// Starts servers, or gets ready to reach them. If there are several, every name begins with
    /// that of its server. `events_of` is told what happens to the server of a name.
    #[must_use]
    pub fn in_front_of_all(
        members: Vec<Member>,
        settings: Settings,
        events: Events,
        events_of: impl Fn(&str) -> Events + Send + Sync + 'static,
    ) -> Arc<Gateway> {
        let rules = Rules::new(Arc::clone(&settings.hiding.redactor));
        let shared = Shared::new(rules.clone());
        let metrics = Arc::<Metrics>::default();
        let counted = Arc::clone(&metrics);
        let events_of = Box::new(move |name: &str| counted.counting(name, events_of(name)));
        let events = metrics.counting("", events);
        let servers = started(members, &[], &shared, &*events_of);
        let events = events_without_secrets(events, rules);
        Arc::new(Gateway {
            servers: ArcSwap::from_pointee(servers),
            audience: Arc::clone(&shared.audience),
            deadlines: Arc::clone(&shared.deadlines),
            shared,
            limits: Limits::new(&settings),
            is_stopping: watch::Sender::new(false),
            is_stop_reported: AtomicBool::new(false),
            doors: Doors::default(),
            settings: ArcSwap::from_pointee(settings),
            events,
            events_of,
            metrics,
            journal: OnceLock::new(),
        })
    }

    /// The servers that there are now.
    pub(crate) fn servers(&self) -> Arc<Servers> {
        self.servers.load_full()
    }

    /// How it works.
    pub(crate) fn settings(&self) -> Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// From now on a journal is kept of what is asked, and what became of it.
    pub fn keep_journal(&self, journal: Journal) {
        let _ = self.journal.set(journal);
    }

    /// The journal, if one is kept.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.get()
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.events)(event);
    }

    /// Hands on what a client tells, to those servers whose era knows it.
    pub(crate) fn hand_on(&self, notification: &Notification, era: Era) {
        for backend in self.servers().all() {
            backend.hand_on(notification, era);
        }
    }

    /// Reports once that we are stopping, if requests are open.
    pub(crate) fn report_stopping(&self, n_open: usize, grace: Duration) {
        if n_open > 0 && !self.is_stop_reported.swap(true, Ordering::Relaxed) {
            self.tell(Event::Stopping { n_open, grace });
        }
    }

    /// Tells all who wait for nothing in particular that we are stopping.
    pub(crate) fn begin_to_stop(&self) {
        self.is_stopping.send_replace(true);
    }

    /// Waits until we are stopping.
    pub(crate) async fn stopping(&self) {
        // The sender lives as long as this.
        let _ = self.is_stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// Ends the servers and everything that they started.
    pub async fn stop(&self) {
        self.begin_to_stop();
        let servers = self.servers();
        let mut stopping = tokio::task::JoinSet::new();
        for backend in servers.all().iter().cloned() {
            stopping.spawn(async move { backend.upstream.stop().await });
        }
        stopping.join_all().await;
    }

    /// Ends the servers without waiting for them any longer.
    pub(crate) fn hurry(&self) {
        self.servers().all().iter().for_each(|backend| backend.upstream.hurry());
    }

    /// The only server, if it runs as our child and has one client: it hears that client's own
    /// hello.
    pub(crate) fn own_child<'a>(&self, servers: &'a Servers) -> Option<&'a Arc<Backend>> {
        let only = servers.only().filter(|_| self.has_one_door())?;
        matches!(only.upstream, Upstream::Child(_)).then_some(only)
    }

    /// Greets the only server on our own behalf, for those who have no client in front.
    pub async fn greet(&self) -> Result<(), Down> {
        match self.servers().only() {
            Some(only) => only.greet().await,
            None => Ok(()),
        }
    }
}

/// Starts servers that are not among those that run already.
fn started(
    members: Vec<Member>,
    running: &[Arc<Backend>],
    shared: &Shared,
    events_of: &EventsOf,
) -> Servers {
    // A pack's tools are always named after it.
    let is_alone = matches!(members.as_slice(), [only] if !only.server.is_pack());
    let all = members.into_iter().map(|member| {
        let Member { name, server, settings } = member;
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
    let names = if is_alone { Names::Own } else { Names::Prefixed };
    Servers::new(all.collect(), names)
}
