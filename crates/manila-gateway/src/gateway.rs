//! The gateway: one server, its tools, and how its results are shaped.

use std::sync::Arc;
use std::time::Duration;

use manila::stage::classify::Media;
use manila::{Contract, JsonObject};

use crate::clock;
use crate::deadlines::{Deadline, Deadlines};
use crate::event::{Event, Events};
use crate::handle::{Placement, Tasks};
use crate::hiding::{Hiding, events_without_secrets};
use crate::jsonrpc;
use crate::tools::Tools;
use crate::upstream::{Command, Down, Greeting, Inbox, Keeping, Upstream};

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
    /// What becomes of results whose caller does not say it.
    pub shape: Shape,
    /// The contract in which the server answers already, where its answers do not show it.
    pub speaks: Option<Contract>,
    /// Where the envelope goes.
    pub placement: Placement,
    /// Where media go: beside the envelope on MCP, inside it elsewhere.
    pub media: Media,
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

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            shape: Shape::Contract(Contract::default()),
            speaks: None,
            placement: Placement::Structured,
            media: Media::Beside,
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

/// A gateway in front of one server.
pub struct Gateway {
    pub(crate) upstream: Upstream,
    pub(crate) tools: Tools,
    pub(crate) tasks: Tasks,
    pub(crate) deadlines: Arc<Deadlines>,
    pub(crate) settings: Settings,
    pub(crate) events: Events,
}

impl Gateway {
    /// Starts the server and the gateway in front of it. What the server says on its own comes
    /// out of the second value, and must be taken.
    #[must_use]
    pub fn start(command: Command, settings: Settings, events: Events) -> (Arc<Gateway>, Inbox) {
        let keeping = Keeping {
            frame_bytes_max: settings.frame_bytes_max,
            start_timeout: settings.start_timeout,
            queue_bytes_max: settings.queue_bytes_max,
            grace: settings.server_grace,
            redactor: Arc::clone(&settings.hiding.redactor),
        };
        let redactor = Arc::clone(&settings.hiding.redactor);
        let events = events_without_secrets(events, redactor);
        let (upstream, inbox) = Upstream::start(command, keeping, Arc::clone(&events));
        let tools = Tools::new(Arc::clone(&events), settings.speaks.is_some());
        let deadlines = Deadlines::start();
        let tasks = Tasks::default();
        let gateway = Gateway { upstream, tools, tasks, deadlines, settings, events };
        (Arc::new(gateway), inbox)
    }

    /// Greets the server on our own behalf, for those who have no client in front.
    pub async fn greet(&self, params: JsonObject) -> Result<(), Down> {
        let initialized = JsonObject::default();
        let confirmation = jsonrpc::notification("notifications/initialized", &initialized);
        let greeting = Greeting { params, confirmation: Some(confirmation) };
        let greeted = self.upstream.greet(greeting).answer(&self.upstream).await;
        greeted.map(drop).map_err(|down| (*down).clone())
    }

    /// Ends the server and everything that it started.
    pub async fn stop(&self) {
        self.upstream.stop().await;
    }

    /// The time by which a request that is made now must be answered.
    pub(crate) fn deadline(&self) -> Deadline {
        self.deadlines.at(clock::now() + self.settings.timeout)
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.events)(event);
    }
}
