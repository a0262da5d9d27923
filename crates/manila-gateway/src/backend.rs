//! The backend: one server, its tools, and how its results are presented.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use manila::{Contract, Registry};
use manila_pack::Pack;

use crate::audience::{self, Audience};
use crate::deadlines::{Deadline, Deadlines};
use crate::event::{Event, Events};
use crate::handle::{Offers, Placement, Tasks, Watched};
use crate::hiding::{Hiding, Rules, events_without_secrets};
use crate::tools::{Carrier, Tools};
use crate::upstream::{Down, Greeting, Keeping, Opening, Server, Upstream};
use crate::uris::Uris;

/// What becomes of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// It is put into an envelope.
    Contract(Contract),
    /// `none`: it is passed on as it came.
    AsItCame,
}

impl Shape {
    /// The id for results that are passed on as they came.
    pub const NONE: &'static str = "none";

    /// The shape of this id: a contract's, or `none`.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Shape> {
        if id == Shape::NONE {
            return Some(Shape::AsItCame);
        }
        Contract::from_id(id).ok().map(Shape::Contract)
    }

    /// The id of every shape.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        Contract::ALL.into_iter().map(Contract::id).chain([Shape::NONE])
    }
}

/// How a gateway works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// What the names of this server begin with, where it is one of several.
    pub name: Option<String>,
    /// Whether it is started when it is needed for the first time, and not before.
    pub is_lazy: bool,
    /// The pack that the server is made from: its answers are observations.
    pub pack: Option<Arc<Pack>>,
    /// What becomes of results whose caller does not say it.
    pub shape: Shape,
    /// Whether results of `machine-readable-v1` are plain text where their caller does not ask for an
    /// envelope (M11). A contract of a single tool's is always meant so.
    pub is_plain: bool,
    /// What of its tools is offered.
    pub offered: Offered,
    /// What is other for single tools, by the names that clients know.
    pub tools: Arc<BTreeMap<String, ToolSettings>>,
    /// The contract in which the server answers already, where its answers do not show it.
    pub speaks: Option<Contract>,
    /// Where the envelope goes.
    pub placement: Placement,
    /// What becomes of answers that are not what their tools promise.
    pub output_check: OutputCheck,
    /// How secrets are hidden.
    pub hiding: Arc<Hiding>,
    /// How long a call may take without a sign of life.
    pub timeout: Duration,
    /// How long the server may take to answer `initialize`: it may have to be fetched first.
    pub start_timeout: Duration,
    /// The largest message that is read, from either side.
    pub frame_bytes_max: usize,
    /// How many requests of a client may be open.
    pub in_flight_max: usize,
    /// How many bytes they may have together.
    pub in_flight_bytes_max: usize,
    /// How much may wait in each queue.
    pub queue_bytes_max: usize,
    /// How long open calls have to end when we stop.
    pub grace: Duration,
    /// How long the server has to end when its input is closed, and again when it is asked to.
    /// Clients lose patience after two seconds.
    pub server_grace: Duration,
}

/// Which tools of a server are offered, by their own names; `*` stands for any letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// Those that are; all, if this is not said.
    pub allow: Option<Vec<String>>,
    /// Those that are not, whatever else is said.
    pub deny: Vec<String>,
}

impl Offered {
    /// Whether a tool is offered.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        let is_among = |patterns: &[String]| patterns.iter().any(|it| is_like(tool, it));
        self.allow.as_deref().is_none_or(is_among) && !is_among(&self.deny)
    }
}

/// Whether a name is like a pattern, in which `*` stands for any letters.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(left) = name.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    let Some(mut left) = left.strip_suffix(end) else { return false };
    // What stands between two stars is taken where it comes first.
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}

/// What is other for one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// What becomes of its results.
    pub shape: Option<Shape>,
    /// Where the envelope goes.
    pub placement: Option<Placement>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What becomes of answers that are not what it promises.
    pub output_check: Option<OutputCheck>,
}

/// What becomes of an answer that does not fit its tool's own `outputSchema`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputCheck {
    /// It is a failure, `INVALID_TOOL_OUTPUT`.
    Strict,
    /// It goes on, with the warning `OUTPUT_SCHEMA_MISMATCH`.
    #[default]
    Warn,
    /// Nobody looks. So nothing is promised of it, either.
    Off,
}

impl Settings {
    /// Whether results of a tool, as clients know it, are plain text where their caller does not ask for
    /// an envelope (M11).
    pub(crate) fn is_plain_for(&self, tool: &str) -> bool {
        let readable = Shape::Contract(Contract::MachineReadableV1);
        match self.tools.get(tool).and_then(|tool| tool.shape) {
            Some(own) => own == readable,
            None => self.is_plain && self.shape == readable,
        }
    }

    /// What becomes of answers of a tool, as clients know it, that are not what it promises.
    pub(crate) fn output_check_of(&self, tool: &str) -> OutputCheck {
        self.tools.get(tool).and_then(|tool| tool.output_check).unwrap_or(self.output_check)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            name: None,
            is_lazy: false,
            pack: None,
            is_plain: false,
            shape: Shape::Contract(Contract::default()),
            offered: Offered::default(),
            tools: Arc::default(),
            speaks: None,
            placement: Placement::Structured,
            output_check: OutputCheck::default(),
            hiding: Arc::default(),
            timeout: Duration::from_secs(60),
            start_timeout: Duration::from_secs(60),
            frame_bytes_max: 64 * 1024 * 1024,
            in_flight_max: 16_384,
            in_flight_bytes_max: 64 * 1024 * 1024,
            queue_bytes_max: 16 * 1024 * 1024,
            grace: Duration::from_secs(5),
            server_grace: Duration::from_millis(700),
        }
    }
}

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
        let carrier = match &server {
            Server::Command(_) => Carrier::Pipe,
            Server::At(_) => Carrier::Http,
        };
        let identity = (name.to_owned(), server.clone());
        let (upstream, inbox) = Upstream::start(server, keeping, Arc::clone(&events));
        let tools = Tools::new(
            Arc::clone(&events),
            settings.speaks.is_some(),
            carrier,
            Arc::clone(&shared.registry),
        );
        let backend = Arc::new(Backend {
            identity,
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
        tokio::spawn(audience::deliver(Arc::clone(&backend), inbox));
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

    /// What becomes of the results of a tool, as clients know it, whose caller has no wish.
    pub(crate) fn shape_of(&self, tool: &str) -> Shape {
        let settings = self.settings();
        settings.tools.get(tool).and_then(|tool| tool.shape).unwrap_or(settings.shape)
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.events)(event);
    }
}
