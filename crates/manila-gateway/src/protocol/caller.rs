//! Callers: a client, one of its requests, and the channel for messages to the client.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::stage::classify::Media;
use manila::stage::record::Transport;
use manila::{JsonObject, RawJson};

use crate::protocol::cancellation::Cancellation;
use crate::protocol::era::Era;
use crate::protocol::presentation::Preferences;
use crate::protocol::request_source::RequestSource;

/// A channel for frames to a peer: notifications and requests to a client, responses to a server.
pub(crate) trait Outbound: Send + Sync {
    /// Sends a frame without waiting.
    fn put(&self, frame: Bytes) -> Result<(), Undelivered>;

    /// Sends a server's request. Unlike a notification, a request fails at once if the client is
    /// not reading, instead of being stored.
    fn push_request(&self, request: Bytes) -> Result<(), Undelivered> {
        self.put(request)
    }
}

/// A frame was not sent: the client has disconnected, or has not read for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Undelivered;

/// What a client declares about itself.
#[derive(Debug, Clone)]
pub(crate) struct ClientInfo {
    /// The era of the client.
    pub(crate) era: Era,
    /// The client's capabilities; `None` if they are unknown, or if the server already got them in
    /// the client's own handshake.
    pub(crate) capabilities: Option<JsonObject>,
    /// The client's name and version (`clientInfo`), if it has sent them.
    pub(crate) implementation: Option<RawJson>,
    /// The log level, if the request declares one.
    pub(crate) log_level: Option<RawJson>,
}

impl ClientInfo {
    /// Creates the info of a client of which only the era is known.
    pub(crate) fn of(era: Era) -> ClientInfo {
        ClientInfo { era, capabilities: None, implementation: None, log_level: None }
    }
}

/// A client, as a receiver of notifications and of servers' requests.
pub(crate) struct Client {
    /// A unique number, which is never reused.
    pub(crate) number: u64,
    declared: OnceLock<ClientInfo>,
    /// The log level for all requests, if the client has set one.
    log_level: Mutex<Option<RawJson>>,
    /// The number of servers' requests that the client has not answered yet.
    n_server_requests: AtomicUsize,
    is_disconnected: AtomicBool,
    /// The channel for messages that belong to none of its requests.
    pub(crate) outbound: Arc<dyn Outbound>,
}

impl Client {
    /// Creates a client that has not declared its era yet.
    pub(crate) fn new(outbound: Arc<dyn Outbound>) -> Client {
        static N_CLIENTS: AtomicU64 = AtomicU64::new(0);
        Client {
            number: N_CLIENTS.fetch_add(1, Ordering::Relaxed),
            declared: OnceLock::new(),
            log_level: Mutex::default(),
            n_server_requests: AtomicUsize::new(0),
            is_disconnected: AtomicBool::new(false),
            outbound,
        }
    }

    /// Creates a client with these declarations.
    pub(crate) fn with_info(info: ClientInfo, outbound: Arc<dyn Outbound>) -> Client {
        let client = Client::new(outbound);
        client.set_info(info);
        client
    }

    /// Stores the client's declarations, unless it has already made some.
    pub(crate) fn set_info(&self, info: ClientInfo) {
        let _ = self.declared.set(info);
    }

    /// Returns the client's declarations, if it has made them.
    pub(crate) fn client_info(&self) -> Option<&ClientInfo> {
        self.declared.get()
    }

    /// Returns the log level that the client has set; `None` leaves it to the server.
    pub(crate) fn log_level(&self) -> Option<RawJson> {
        let declared = self.client_info().and_then(|info| info.log_level.clone());
        declared.or_else(|| self.log_level.lock().ok()?.clone())
    }

    /// Sets the log level for all requests.
    pub(crate) fn set_log_level(&self, level: RawJson) {
        if let Ok(mut log_level) = self.log_level.lock() {
            *log_level = Some(level);
        }
    }

    /// Returns whether requests can be attributed to this client. That requires a handshake, which
    /// the modern era does not have.
    pub(crate) fn is_identifiable(&self) -> bool {
        self.client_info().is_some_and(|info| info.era != Era::Modern)
    }

    /// Counts a server's request to the client.
    pub(crate) fn add_server_request(&self) {
        self.n_server_requests.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts the end of a server's request, with or without a response.
    pub(crate) fn end_server_request(&self) {
        self.n_server_requests.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns whether a server waits for a response of the client.
    pub(crate) fn has_server_requests(&self) -> bool {
        self.n_server_requests.load(Ordering::Relaxed) > 0
    }

    /// Returns whether the client has disconnected.
    pub(crate) fn is_disconnected(&self) -> bool {
        self.is_disconnected.load(Ordering::Relaxed)
    }

    /// Marks the client as disconnected.
    pub(crate) fn mark_disconnected(&self) {
        self.is_disconnected.store(true, Ordering::Relaxed);
    }

    /// Returns the client's era, or the fallback if the client has not declared one.
    pub(crate) fn era(&self) -> Era {
        self.client_info().map_or(Era::FALLBACK, |info| info.era)
    }
}

/// The caller of one request: its client, and everything else that handling the request needs.
pub struct Caller {
    pub(crate) client: Arc<Client>,
    /// The channel for messages that belong to this request.
    pub(crate) outbound: Arc<dyn Outbound>,
    pub(crate) cancellation: Cancellation,
    /// The preferences that are not part of the request itself.
    pub(crate) preferences: Preferences,
    /// The id of the request, if it is a subscription. All its notifications contain the id.
    pub(crate) subscription: Option<RawJson>,
    /// The source of the request.
    pub(crate) source: RequestSource,
}

impl Caller {
    /// Creates a caller for a request of this client.
    pub(crate) fn of(
        client: &Arc<Client>,
        outbound: Arc<dyn Outbound>,
        source: RequestSource,
    ) -> Caller {
        Caller {
            client: Arc::clone(client),
            outbound,
            cancellation: Cancellation::default(),
            preferences: Preferences::MCP,
            subscription: None,
            source,
        }
    }

    /// Adds the subscription id, if the request is a subscription.
    pub(crate) fn with_subscription_of(self, request: &Request) -> Caller {
        let is_listening = request.method == "subscriptions/listen";
        let subscription = is_listening.then(|| request.id.clone());
        Caller { subscription, ..self }
    }

    /// Creates a caller for use within a program, without an MCP client. `on_notification` receives
    /// the server's notifications about the request, such as progress.
    #[must_use]
    pub fn without_client(
        on_notification: impl Fn(&Notification) + Send + Sync + 'static,
    ) -> Caller {
        let outbound: Arc<dyn Outbound> = Arc::new(Callback(on_notification));
        let client = Arc::new(Client::new(Arc::clone(&outbound)));
        let preferences = Preferences { media: Media::Inline, ..Preferences::MCP };
        let source = RequestSource::pipe(Transport::Stdio, None);
        Caller { preferences, ..Caller::of(&client, outbound, source) }
    }

    /// Stops the call. The caller gets a response that reports the cancellation, with the partial
    /// result.
    pub fn stop(&self) {
        self.cancellation.stop();
    }

    /// Returns the client's era.
    pub(crate) fn era(&self) -> Era {
        self.client.era()
    }

    /// Returns the era to use with a server that supports both; `None` if either is fine.
    pub(crate) fn preferred_era(&self) -> Option<Era> {
        self.client.client_info().map(|info| info.era)
    }
}

/// An outbound channel that calls a function with each notification.
struct Callback<F>(F);

impl<F: Fn(&Notification) + Send + Sync> Outbound for Callback<F> {
    fn put(&self, frame: Bytes) -> Result<(), Undelivered> {
        match Message::from_json(frame) {
            Ok(Message::Notification(notification)) => {
                (self.0)(&notification);
                Ok(())
            }
            Ok(_) | Err(_) => Err(Undelivered),
        }
    }
}
