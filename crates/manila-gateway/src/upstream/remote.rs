//! A server that runs somewhere else: greeted when it is first needed, in each era that is asked
//! for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::redirect::Policy;

use super::changes;
use super::handshake::{self, Refusal, SILENCE};
use super::http::Link;
use super::inbox::{Inbox, Item};
use super::wire::Wire;
use super::{Connection, Declined, Down, Greeting, Keeping, Opening, Ready};
use crate::config::Address;
use crate::protocol::era::Era;
use crate::rt::clock;
use crate::rt::queue::{Sender, queue};
use crate::telemetry::event::{Event, Events};

/// A server that is reached over HTTP. It may speak both eras at once, so there is a conversation
/// for each that a client asks for and the server knows.
pub(crate) struct Remote {
    client: Option<reqwest::Client>,
    address: Address,
    keeping: Keeping,
    events: Events,
    /// Where what it says goes, until we stop.
    inbox: Mutex<Option<Sender<Item>>>,
    known: Mutex<Known>,
    /// Held by whoever opens a conversation.
    opening: tokio::sync::Mutex<()>,
    /// Why the last opening failed, if it did.
    trouble: Mutex<Option<String>>,
}

/// What is known about the server.
#[derive(Default)]
struct Known {
    legacy: Spoken,
    modern: Spoken,
    n_opened: u64,
}

/// What is known about one era.
#[derive(Default, Clone)]
enum Spoken {
    /// Nobody has tried.
    #[default]
    Unknown,
    /// The server does not know it.
    No,
    /// It does, and this is the conversation.
    Yes(Arc<Talk>),
}

/// A conversation, and what listens in it. Dropped, it is over.
struct Talk {
    ready: Arc<Ready>,
    link: Arc<Link>,
    hearing: tokio::task::AbortHandle,
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.hearing.abort();
    }
}

/// Why a conversation was not opened.
enum NotOpened {
    /// The server is there, but does not know the era.
    Unspoken(Refusal),
    /// It cannot be asked at all now.
    Down(Box<Down>),
}

impl Remote {
    pub(super) fn new(address: Address, keeping: Keeping, events: Events) -> (Remote, Inbox) {
        let (inbox, items) = queue(keeping.queue_bytes_max);
        let client = client(&address);
        let remote = Remote {
            client,
            address,
            keeping,
            events,
            inbox: Mutex::new(Some(inbox)),
            known: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            trouble: Mutex::default(),
        };
        (remote, Inbox::new(items))
    }

    /// The conversation that suits whoever asks best, if there is one.
    pub(super) fn ready_now(&self, wanted: Option<Era>) -> Option<Arc<Ready>> {
        let known = self.known.lock().ok()?;
        let ready = |spoken: &Spoken| match spoken {
            Spoken::Yes(talk) if !talk.link.is_doubtful() => Some(Arc::clone(&talk.ready)),
            Spoken::Yes(_) | Spoken::Unknown | Spoken::No => None,
        };
        // The other one is good enough only if the wanted one cannot be had.
        let other = |spoken: &Spoken, wanted: &Spoken| {
            ready(spoken).filter(|_| matches!(wanted, Spoken::No))
        };
        match wanted {
            Some(Era::Legacy(_)) => {
                ready(&known.legacy).or_else(|| other(&known.modern, &known.legacy))
            }
            Some(Era::Modern) => {
                ready(&known.modern).or_else(|| other(&known.legacy, &known.modern))
            }
            None => ready(&known.modern).or_else(|| ready(&known.legacy)),
        }
    }

    /// The conversation that suits whoever asks best; it is opened if there is none.
    pub(super) async fn ready(&self, wanted: Option<Era>) -> Result<Arc<Ready>, Arc<Down>> {
        let _opening = self.opening.lock().await;
        // Somebody else may have opened it meanwhile.
        if let Some(ready) = self.ready_now(wanted) {
            return Ok(ready);
        }
        let opened = self.opened(Opening::for_client(wanted)).await;
        if let Ok(mut trouble) = self.trouble.lock() {
            *trouble = opened.as_ref().err().map(|down| down.reason.clone());
        }
        opened
    }

    /// Why the server cannot be asked now, if that is known.
    pub(super) fn trouble(&self) -> Option<String> {
        let known = self.known.lock().ok()?;
        let is_lost = |spoken: &Spoken| match spoken {
            Spoken::Yes(talk) => talk.link.is_unreachable(),
            Spoken::Unknown | Spoken::No => false,
        };
        if is_lost(&known.legacy) || is_lost(&known.modern) {
            return Some(format!("`{}` cannot be reached", self.address));
        }
        self.trouble.lock().ok()?.clone()
    }

    /// Forgets what is known about a server that may be another one by now.
    fn forget_if_doubtful(&self) {
        let is_doubtful = |spoken: &Spoken| match spoken {
            Spoken::Yes(talk) => talk.link.is_doubtful(),
            Spoken::Unknown | Spoken::No => false,
        };
        if let Ok(mut known) = self.known.lock()
            && (is_doubtful(&known.legacy) || is_doubtful(&known.modern))
        {
            *known = Known { n_opened: known.n_opened, ..Known::default() };
        }
    }

    async fn opened(&self, first: Opening) -> Result<Arc<Ready>, Arc<Down>> {
        self.forget_if_doubtful();
        let second = match first {
            Opening::Initialize => Opening::Discover,
            Opening::Discover => Opening::Initialize,
        };
        let mut why = None;
        for opening in [first, second] {
            match self.spoken(opening) {
                Spoken::Yes(talk) => return Ok(Arc::clone(&talk.ready)),
                Spoken::No => continue,
                Spoken::Unknown => {}
            }
            match self.open(opening).await {
                Ok(ready) => return Ok(ready),
                Err(NotOpened::Down(down)) => return Err(Arc::new(*down)),
                Err(NotOpened::Unspoken(refusal)) => {
                    self.note(opening, Spoken::No);
                    why.get_or_insert(refusal);
                }
            }
        }
        // It may be another server tomorrow.
        self.note(first, Spoken::Unknown);
        self.note(second, Spoken::Unknown);
        Err(Arc::new(self.not_spoken(why.as_ref())))
    }

    async fn open(&self, opening: Opening) -> Result<Arc<Ready>, NotOpened> {
        let started = clock::now();
        let (connection, link) = self.connection()?;
        let greeted = match opening {
            Opening::Initialize => {
                let greeting = Greeting::own(opening);
                link.open_session(&connection, &greeting).await
            }
            Opening::Discover => {
                let timeout = self.keeping.start_timeout.min(SILENCE);
                let asked = tokio::time::timeout(timeout, handshake::discover(&connection)).await;
                asked.unwrap_or(Err(Refusal::Silent(timeout)))
            }
        };
        let greeting = greeted.map_err(|refusal| self.not_opened(opening, refusal))?;
        let ready = Arc::new(Ready::new(connection, greeting));
        let n_earlier = self.known.lock().map_or(0, |mut known| {
            known.n_opened += 1;
            known.n_opened - 1
        });
        let duration = clock::now().saturating_duration_since(started);
        (self.events)(Event::Started { n_earlier, era: Some(ready.era.date()), duration });
        let heard = Arc::clone(&ready);
        let hearing = tokio::spawn(async move { changes::hear(&heard).await }).abort_handle();
        let talk = Talk { ready: Arc::clone(&ready), link, hearing };
        self.note(opening, Spoken::Yes(Arc::new(talk)));
        Ok(ready)
    }

    fn connection(&self) -> Result<(Arc<Connection>, Arc<Link>), NotOpened> {
        let stopped = || NotOpened::Down(Box::new(Down::stopped()));
        let inbox = self.inbox.lock().ok().and_then(|it| it.clone()).ok_or_else(stopped)?;
        let client = self.client.clone().ok_or_else(|| {
            NotOpened::Down(Box::new(Down::because("no HTTP client could be made")))
        })?;
        let link = Link::new(client, self.address.clone(), self.keeping.clone(), inbox);
        let link = Arc::new(link);
        let wire = Wire::Http(Arc::clone(&link));
        Ok((Arc::new(Connection::new(wire, Arc::clone(&self.events))), link))
    }

    /// Whether a refusal is about the era, or about everything.
    fn not_opened(&self, opening: Opening, refusal: Refusal) -> NotOpened {
        let down = |reason: String, was_run: bool| {
            let reason = self.keeping.rules.text(reason);
            NotOpened::Down(Box::new(Down { was_run, ..Down::because(reason) }))
        };
        match refusal {
            Refusal::Silent(timeout) if opening == Opening::Initialize => {
                down(format!("`{}` {}", self.address, handshake::no_answer(timeout)), true)
            }
            // To `initialize` it only says that the other opening is the right one.
            Refusal::Error(error)
                if opening == Opening::Discover && handshake::is_modern_only(&error) =>
            {
                let message = error.get("message");
                let message = message.as_ref().and_then(manila::RawJson::as_text);
                let message = message.unwrap_or_default();
                down(format!("`{}` refused our revision of MCP: {message}", self.address), true)
            }
            // What a server says that does not know the era; anything else may be other tomorrow.
            Refusal::Declined(Declined {
                status: Some(400 | 404 | 405 | 406 | 415 | 501), ..
            }) => NotOpened::Unspoken(refusal),
            Refusal::Declined(Declined { status, reason, .. }) => down(reason, status.is_some()),
            other @ (Refusal::Silent(_)
            | Refusal::Unusable(_)
            | Refusal::Error(_)
            | Refusal::Gone) => NotOpened::Unspoken(other),
        }
    }

    fn not_spoken(&self, why: Option<&Refusal>) -> Down {
        let reason = match why {
            Some(Refusal::Unusable(why)) => why.clone(),
            Some(Refusal::Declined(declined)) => declined.reason.clone(),
            Some(Refusal::Error(error)) => {
                let message = error.get("message");
                let message = message.as_ref().and_then(manila::RawJson::as_text);
                format!("`{}` refused: {}", self.address, message.unwrap_or_default())
            }
            Some(Refusal::Silent(_) | Refusal::Gone) | None => {
                format!("`{}` speaks no MCP that we know", self.address)
            }
        };
        let reason = self.keeping.rules.text(reason);
        (self.events)(Event::Ended { reason: reason.clone(), next_start: None });
        Down::because(reason)
    }

    fn spoken(&self, opening: Opening) -> Spoken {
        let known = self.known.lock().ok();
        known.map_or(Spoken::Unknown, |known| match opening {
            Opening::Initialize => known.legacy.clone(),
            Opening::Discover => known.modern.clone(),
        })
    }

    fn note(&self, opening: Opening, spoken: Spoken) {
        if let Ok(mut known) = self.known.lock() {
            match opening {
                Opening::Initialize => known.legacy = spoken,
                Opening::Discover => known.modern = spoken,
            }
        }
    }

    /// Ends all conversations. Whoever still waits is told, not left.
    pub(super) async fn stop(&self) {
        // From now on nothing new is opened.
        if let Ok(mut inbox) = self.inbox.lock() {
            *inbox = None;
        }
        let known = self.known.lock().map(|mut known| std::mem::take(&mut *known));
        let Known { legacy, modern, .. } = known.unwrap_or_default();
        for spoken in [legacy, modern] {
            let Spoken::Yes(talk) = spoken else { continue };
            talk.ready.connection.pending.end(Arc::new(Down::stopped()));
            talk.link.goodbye().await;
        }
    }
}

/// Who asks servers. Answers are taken from where they were asked for, and nowhere else: a
/// redirection could carry our credentials away.
fn client(address: &Address) -> Option<reqwest::Client> {
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    // Whoever uses this crate may have chosen another one already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .redirect(Policy::none())
        .tcp_nodelay(true)
        .connect_timeout(CONNECT_TIMEOUT);
    // What runs here is reached without anybody between.
    let builder = if address.is_here() { builder.no_proxy() } else { builder };
    builder.build().ok()
}
