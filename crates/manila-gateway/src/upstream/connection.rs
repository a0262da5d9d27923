//! One conversation with a running server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request, Response};
use manila::{JsonObject, RawJson};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::pending::{Arrived, Pending};
use super::{Down, Gone, Waiting};
use crate::cancellation::Cancellation;
use crate::clock;
use crate::era::Era;
use crate::event::{Event, Events};
use crate::frames::{Frame, Frames};
use crate::jsonrpc;
use crate::os::Source;

/// What the server says on its own.
pub(crate) enum FromUpstream {
    /// It tells something.
    Notification(Notification),
    /// It asks something. The answer goes to this connection.
    Request(Request, Arc<Connection>),
    /// It was started again.
    Restarted,
}

/// One conversation with a running server.
pub(crate) struct Connection {
    to_server: mpsc::Sender<Bytes>,
    pub(super) pending: Pending,
    next_id: AtomicU64,
    era: OnceLock<Era>,
    /// When progress was last reported, by token.
    progress: Mutex<HashMap<Bytes, Instant>>,
    /// How many of the server's own questions are open.
    n_questions: AtomicUsize,
}

impl Connection {
    pub(super) fn new(to_server: mpsc::Sender<Bytes>) -> Connection {
        Connection {
            to_server,
            pending: Pending::default(),
            next_id: AtomicU64::new(1),
            era: OnceLock::new(),
            progress: Mutex::default(),
            n_questions: AtomicUsize::new(0),
        }
    }

    /// Asks something of our own.
    pub(crate) async fn ask(
        self: &Arc<Connection>,
        method: &str,
        params: &RawJson,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = jsonrpc::request(id, method, params);
        self.request(id, frame, None, Arc::default()).await
    }

    /// Hands a client's request on, with an id of ours.
    pub(crate) async fn forward(
        self: &Arc<Connection>,
        request: &Request,
        cancellation: Arc<Cancellation>,
    ) -> Result<Waiting, Gone> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = jsonrpc::with_id(&request.frame, &request.id, id.to_string().as_bytes());
        let token = request.params.as_ref().and_then(progress_token);
        self.request(id, frame, token, cancellation).await
    }

    async fn request(
        self: &Arc<Connection>,
        id: u64,
        frame: Bytes,
        progress_token: Option<Bytes>,
        cancellation: Arc<Cancellation>,
    ) -> Result<Waiting, Gone> {
        let receiver = self.pending.add(id)?;
        if let (Some(token), Ok(mut progress)) = (&progress_token, self.progress.lock()) {
            progress.insert(token.clone(), clock::now());
        }
        let connection = Arc::clone(self);
        // From here on, whoever stops waiting is forgotten.
        let waiting =
            Waiting { connection, id, receiver, is_over: false, progress_token, cancellation };
        self.send(frame).await?;
        Ok(waiting)
    }

    /// Sends a message as it is.
    pub(crate) async fn send(&self, frame: Bytes) -> Result<(), Gone> {
        self.to_server.send(frame).await.map_err(|_| self.why_gone())
    }

    /// Answers a question of the server's.
    pub(crate) async fn answer(&self, frame: Bytes) {
        self.n_questions.fetch_sub(1, Ordering::Relaxed);
        // A server that is gone needs no answer.
        let _ = self.send(frame).await;
    }

    pub(super) fn cancelled(&self, id: u64, reason: Option<&RawJson>) {
        let params = JsonObject::build(|object| {
            object.member("requestId", &id);
            object.member("reason", &reason);
        });
        let frame = jsonrpc::notification("notifications/cancelled", &params);
        // A server that does not even read its input will not hear of it.
        let _ = self.to_server.try_send(frame);
    }

    /// Remembers how the server speaks.
    pub(super) fn learn(&self, era: Era) {
        let _ = self.era.set(era);
    }

    /// How the server speaks, once it has been greeted.
    pub(super) fn era(&self) -> Option<Era> {
        self.era.get().copied()
    }

    pub(super) fn why_gone(&self) -> Gone {
        self.pending.gone().unwrap_or_else(|| {
            let reason = "the server's connection has ended".to_owned();
            Gone(Arc::new(Down { reason, last_words: Vec::new(), next_start: None }))
        })
    }

    /// When the server last gave a sign of life: progress, or a question that is still open.
    pub(super) fn last_sign(&self, token: Option<&Bytes>) -> Option<Instant> {
        if self.n_questions.load(Ordering::Relaxed) > 0 {
            return Some(clock::now());
        }
        self.progress.lock().ok()?.get(token?).copied()
    }

    pub(super) fn end_progress(&self, token: &Bytes) {
        if let Ok(mut progress) = self.progress.lock() {
            progress.remove(token);
        }
    }

    /// Reads what the server says, until it says no more.
    pub(super) async fn listen(
        self: &Arc<Connection>,
        stdout: Source,
        frame_bytes_max: usize,
        inbox: &mpsc::Sender<FromUpstream>,
        events: &Events,
    ) {
        let mut frames = Frames::new(stdout, frame_bytes_max);
        let mut complaints = Complaints { n_made: 0, events };
        while let Ok(Some(frame)) = frames.next().await {
            let message = match frame {
                Frame::Line(line) => Message::from_json(line.clone()).map_err(|refused| {
                    // Whoever waits for this answer learns that it is of no use.
                    let seen = crate::skim::Skim::whole(&line);
                    (seen, refused.violation.to_string())
                }),
                Frame::TooLong(seen) => {
                    Err((seen, format!("a message of more than {frame_bytes_max} bytes")))
                }
            };
            match message {
                Ok(Message::Response(response)) => self.responded(response, &mut complaints),
                Ok(Message::Notification(notification)) => {
                    self.note_progress(&notification);
                    if inbox.send(FromUpstream::Notification(notification)).await.is_err() {
                        return;
                    }
                }
                Ok(Message::Request(request)) => {
                    self.n_questions.fetch_add(1, Ordering::Relaxed);
                    let asked = FromUpstream::Request(request, Arc::clone(self));
                    if inbox.send(asked).await.is_err() {
                        return;
                    }
                }
                Err((seen, what)) => {
                    let id = seen.id.filter(|_| seen.is_answer).and_then(|id| number(&id));
                    let is_awaited = id.is_some_and(|id| {
                        let arrived = if what.starts_with("a message of more") {
                            Arrived::TooLarge
                        } else {
                            Arrived::Unusable(what.clone())
                        };
                        self.pending.arrived(id, arrived)
                    });
                    if !is_awaited {
                        complaints.make(&what);
                    }
                }
            }
        }
    }

    fn responded(&self, response: Response, complaints: &mut Complaints<'_>) {
        let id = response.id.as_ref().and_then(number);
        let is_awaited = id.is_some_and(|id| self.pending.arrived(id, Arrived::Response(response)));
        if !is_awaited {
            complaints.make("an answer to no open request");
        }
    }

    fn note_progress(&self, notification: &Notification) {
        if notification.method != "notifications/progress" {
            return;
        }
        let token = notification.params.as_ref().and_then(|params| params.get("progressToken"));
        if let (Some(token), Ok(mut progress)) = (token, self.progress.lock())
            && let Some(last) = progress.get_mut(&token.compact())
        {
            *last = clock::now();
        }
    }
}

/// The token under which a caller wants to hear of progress, as it was written.
fn progress_token(params: &JsonObject) -> Option<Bytes> {
    Some(params.get("_meta")?.get("progressToken")?.compact())
}

fn number(id: &RawJson) -> Option<u64> {
    id.as_str().parse().ok()
}

/// A server that talks nonsense is told of a few times, then at ever longer intervals.
struct Complaints<'a> {
    n_made: u64,
    events: &'a Events,
}

impl Complaints<'_> {
    fn make(&mut self, what: &str) {
        self.n_made += 1;
        if self.n_made.is_power_of_two() {
            let n_made = self.n_made;
            (self.events)(Event::Unusable(format!("{what} (number {n_made} of its kind)")));
        }
    }
}
