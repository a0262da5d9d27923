//! A pack as an MCP server over stdio, for the gateway in front of it.
//!
//! What it answers is an observation, which only a gateway can read: it has not been redacted, cut
//! or put into an envelope yet. So nobody else should be in front of it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use manila::request_envelope::{Message, Notification, Request};
use manila::stage::validate::{ParsedCall, validate};
use manila::{Code, JsonObject, RawJson, jsonrpc};
use manila_process::os::{Target, stdio, stop};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc};

use super::Worker;
use super::report::Progress;

/// The member of a result's `_meta` that holds the observation of a call.
pub const OBSERVATION: &str = "dev.manila/observation";

/// The largest message that is read.
const MESSAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The number of messages that may wait to be written.
const MESSAGES_MAX: usize = 64;

/// How long what is open has to end when serving does.
const GRACE: Duration = Duration::from_secs(2);

/// Calls that are open, by their ids as they were written.
type Open = Arc<Mutex<HashMap<String, Arc<Notify>>>>;

struct Session {
    worker: Arc<Worker>,
    out: mpsc::Sender<Bytes>,
    open: Open,
}

/// The first argument of a process that works for a pack.
pub(super) const MARK: &str = "__pack";

/// Takes over if this process was started to work for a pack. `Some` is the exit code.
pub fn dispatch(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
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
    let (out, outbox) = mpsc::channel(MESSAGES_MAX);
    let writer = tokio::spawn(write_lines(stdio::output(), outbox));
    let mut input = BufReader::new(stdio::input());
    let worker = Arc::new(worker);
    let session = Session { worker, out, open: Open::default() };
    let reading = async {
        while let Some(line) = read_line(&mut input).await? {
            match line {
                Line::Whole(line) => session.receive(line),
                Line::TooLong => session.refuse(None, Code::TooLarge),
            }
        }
        Ok::<(), io::Error>(())
    };
    tokio::select! {
        read = reading => read?,
        () = stop::asked() => {}
    }
    for cancelled in session.open.lock().iter().flat_map(|open| open.values()) {
        cancelled.notify_one();
    }
    // With the last call gone, the writer ends when everything is written.
    drop(session);
    match tokio::time::timeout(GRACE, writer).await {
        Ok(written) => written.map_err(io::Error::other)?,
        Err(_) => Ok(()),
    }
}

/// A line of the input.
enum Line {
    Whole(Bytes),
    /// It is over the limit, and was not kept.
    TooLong,
}

/// Reads a line, or returns `None` at the end of the input.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_kept = true;
    loop {
        let mut limited = (&mut *input).take(MESSAGE_BYTES_MAX);
        let n_read = limited.read_until(b'\n', &mut line).await?;
        let is_over = n_read == 0 || line.ends_with(b"\n");
        match (is_over, is_kept) {
            (true, true) if n_read == 0 && line.is_empty() => return Ok(None),
            (true, true) => return Ok(Some(Line::Whole(line.into()))),
            (true, false) => return Ok(Some(Line::TooLong)),
            (false, _) => {
                // Less than the limit without a line end is the end of the input.
                is_kept = is_kept && (line.len() as u64) < MESSAGE_BYTES_MAX;
                if !is_kept {
                    line.clear();
                }
            }
        }
    }
}

/// Writes messages, each on a line of its own, until no more can come.
async fn write_lines(mut output: Target, mut messages: mpsc::Receiver<Bytes>) -> io::Result<()> {
    while let Some(message) = messages.recv().await {
        output.write_all(&message).await?;
        output.write_all(b"\n").await?;
        output.flush().await?;
    }
    Ok(())
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
        let asked = asked.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned();
        // It never changes, so whoever has listed it need not ask again.
        let tools = JsonObject::build(|tools| tools.member("listChanged", &true));
        let capabilities = JsonObject::build(|object| object.member("tools", &tools));
        let info = JsonObject::build(|info| {
            info.member("name", &self.worker.pack.name);
            info.member("title", &self.worker.pack.about);
            info.member("version", env!("CARGO_PKG_VERSION"));
        });
        JsonObject::build(|greeting| {
            greeting.member("protocolVersion", &asked);
            greeting.member("capabilities", &capabilities);
            greeting.member("serverInfo", &info);
        })
    }

    fn call(&self, request: Request) {
        let Ok(ParsedCall { name, arguments, meta, .. }) = validate(&request) else {
            return self.refuse(Some(&request.id), Code::InvalidToolInput);
        };
        let arguments = arguments.and_then(JsonObject::new).unwrap_or_default();
        let token = meta.and_then(|meta| meta.get("progressToken"));
        let cancellation = Arc::new(Notify::new());
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
                    let _ = out.try_send(told(&token, &progress));
                }
            });
            let cancelled = cancellation.notified();
            let observation = worker.call(&name, &arguments, told, cancelled).await;
            if let Ok(mut open) = open.lock() {
                open.remove(&key);
            }
            let meta = JsonObject::build(|meta| {
                meta.member(OBSERVATION, &observation.to_json());
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
            cancellation.notify_one();
        }
    }

    fn answer(&self, id: &RawJson, result: &JsonObject) {
        // A client that does not read is not served.
        let _ = self.out.try_send(jsonrpc::result(id, result));
    }

    fn refuse(&self, id: Option<&RawJson>, code: Code) {
        let _ = self.out.try_send(jsonrpc::error(id, &code.jsonrpc_error_mcp(None, &[])));
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
