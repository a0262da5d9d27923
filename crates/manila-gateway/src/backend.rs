//! The backend: one server, its tools, and the results of calls.
//!
//! A backend finds a tool, checks the arguments, sends the call and seals the response. It keeps
//! the lists that the server sent, the tasks that calls became, and the names that clients see.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use manila::Registry;

use self::tools::Tools;
use self::uris::Uris;
use crate::config::{Server, Settings};
use crate::notifications::{Notifications, WatchedResources};
use crate::rt::deadlines::{Deadline, Deadlines};
use crate::rt::offload::{Offloadable, Work, leave_reactor_unsettled};
use crate::rt::unsettled::Unsettled;
use crate::telemetry::event::{Event, Events};
use crate::telemetry::live_redactor::{LiveRedactor, redact_events};
use crate::upstream::{Handshake, HandshakeMethod, SupervisorConfig, Unavailable, Upstream};

mod call;
mod consent;
mod forward;
mod gateway_arguments;
mod inbox;
mod kind;
mod links;
mod list;
mod list_cache;
mod mcp_response;
mod names;
mod packs;
mod resource_watch;
mod seal;
mod send_request;
mod task_ids;
mod tasks;
mod tool_answer;
mod tool_call;
pub(crate) mod tools;
mod unsealed;
mod uris;

pub(crate) use forward::{Forwarded, forward};
pub(crate) use kind::Kind;
pub(crate) use list::ItemsOnDemand;
pub(crate) use list_cache::{ListCache, ToolPresentation};
pub use send_request::ServerResponse;
pub(crate) use tasks::{TaskDetails, Tasks, UNKNOWN_TASK};
pub(crate) use tool_answer::Refusal;
pub use tool_answer::{Answer, CallFailure, Sealed};

/// State that the backends of a gateway share.
pub(crate) struct Shared {
    pub(crate) notifications: Arc<Notifications>,
    pub(crate) uris: Arc<Uris>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) redactor: LiveRedactor,
}

impl Shared {
    pub(crate) fn new(redactor: LiveRedactor) -> Shared {
        Shared {
            redactor,
            notifications: Arc::default(),
            uris: Arc::default(),
            registry: Arc::default(),
            deadlines: Deadlines::start(),
        }
    }
}

/// One server and its state.
pub(crate) struct Backend {
    /// The server's name in the configuration, and how the gateway connects to it.
    identity: (String, Server),
    pub(crate) kind: Kind,
    pub(crate) upstream: Upstream,
    pub(crate) tools: Tools,
    pub(crate) tasks: Tasks,
    pub(crate) notifications: Arc<Notifications>,
    pub(crate) watched: Arc<WatchedResources>,
    pub(crate) list_cache: ListCache,
    pub(crate) uris: Arc<Uris>,
    pub(crate) deadlines: Arc<Deadlines>,
    /// The server's responses that are being handled on the pool.
    unsettled: Unsettled,
    settings: ArcSwap<Settings>,
    events: Events,
}

impl Backend {
    /// Starts the server, or prepares the connection to it, and returns its backend. The server's
    /// notifications and requests go to `shared.notifications`.
    pub(crate) fn start(
        name: &str,
        server: Server,
        settings: Settings,
        events: Events,
        shared: &Shared,
    ) -> Arc<Backend> {
        let config = SupervisorConfig {
            message_bytes_max: settings.message_bytes_max,
            start_timeout: settings.start_timeout,
            queue_bytes_max: settings.queue_bytes_max,
            grace: settings.server_grace,
            redactor: shared.redactor.clone(),
            is_lazy: settings.is_lazy,
        };
        let events = redact_events(events, shared.redactor.clone());
        let (kind, identity) = (Kind::of(&server), (name.to_owned(), server.clone()));
        let (upstream, inbox) = Upstream::start(server, config, Arc::clone(&events));
        let tools = Tools::new(
            Arc::clone(&events),
            settings.speaks.is_some(),
            upstream.transport(),
            Arc::clone(&shared.registry),
        );
        let backend = Arc::new(Backend {
            identity,
            kind,
            upstream,
            tools,
            tasks: Tasks::default(),
            notifications: Arc::clone(&shared.notifications),
            watched: Arc::default(),
            list_cache: ListCache::default(),
            uris: Arc::clone(&shared.uris),
            deadlines: Arc::clone(&shared.deadlines),
            unsettled: Unsettled::default(),
            settings: ArcSwap::from_pointee(settings),
            events,
        });
        tokio::spawn(Offloadable::new(inbox::deliver(Arc::clone(&backend), inbox)));
        backend
    }

    /// Moves to the pool before long work on a response. The server's later messages wait, so that
    /// they do not overtake it.
    async fn leave_reactor_with_response(&self, work: Work) {
        leave_reactor_unsettled(work, || self.unsettled.begin()).await;
    }

    /// Returns whether this is the backend of this server.
    pub(crate) fn is_for(&self, name: &str, server: &Server) -> bool {
        self.identity.0 == name && self.identity.1 == *server
    }

    /// Replaces the settings.
    pub(crate) fn set(&self, settings: Settings) {
        self.settings.store(Arc::new(settings));
        self.list_cache.clear_presented();
    }

    /// Returns the current settings.
    pub(crate) fn settings(&self) -> Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// Performs the handshake on the gateway's behalf, for callers that are not MCP clients.
    pub(crate) async fn perform_handshake(&self) -> Result<(), Unavailable> {
        let handshake = Handshake::without_client(HandshakeMethod::Discover);
        let result = self.upstream.start_handshake(handshake).wait(&self.upstream).await;
        result.map(drop).map_err(|unavailable| (*unavailable).clone())
    }

    /// Returns the deadline for a request that is sent now.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadlines.within(self.settings().timeout)
    }

    /// Returns the deadline for a call to this tool, by the name that clients see.
    pub(crate) fn deadline_of(&self, tool: &str) -> Deadline {
        let settings = self.settings();
        let configured = settings.tools.get(tool).and_then(|tool| tool.timeout);
        self.deadlines.within(configured.unwrap_or(settings.timeout))
    }

    pub(crate) fn report(&self, event: Event) {
        (self.events)(event);
    }
}
