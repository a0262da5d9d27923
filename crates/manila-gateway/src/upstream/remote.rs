//! A remote server over HTTP. The gateway performs the handshake when the server is first needed,
//! once for each era.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::redirect::Policy;

use super::changes;
use super::handshake::{self, DISCOVER_TIMEOUT, HandshakeError};
use super::http::HttpTransport;
use super::inbox::{Inbox, Item};
use super::wire::Wire;
use super::{
    Connection, Handshake, HandshakeMethod, HttpFailure, Ready, SupervisorConfig, Unavailable,
};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::rt::queue::{Sender, queue};
use crate::telemetry::event::{Event, Events};

/// A remote server. It may support both eras, so there is a connection for each era that clients
/// request and the server supports.
pub(crate) struct Remote {
    client: Option<reqwest::Client>,
    address: Address,
    config: SupervisorConfig,
    events: Events,
    /// The sender for its messages; `None` after the gateway stops.
    inbox: Mutex<Option<Sender<Item>>>,
    known: Mutex<KnownEras>,
    /// Held while a connection is being opened.
    opening: tokio::sync::Mutex<()>,
    /// Why the last attempt to connect failed, if it did.
    problem: Mutex<Option<String>>,
}

/// The known facts about the server's eras.
#[derive(Default)]
struct KnownEras {
    legacy: EraSupport,
    modern: EraSupport,
    n_opened: u64,
}

/// Whether the server supports an era.
#[derive(Default, Clone)]
enum EraSupport {
    /// No connection was tried yet.
    #[default]
    Unknown,
    /// The server does not support it.
    Unsupported,
    /// The server supports it, and this is the connection.
    Open(Arc<OpenConnection>),
}

/// An open connection and its background task. Dropping it closes it.
struct OpenConnection {
    ready: Arc<Ready>,
    transport: Arc<HttpTransport>,
    /// The task that watches the server's lists.
    list_watcher: tokio::task::AbortHandle,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.list_watcher.abort();
    }
}

/// The reason why no connection was opened.
enum OpenError {
    /// The server responds, but does not support the era.
    EraUnsupported(HandshakeError),
    /// The server is unavailable.
    Unavailable(Box<Unavailable>),
}

impl Remote {
    pub(super) fn new(
        address: Address,
        config: SupervisorConfig,
        events: Events,
    ) -> (Remote, Inbox) {
        let (inbox, items) = queue(config.queue_bytes_max);
        let client = client(&address);
        let remote = Remote {
            client,
            address,
            config,
            events,
            inbox: Mutex::new(Some(inbox)),
            known: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            problem: Mutex::default(),
        };
        (remote, Inbox::new(items))
    }

    /// Returns the open connection that suits the caller best, if any.
    pub(super) fn ready_now(&self, preferred: Option<Era>) -> Option<Arc<Ready>> {
        let known = self.known.lock().ok()?;
        let ready = |support: &EraSupport| match support {
            EraSupport::Open(open) if !open.transport.is_era_doubtful() => {
                Some(Arc::clone(&open.ready))
            }
            EraSupport::Open(_) | EraSupport::Unknown | EraSupport::Unsupported => None,
        };
        // The other era is used only if the preferred one is not supported.
        let other = |other: &EraSupport, preferred: &EraSupport| {
            ready(other).filter(|_| matches!(preferred, EraSupport::Unsupported))
        };
        match preferred {
            Some(Era::Legacy(_)) => {
                ready(&known.legacy).or_else(|| other(&known.modern, &known.legacy))
            }
            Some(Era::Modern) => {
                ready(&known.modern).or_else(|| other(&known.legacy, &known.modern))
            }
            None => ready(&known.modern).or_else(|| ready(&known.legacy)),
        }
    }

    /// Returns the connection that suits the caller best, and opens it if necessary.
    pub(super) async fn ready(
        &self,
        preferred: Option<Era>,
    ) -> Result<Arc<Ready>, Arc<Unavailable>> {
        let _opening = self.opening.lock().await;
        // Another caller may have opened it meanwhile.
        if let Some(ready) = self.ready_now(preferred) {
            return Ok(ready);
        }
        let opened = self.open_any(HandshakeMethod::for_client(preferred)).await;
        if let Ok(mut problem) = self.problem.lock() {
            *problem = opened.as_ref().err().map(|unavailable| unavailable.reason.clone());
        }
        opened
    }

    /// Returns why the server is unavailable, if known.
    pub(super) fn unavailable_reason(&self) -> Option<String> {
        let known = self.known.lock().ok()?;
        let is_lost = |support: &EraSupport| match support {
            EraSupport::Open(open) => open.transport.is_unreachable(),
            EraSupport::Unknown | EraSupport::Unsupported => false,
        };
        if is_lost(&known.legacy) || is_lost(&known.modern) {
            return Some(format!("`{}` cannot be reached", self.address));
        }
        self.problem.lock().ok()?.clone()
    }

    /// Forgets what is known about a server that seems to have been replaced.
    fn forget_if_doubtful(&self) {
        let is_era_doubtful = |support: &EraSupport| match support {
            EraSupport::Open(open) => open.transport.is_era_doubtful(),
            EraSupport::Unknown | EraSupport::Unsupported => false,
        };
        if let Ok(mut known) = self.known.lock()
            && (is_era_doubtful(&known.legacy) || is_era_doubtful(&known.modern))
        {
            *known = KnownEras { n_opened: known.n_opened, ..KnownEras::default() };
        }
    }

    async fn open_any(&self, first: HandshakeMethod) -> Result<Arc<Ready>, Arc<Unavailable>> {
        self.forget_if_doubtful();
        let second = match first {
            HandshakeMethod::Initialize => HandshakeMethod::Discover,
            HandshakeMethod::Discover => HandshakeMethod::Initialize,
        };
        let mut first_error = None;
        for method in [first, second] {
            match self.era_support(method) {
                EraSupport::Open(open) => return Ok(Arc::clone(&open.ready)),
                EraSupport::Unsupported => continue,
                EraSupport::Unknown => {}
            }
            match self.open(method).await {
                Ok(ready) => return Ok(ready),
                Err(OpenError::Unavailable(unavailable)) => return Err(Arc::new(*unavailable)),
                Err(OpenError::EraUnsupported(error)) => {
                    self.set_era_support(method, EraSupport::Unsupported);
                    first_error.get_or_insert(error);
                }
            }
        }
        // The server may be replaced by another version later.
        self.set_era_support(first, EraSupport::Unknown);
        self.set_era_support(second, EraSupport::Unknown);
        Err(Arc::new(self.no_common_era(first_error.as_ref())))
    }

    async fn open(&self, method: HandshakeMethod) -> Result<Arc<Ready>, OpenError> {
        let started = clock::now();
        let (connection, transport) = self.connection()?;
        let result = match method {
            HandshakeMethod::Initialize => {
                let handshake = Handshake::own(method);
                transport.open_session(&connection, &handshake).await
            }
            HandshakeMethod::Discover => {
                let timeout = self.config.start_timeout.min(DISCOVER_TIMEOUT);
                let result = tokio::time::timeout(timeout, handshake::discover(&connection)).await;
                result.unwrap_or(Err(HandshakeError::Silent(timeout)))
            }
        };
        let result = result.map_err(|error| self.open_error(method, error))?;
        let ready = Arc::new(Ready::new(connection, result));
        let n_earlier_starts = self.known.lock().map_or(0, |mut known| {
            known.n_opened += 1;
            known.n_opened - 1
        });
        let duration = clock::now().saturating_duration_since(started);
        (self.events)(Event::Started { n_earlier_starts, era: Some(ready.era.date()), duration });
        let watched = Arc::clone(&ready);
        let list_watcher =
            tokio::spawn(async move { changes::watch_lists(&watched).await }).abort_handle();
        let open = OpenConnection { ready: Arc::clone(&ready), transport, list_watcher };
        self.set_era_support(method, EraSupport::Open(Arc::new(open)));
        Ok(ready)
    }

    fn connection(&self) -> Result<(Arc<Connection>, Arc<HttpTransport>), OpenError> {
        let stopped = || OpenError::Unavailable(Box::new(Unavailable::on_stop()));
        let inbox = self.inbox.lock().ok().and_then(|it| it.clone()).ok_or_else(stopped)?;
        let client = self.client.clone().ok_or_else(|| {
            OpenError::Unavailable(Box::new(Unavailable::because("cannot create an HTTP client")))
        })?;
        let (address, config) = (self.address.clone(), self.config.clone());
        let transport = Arc::new(HttpTransport::new(client, address, config, inbox));
        let wire = Wire::Http(Arc::clone(&transport));
        Ok((Arc::new(Connection::new(wire, Arc::clone(&self.events))), transport))
    }

    /// Decides whether an error concerns the era or the whole server.
    fn open_error(&self, method: HandshakeMethod, error: HandshakeError) -> OpenError {
        let unavailable = |reason: String, was_reached: bool| {
            let reason = self.config.redactor.redact_text(reason);
            OpenError::Unavailable(Box::new(Unavailable {
                was_reached,
                ..Unavailable::because(reason)
            }))
        };
        let address = &self.address;
        match error {
            HandshakeError::Silent(timeout) if method == HandshakeMethod::Initialize => {
                let reason = handshake::describe_timeout(timeout);
                unavailable(format!("`{address}` {reason}"), true)
            }
            // The server supports only the modern era, so `initialize` would not help.
            HandshakeError::Error(error)
                if method == HandshakeMethod::Discover && handshake::is_modern_only(&error) =>
            {
                let message = error.get("message");
                let message = message.as_ref().and_then(manila::RawJson::as_text);
                let message = message.unwrap_or_default();
                unavailable(format!("`{address}` refused MCP {}: {message}", Era::Modern), true)
            }
            // The usual response of a server that does not know the era. Any other error may be
            // temporary.
            HandshakeError::HttpFailure(HttpFailure {
                status: Some(400 | 404 | 405 | 406 | 415 | 501),
                ..
            }) => OpenError::EraUnsupported(error),
            HandshakeError::HttpFailure(HttpFailure { status, reason, .. }) => {
                unavailable(reason, status.is_some())
            }
            other @ (HandshakeError::Silent(_)
            | HandshakeError::Unusable(_)
            | HandshakeError::Error(_)
            | HandshakeError::Disconnected) => OpenError::EraUnsupported(other),
        }
    }

    fn no_common_era(&self, error: Option<&HandshakeError>) -> Unavailable {
        let reason = match error {
            Some(HandshakeError::Unusable(reason)) => {
                format!("`{}` sent an unusable response: {reason}", self.address)
            }
            Some(HandshakeError::HttpFailure(failure)) => failure.reason.clone(),
            Some(HandshakeError::Error(error)) => {
                let message = error.get("message");
                let message = message.as_ref().and_then(manila::RawJson::as_text);
                format!("`{}` refused the handshake: {}", self.address, message.unwrap_or_default())
            }
            Some(HandshakeError::Silent(_) | HandshakeError::Disconnected) | None => {
                format!("`{}` does not support any known revision of MCP", self.address)
            }
        };
        let reason = self.config.redactor.redact_text(reason);
        (self.events)(Event::Ended { reason: reason.clone(), next_start: None });
        Unavailable::because(reason)
    }

    fn era_support(&self, method: HandshakeMethod) -> EraSupport {
        let known = self.known.lock().ok();
        known.map_or(EraSupport::Unknown, |known| match method {
            HandshakeMethod::Initialize => known.legacy.clone(),
            HandshakeMethod::Discover => known.modern.clone(),
        })
    }

    fn set_era_support(&self, method: HandshakeMethod, support: EraSupport) {
        if let Ok(mut known) = self.known.lock() {
            match method {
                HandshakeMethod::Initialize => known.legacy = support,
                HandshakeMethod::Discover => known.modern = support,
            }
        }
    }

    /// Closes all connections. Requests in flight fail.
    pub(super) async fn stop(&self) {
        // No new connections from here on.
        if let Ok(mut inbox) = self.inbox.lock() {
            *inbox = None;
        }
        let known = self.known.lock().map(|mut known| std::mem::take(&mut *known));
        let KnownEras { legacy, modern, .. } = known.unwrap_or_default();
        for support in [legacy, modern] {
            let EraSupport::Open(open) = support else { continue };
            open.ready.connection.pending.fail_all(Arc::new(Unavailable::on_stop()));
            open.transport.delete_session().await;
        }
    }
}

/// Creates the HTTP client. It follows no redirects, because they could leak credentials to another
/// host.
fn client(address: &Address) -> Option<reqwest::Client> {
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    // The application may have installed another provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT);
    // A server on this machine is reached without a proxy.
    let builder = if address.is_local() { builder.no_proxy() } else { builder };
    builder.build().ok()
}
