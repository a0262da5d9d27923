//! A pack as an MCP server over stdio, for use only by the gateway that starts it.
//!
//! Its responses are observations, which only a gateway can read. They have not been redacted, cut
//! or put into an envelope yet, so no other client should connect to it.

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
use super::progress::Progress;

/// The member of a result's `_meta` that holds the observation of a call.
pub const OBSERVATION: &str = "dev.manila/observation";

/// Maximum size of a message that is read.
const MESSAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The number of messages that may wait to be written.
const QUEUED_MESSAGES_MAX: usize = 64;

/// Time for open calls to end when serving ends.
const GRACE: Duration = Duration::from_secs(2);

/// The open calls, by their request ids as written.
type OpenCalls = Arc<Mutex<HashMap<String, Arc<Notify>>>>;

struct Session {
    worker: Arc<Worker>,
    out: mpsc::Sender<Bytes>,
    open: OpenCalls,
}

/// The first argument of a process that serves a pack.
pub(super) const PACK_COMMAND: &str = "__pack";

/// Serves a pack and returns the exit code of the process; `None` if the process was not started
/// for that.
pub fn serve_if_requested(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != PACK_COMMAND {
        return None;
    }
    let settings = arguments.next().unwrap_or_default();
    let served = Worker::from_json(&settings.to_string_lossy()).and_then(|worker| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let served = runtime.block_on(serve(worker));
        // A thread that waits for input must not delay the exit.
        runtime.shutdown_background();
        served.map_err(|error| error.to_string())
    });
    Some(match served {
        Ok(()) => 0,
        Err(error) => {
            // The gateway reports the last stderr lines of a server.
            let _ = writeln!(io::stderr(), "{error}");
            1
        }
    })
}

/// Serves until the input ends or a signal to stop arrives. Running programs are then stopped.
async fn serve(worker: Worker) -> io::Result<()> {
    let (out, messages) = mpsc::channel(QUEUED_MESSAGES_MAX);
    let writer = tokio::spawn(write_lines(stdio::output(), messages));
    let mut input = BufReader::new(stdio::input());
    let worker = Arc::new(worker);
    let session = Session { worker, out, open: OpenCalls::default() };
    let reading = async {
        while let Some(line) = read_line(&mut input).await? {
            match line {
                Line::Complete(line) => session.receive(line),
                Line::TooLong => session.refuse(None, Code::TooLarge),
            }
        }
        Ok::<(), io::Error>(())
    };
    tokio::select! {
        read = reading => read?,
        () = stop::wait_for_stop() => {}
    }
    for cancelled in session.open.lock().iter().flat_map(|open| open.values()) {
        cancelled.notify_one();
    }
    // The writer ends when the last call drops its sender.
    drop(session);
    match tokio::time::timeout(GRACE, writer).await {
        Ok(written) => written.map_err(io::Error::other)?,
        Err(_) => Ok(()),
    }
}

/// A line of the input.
enum Line {
    Complete(Bytes),
    /// A line over the limit, which was not kept.
    TooLong,
}

/// Reads a line, or returns `None` at the end of the input.
async fn read_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_kept = true;
    loop {
        let mut limited = (&mut *input).take(MESSAGE_BYTES_MAX);
        let n_read = limited.read_until(b'\n', &mut line).await?;
        let is_line_end = n_read == 0 || line.ends_with(b"\n");
        match (is_line_end, is_kept) {
            (true, true) if n_read == 0 && line.is_empty() => return Ok(None),
            (true, true) => return Ok(Some(Line::Complete(line.into()))),
            (true, false) => return Ok(Some(Line::TooLong)),
            (false, _) => {
                // A shorter read without a line break means that the input has ended; the next read
                // returns 0.
                is_kept = is_kept && (line.len() as u64) < MESSAGE_BYTES_MAX;
                if !is_kept {
                    line.clear();
                }
            }
        }
    }
}

/// Writes messages, each on its own line, until all senders are dropped.
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
            Ok(Message::Request(request)) => self.receive_request(request),
            Ok(Message::Notification(notification)) => self.receive_notification(&notification),
            // This server sends no requests.
            Ok(Message::Response(_)) => {}
            Err(_) => self.refuse(None, Code::InvalidEnvelope),
        }
    }

    fn receive_request(&self, request: Request) {
        match request.method.as_str() {
            "initialize" => self.respond(&request.id, &self.initialize_result(&request)),
            "ping" => self.respond(&request.id, &JsonObject::default()),
            "tools/list" => {
                let tools = self.worker.pack.tool_definitions();
                let list = JsonObject::build(|list| list.member("tools", &tools));
                self.respond(&request.id, &list);
            }
            "tools/call" => self.call(request),
            _ => self.refuse(Some(&request.id), Code::MethodNotFound),
        }
    }

    fn initialize_result(&self, request: &Request) -> JsonObject {
        let version = request.params.as_ref().and_then(|params| params.get("protocolVersion"));
        let version = version.as_ref().and_then(RawJson::as_text).unwrap_or_default().into_owned();
        // The list never changes. `listChanged` promises a notification of changes, so the gateway
        // may cache the list.
        let tools = JsonObject::build(|tools| tools.member("listChanged", &true));
        let capabilities = JsonObject::build(|object| object.member("tools", &tools));
        let info = JsonObject::build(|info| {
            info.member("name", &self.worker.pack.name);
            info.member("title", &self.worker.pack.about);
            info.member("version", env!("CARGO_PKG_VERSION"));
        });
        JsonObject::build(|result| {
            result.member("protocolVersion", &version);
            result.member("capabilities", &capabilities);
            result.member("serverInfo", &info);
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
            let on_progress = token.map(|token| {
                let out = out.clone();
                move |progress: Progress| {
                    // Progress is dropped if there is no room for it.
                    let _ = out.try_send(progress_notification(&token, &progress));
                }
            });
            let cancelled = cancellation.notified();
            let observation = worker.call(&name, &arguments, on_progress, cancelled).await;
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
            // A closed output means that no client waits for the response.
            let _ = out.send(jsonrpc::result(&request.id, &result)).await;
        });
    }

    fn receive_notification(&self, notification: &Notification) {
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

    fn respond(&self, id: &RawJson, result: &JsonObject) {
        // The response is dropped if the client does not read.
        let _ = self.out.try_send(jsonrpc::result(id, result));
    }

    fn refuse(&self, id: Option<&RawJson>, code: Code) {
        let _ = self.out.try_send(jsonrpc::error(id, &code.jsonrpc_error_mcp(None, &[])));
    }
}

fn progress_notification(token: &RawJson, progress: &Progress) -> Bytes {
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
