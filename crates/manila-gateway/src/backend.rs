//! The backend: one server, its tools, and what its answers become.
//!
//! It finds a tool, checks arguments, sends the call and seals what comes back. It keeps what the
//! server listed, the tasks that calls became, and the names by which clients know them.

use std::sync::{Arc, Mutex};

use arc_swap::{ArcSwap, Guard};
use manila::Registry;

use self::tools::Tools;
use self::uris::Uris;
use crate::config::{Server, Settings};
use crate::notifications::{Audience, Watched};
use crate::rt::deadlines::{Deadline, Deadlines};
use crate::telemetry::event::{Event, Events};
use crate::telemetry::rules::{Rules, events_without_secrets};
use crate::upstream::{Down, Greeting, Keeping, Opening, Upstream};

mod answer;
mod ask;
mod call;
mod consent;
mod forward;
mod inbox;
mod kind;
mod links;
mod list;
mod names;
mod offers;
mod own_arguments;
mod packs;
mod seal;
mod task_ids;
mod tasks;
mod tool_answer;
mod tool_call;
pub(crate) mod tools;
mod uris;
mod watch;

pub use ask::Answered;
pub(crate) use forward::{Forwarded, forward};
pub(crate) use kind::Kind;
pub(crate) use offers::{Listed, Offers, Way};
pub(crate) use tasks::{Details, Tasks, UNKNOWN_TASK};
pub(crate) use tool_answer::Refusal;
pub use tool_answer::{Answer, Failed, Sealed};

/// What the backends of a gateway share.
pub(crate) struct Shared {
    pub(crate) audience: Arc<Audience>,
    pub(crate) uris: Arc<Uris>,
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) rules: Rules,
}

impl Shared {
    pub(crate) fn new(rules: Rules) -> Shared {
        Shared {
            rules,
            audience: Arc::default(),
            uris: Arc::default(),
            registry: Arc::default(),
            deadlines: Deadlines::start(),
        }
    }
}

/// One server, and what the gateway knows of it.
pub(crate) struct Backend {
    /// The server's name in the configuration, and how it is reached.
    identity: (String, Server),
    pub(crate) kind: Kind,
    pub(crate) upstream: Upstream,
    pub(crate) tools: Tools,
    pub(crate) tasks: Tasks,
    pub(crate) audience: Arc<Audience>,
    pub(crate) watched: Arc<Watched>,
    pub(crate) offers: Offers,
    pub(crate) uris: Arc<Uris>,
    pub(crate) deadlines: Arc<Deadlines>,
    settings: ArcSwap<Settings>,
    events: Events,
}

impl Backend {
    /// Starts the server, or gets ready to reach it, and the gateway in front of it. What the
    /// server says on its own goes to the audience.
    pub(crate) fn start(
        name: &str,
        server: Server,
        settings: Settings,
        events: Events,
        shared: &Shared,
    ) -> Arc<Backend> {
        let keeping = Keeping {
            frame_bytes_max: settings.frame_bytes_max,
            start_timeout: settings.start_timeout,
            queue_bytes_max: settings.queue_bytes_max,
            grace: settings.server_grace,
            rules: shared.rules.clone(),
            is_lazy: settings.is_lazy,
        };
        let events = events_without_secrets(events, shared.rules.clone());
        let (kind, identity) = (Kind::of(&server), (name.to_owned(), server.clone()));
        let (upstream, inbox) = Upstream::start(server, keeping, Arc::clone(&events));
        let tools = Tools::new(
            Arc::clone(&events),
            settings.speaks.is_some(),
            upstream.carrier(),
            Arc::clone(&shared.registry),
        );
        let backend = Arc::new(Backend {
            identity,
            kind,
            upstream,
            tools,
            tasks: Tasks::default(),
            audience: Arc::clone(&shared.audience),
            watched: Arc::default(),
            offers: Offers::default(),
            uris: Arc::clone(&shared.uris),
            deadlines: Arc::clone(&shared.deadlines),
            settings: ArcSwap::from_pointee(settings),
            events,
        });
        tokio::spawn(inbox::deliver(Arc::clone(&backend), inbox));
        backend
    }

    /// Whether it is in front of this server.
    pub(crate) fn is_for(&self, name: &str, server: &Server) -> bool {
        self.identity.0 == name && self.identity.1 == *server
    }

    /// From now on it works like this.
    pub(crate) fn set(&self, settings: Settings) {
        self.settings.store(Arc::new(settings));
        self.offers.show_anew();
    }

    /// How it works.
    pub(crate) fn settings(&self) -> Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// Greets the server on our own behalf, for those who have no client in front.
    pub(crate) async fn greet(&self) -> Result<(), Down> {
        let greeting = Greeting::for_nobody(Opening::Discover);
        let greeted = self.upstream.greet(greeting).answer(&self.upstream).await;
        greeted.map(drop).map_err(|down| (*down).clone())
    }

    /// The time by which a request that is made now must be answered.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadlines.within(self.settings().timeout)
    }

    /// As `deadline`, for a call of this tool, as clients know it.
    pub(crate) fn deadline_of(&self, tool: &str) -> Deadline {
        let settings = self.settings();
        let own = settings.tools.get(tool).and_then(|tool| tool.timeout);
        self.deadlines.within(own.unwrap_or(settings.timeout))
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.events)(event);
    }
}
