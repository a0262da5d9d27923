//! A pack as an MCP server over stdio, for the gateway in front of it.
//!
//! What it answers is an observation, which only a gateway can read: it has not been redacted, cut or
//! put into an envelope yet. So nobody else should be in front of it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::{Code, JsonObject, RawJson};

use super::Worker;
use super::report::Progress;
use crate::cancellation::Cancellation;
use crate::era::Revision;
use crate::frames::{self, Frame, Frames};
use crate::jsonrpc::{self, Fault};
use crate::os::{stdio, stop};
use crate::own_meta;
use crate::queue::{Sender, queue};

/// The largest message that is read.
const FRAME_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How much may wait to be written.
const QUEUE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How long what is open has to end when serving does.
const GRACE: Duration = Duration::from_secs(2);

/// Calls that are open, by their ids as they were written.
type Open = Arc<Mutex<HashMap<String, Arc<Cancellation>>>>;

struct Session {
    worker: Arc<Worker>,
    out: Sender<Bytes>,
    open: Open,
}

/// The first argument of a process that works for a pack.
pub(super) const MARK: &str = "__pack";

/// Takes over if this process was started to work for a pack. `Some` is the exit code.
pub(crate) fn dispatch(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != MARK {
        return None;
    }
    let told = arguments.next().unwrap_or_default();
    let served = Worker::told(&told.to_string_lossy()).and_then(|worker| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let served = runtime.block_on(serve(worker));
        // A thread that waits for input must not keep us.
        runtime.shutdown_background();
        served.map_err(|error| error.to_string())
    });
    Some(match served {
        Ok(()) => 0,
        Err(why) => {
            // The gateway tells what a server says last.
            let _ = writeln!(io::stderr(), "{why}");
            1
        }
    })
}

/// Serves until the input ends or we are asked to stop. Programs that run then are ended.
async fn serve(worker: Worker) -> io::Result<()> {
    let (out, outbox) = queue(QUEUE_BYTES_MAX);
    let writer = tokio::spawn(frames::write_all(stdio::output(), outbox));
    let mut frames = Frames::new(stdio::input(), FRAME_BYTES_MAX);
    let worker = Arc::new(worker);
    let session = Session { worker, out, open: Open::default() };
    let reading = async {
        while let Some(frame) = frames.next().await? {
            match frame {
                Frame::Line(line) | Frame::Rest(line) => session.receive(line),
                Frame::TooLong(_) => session.refuse(None, Code::TooLarge),
            }
        }
        Ok::<(), io::Error>(())
    };
    tokio::select! {
        read = reading => read?,
        () = stop::asked() => {}
    }
    for cancellation in session.open.lock().iter().flat_map(|open| open.values()) {
        cancellation.cancel(JsonObject::default());
    }
    // With the last call gone, the writer ends when everything is written.
    drop(session);
    match tokio::time::timeout(GRACE, writer).await {
        Ok(written) => written.map_err(io::Error::other)?,
        Err(_) => Ok(()),
    }
}

impl Session {
    fn receive(&self, line: Bytes) {
        match Message::from_json(line) {
            Ok(Message::Request(request)) => self.request(request),
            Ok(Message::Notification(notification)) => self.notice(&notification),
            // Nothing is asked of the client.
            Ok(Message::Response(_)) => {}
            Err(_) => self.refuse(None, Code::InvalidEnvelope),
        }
    }

    fn request(&self, request: Request) {
        match request.method.as_str() {
            "initialize" => self.answer(&request.id, &self.greeting(&request)),
            "ping" => self.answer(&request.id, &JsonObject::default()),
            "tools/list" => {
                let tools = self.worker.pack.listed();
                let list = JsonObject::build(|list| list.member("tools", &tools));
                self.answer(&request.id, &list);
            }
            "tools/call" => self.call(request),
            _ => self.refuse(Some(&request.id), Code::MethodNotFound),
        }
    }

    fn greeting(&self, request: &Request) -> JsonObject {
        let asked = request.params.as_ref().and_then(|params| params.get("protocolVersion"));
        let asked = asked.as_ref().and_then(RawJson::as_text).unwrap_or_default();
        // It never changes, so whoever has listed it need not ask again.
        let tools = JsonObject::build(|tools| tools.member("listChanged", &true));
        let capabilities = JsonObject::build(|object| object.member("tools", &tools));
        let info = JsonObject::build(|info| {
            info.member("name", &self.worker.pack.name);
            info.member("title", &self.worker.pack.about);
            info.member("version", env!("CARGO_PKG_VERSION"));
        });
        JsonObject::build(|greeting| {
            greeting.member("protocolVersion", Revision::negotiated(&asked).date());
            greeting.member("capabilities", &capabilities);
            greeting.member("serverInfo", &info);
        })
    }

    fn call(&self, request: Request) {
        let params = request.params.as_ref();
        let name = params.and_then(|params| params.get("name"));
        let name = name.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        let Some(name) = name else {
            return self.refuse(Some(&request.id), Code::InvalidToolInput);
        };
        let arguments = params.and_then(|params| params.get("arguments"));
        let arguments = arguments.and_then(JsonObject::new).unwrap_or_default();
        let token = params.and_then(|it| it.get("_meta")?.get("progressToken"));
        let cancellation = Arc::new(Cancellation::default());
        let key = request.id.to_string();
        if let Ok(mut open) = self.open.lock() {
            open.insert(key.clone(), Arc::clone(&cancellation));
        }
        let (worker, out, open) =
            (Arc::clone(&self.worker), self.out.clone(), Arc::clone(&self.open));
        tokio::spawn(async move {
            let told = token.map(|token| {
                let out = out.clone();
                move |progress: Progress| {
                    // Progress that finds no room is not worth waiting for.
                    let _ = out.push(told(&token, &progress));
                }
            });
            let cancelled = cancellation.cancelled();
            let observation = worker.call(&name, &arguments, told, cancelled).await;
            if let Ok(mut open) = open.lock() {
                open.remove(&key);
            }
            let meta = JsonObject::build(|meta| {
                meta.member(own_meta::OBSERVATION, &observation.to_json());
            });
            let result = JsonObject::build(|result| {
                result.member("content", &[] as &[RawJson]);
                result.member("_meta", &meta);
            });
            // Where nobody reads any more, nobody waits for it.
            let _ = out.send(jsonrpc::result(&request.id, &result)).await;
        });
    }

    fn notice(&self, notification: &Notification) {
        if notification.method != "notifications/cancelled" {
            return;
        }
        let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
        let open = self.open.lock().ok();
        let found = id.and_then(|id| open.as_ref()?.get(&id.to_string()).cloned());
        if let Some(cancellation) = found {
            cancellation.cancel(JsonObject::default());
        }
    }

    fn answer(&self, id: &RawJson, result: &JsonObject) {
        // A client that does not read is not served.
        let _ = self.out.push(jsonrpc::result(id, result));
    }

    fn refuse(&self, id: Option<&RawJson>, code: Code) {
        let _ = self.out.push(jsonrpc::error(id, &Fault::new(code)));
    }
}

fn told(token: &RawJson, progress: &Progress) -> Bytes {
    let Progress { done, total, message } = progress;
    let number = |number: f64| RawJson::of(&number).ok();
    let params = JsonObject::build(|params| {
        params.member("progressToken", token);
        params.member("progress", &number(*done));
        params.member("total", &total.and_then(number));
        params.member("message", message);
    });
    jsonrpc::notification("notifications/progress", &params)
}
