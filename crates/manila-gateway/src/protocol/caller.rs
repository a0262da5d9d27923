//! Who asks: a client, one request of it, and where it hears what belongs to that.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::stage::classify::Media;
use manila::stage::record::Transport;
use manila::{JsonObject, RawJson};

use crate::protocol::cancellation::Cancellation;
use crate::protocol::era::Era;
use crate::protocol::origin::Origin;
use crate::protocol::presentation::Preferences;

/// Where a client hears what it did not ask for.
pub(crate) trait Line: Send + Sync {
    /// Puts a frame on the line, at once.
    fn put(&self, frame: Bytes) -> Result<(), Unheard>;

    /// Puts a question on the line. It is of no use where nobody listens now.
    fn ask(&self, question: Bytes) -> Result<(), Unheard> {
        self.put(question)
    }
}

/// Nobody hears it: the client is gone, or has not read for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unheard;

/// What a client says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Speech {
    /// How it speaks.
    pub(crate) era: Era,
    /// What it can do for a server, where that is not known to the server already.
    pub(crate) capabilities: Option<JsonObject>,
    /// Its name and version.
    pub(crate) info: Option<RawJson>,
    /// How much of a server's log it wants to hear, where its request says it.
    pub(crate) log_level: Option<RawJson>,
}

impl Speech {
    /// A client that speaks so, and of which nothing else is known.
    pub(crate) fn of(era: Era) -> Speech {
        Speech { era, capabilities: None, info: None, log_level: None }
    }
}

/// A client, as far as what the server says concerns it.
pub(crate) struct Client {
    /// No two clients have the same, also when one of them is gone.
    pub(crate) number: u64,
    speech: OnceLock<Speech>,
    /// How much of a server's log it wants to hear, where it has said it for all its requests.
    log_level: Mutex<Option<RawJson>>,
    /// How many questions of servers it has not answered yet.
    n_questions: AtomicUsize,
    has_left: AtomicBool,
    /// Where it hears what belongs to none of its requests.
    pub(crate) line: Arc<dyn Line>,
}

impl Client {
    /// A client that has not said yet how it speaks.
    pub(crate) fn new(line: Arc<dyn Line>) -> Client {
        static N_CLIENTS: AtomicU64 = AtomicU64::new(0);
        Client {
            number: N_CLIENTS.fetch_add(1, Ordering::Relaxed),
            speech: OnceLock::new(),
            log_level: Mutex::default(),
            n_questions: AtomicUsize::new(0),
            has_left: AtomicBool::new(false),
            line,
        }
    }

    /// A client that speaks so.
    pub(crate) fn speaking(speech: Speech, line: Arc<dyn Line>) -> Client {
        let client = Client::new(line);
        client.learn(speech);
        client
    }

    /// Notes how it speaks. What it said first stands.
    pub(crate) fn learn(&self, speech: Speech) {
        let _ = self.speech.set(speech);
    }

    /// How it speaks, if it has said it.
    pub(crate) fn speech(&self) -> Option<&Speech> {
        self.speech.get()
    }

    /// How much of a server's log it wants to hear; `None` is what the server thinks fit.
    pub(crate) fn log_level(&self) -> Option<RawJson> {
        let said = self.speech().and_then(|speech| speech.log_level.clone());
        said.or_else(|| self.log_level.lock().ok()?.clone())
    }

    /// Notes how much of a server's log it wants to hear.
    pub(crate) fn set_log_level(&self, level: RawJson) {
        if let Ok(mut log_level) = self.log_level.lock() {
            *log_level = Some(level);
        }
    }

    /// Whether it can be told from others: it has said hello, and all its requests are its own.
    pub(crate) fn is_named(&self) -> bool {
        self.speech().is_some_and(|speech| speech.era != Era::Modern)
    }

    /// Notes that a server has asked it something.
    pub(crate) fn add_question(&self) {
        self.n_questions.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a question is answered, or over.
    pub(crate) fn end_question(&self) {
        self.n_questions.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a server waits for its answer.
    pub(crate) fn has_questions(&self) -> bool {
        self.n_questions.load(Ordering::Relaxed) > 0
    }

    /// Whether it has left.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::Relaxed)
    }

    /// Notes that it has left.
    pub(crate) fn leave(&self) {
        self.has_left.store(true, Ordering::Relaxed);
    }

    /// How it speaks; whoever has not said it is given what everybody understands.
    pub(crate) fn era(&self) -> Era {
        self.speech().map_or(Era::PLAINEST, |speech| speech.era)
    }
}

/// One request of a client, as everybody knows it who works on it.
pub struct Caller {
    pub(crate) client: Arc<Client>,
    /// Where it hears what belongs to this request.
    pub(crate) line: Arc<dyn Line>,
    pub(crate) cancellation: Cancellation,
    /// What it prefers, beside what the request itself says.
    pub(crate) preferences: Preferences,
    /// The id of the request, where it asks to hear of changes: all that comes carries it.
    pub(crate) subscription: Option<RawJson>,
    /// Where the request comes from.
    pub(crate) origin: Origin,
}

impl Caller {
    /// A request of this client.
    pub(crate) fn of(client: &Arc<Client>, line: Arc<dyn Line>, origin: Origin) -> Caller {
        Caller {
            client: Arc::clone(client),
            line,
            cancellation: Cancellation::default(),
            preferences: Preferences::MCP,
            subscription: None,
            origin,
        }
    }

    /// The same, for a request of this method and id.
    pub(crate) fn asking(self, request: &Request) -> Caller {
        let is_listening = request.method == "subscriptions/listen";
        let subscription = is_listening.then(|| request.id.clone());
        Caller { subscription, ..self }
    }

    /// Creates a caller that has no MCP client. `on_notification` is called with what the server
    /// reports about its request, such as progress.
    #[must_use]
    pub fn without_client(
        on_notification: impl Fn(&Notification) + Send + Sync + 'static,
    ) -> Caller {
        let line: Arc<dyn Line> = Arc::new(Told(on_notification));
        let client = Arc::new(Client::new(Arc::clone(&line)));
        let preferences = Preferences { media: Media::Inline, ..Preferences::MCP };
        Caller { preferences, ..Caller::of(&client, line, Origin::pipe(Transport::Stdio, None)) }
    }

    /// Stops what is done for it: the call is answered as cancelled, with what there is until then.
    pub fn stop(&self) {
        self.cancellation.stop();
    }

    /// How whoever asks speaks.
    pub(crate) fn era(&self) -> Era {
        self.client.era()
    }

    /// The era in which a server should be asked for it; `None` if that is all the same.
    pub(crate) fn wanted(&self) -> Option<Era> {
        self.client.speech().map(|speech| speech.era)
    }
}

/// A line to a function.
struct Told<F>(F);

impl<F: Fn(&Notification) + Send + Sync> Line for Told<F> {
    fn put(&self, frame: Bytes) -> Result<(), Unheard> {
        match Message::from_json(frame) {
            Ok(Message::Notification(notification)) => {
                (self.0)(&notification);
                Ok(())
            }
            Ok(_) | Err(_) => Err(Unheard),
        }
    }
}
