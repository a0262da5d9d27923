//! A client of the official Rust SDK, and what its handler answers and hears.
#![expect(deprecated, reason = "sampling goes away with a later revision, but clients offer it")]

use std::panic::Location;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ::rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationAction, ErrorData, Implementation, ProgressNotificationParam, Request,
    SamplingMessage, ServerPeerInfo, Tool,
};
use ::rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService};
use ::rmcp::transport::TokioChildProcess;
use ::rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceError};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::mcp::{PATIENCE, manila_path};
use crate::program::root;

/// Awaits, but not forever.
#[track_caller]
pub(super) fn soon<T>(future: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = Location::caller();
    // The SDK's futures are too large to be handed around.
    let future = Box::pin(future);
    async move {
        let done = tokio::time::timeout(PATIENCE, future).await;
        done.unwrap_or_else(|_| panic!("nothing came in time at {caller}"))
    }
}

/// What the server told or asked.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    Progress(ProgressNotificationParam),
    ToolsChanged,
    Question(String),
    Prompt(String),
}

/// The client's side of the conversation: it answers, and passes on what it heard.
struct Handler {
    heard: UnboundedSender<Heard>,
}

impl Handler {
    fn hear(&self, heard: Heard) {
        // A test that has ended listens no more.
        let _ = self.heard.send(heard);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_sampling().enable_elicitation().build();
        ClientConfig::new(can, Implementation::new("test", "1"))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.hear(Heard::Progress(params));
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.hear(Heard::ToolsChanged);
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.hear(Heard::Question(message));
        let answer = json!({"answer": "forty-two"});
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(answer))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let prompt = params.messages[0].content.first().unwrap().as_text().unwrap();
        self.hear(Heard::Prompt(prompt.text.clone()));
        let message = SamplingMessage::assistant_text("a poem");
        Ok(CreateMessageResult::new(message, "test-model".to_owned()))
    }
}

/// A client of the SDK, connected to a server behind `manila wrap`.
pub(super) struct Client {
    service: RunningService<RoleClient, Handler>,
    heard: UnboundedReceiver<Heard>,
}

impl Client {
    pub(super) async fn connect(server: &[&str], lifecycle: ClientLifecycleMode) -> Client {
        let mut command = tokio::process::Command::new(manila_path());
        command.args(["wrap", "--"]).args(server).current_dir(root());
        let spawned = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
        let (transport, _) = spawned.unwrap();
        let (sender, heard) = unbounded_channel();
        let handler = Handler { heard: sender };
        let service = soon(handler.serve_with_lifecycle(transport, lifecycle)).await.unwrap();
        Client { service, heard }
    }

    pub(super) async fn of_sample() -> Client {
        let server = [manila_path(), "sample-server"];
        Client::connect(&server, ClientLifecycleMode::Initialize).await
    }

    pub(super) async fn of_rmcp() -> Client {
        Client::connect(&[&rmcp_server()], ClientLifecycleMode::Initialize).await
    }

    pub(super) async fn try_call(
        &self,
        tool: &'static str,
        arguments: &Value,
    ) -> Result<CallToolResult, ServiceError> {
        soon(self.service.call_tool(params(tool, arguments))).await
    }

    /// Calls a tool and gives its envelope, which stands in both places.
    pub(super) async fn call(&self, tool: &'static str, arguments: &Value) -> Value {
        envelope(&self.try_call(tool, arguments).await.unwrap())
    }

    pub(super) async fn tools(&self) -> Vec<Tool> {
        soon(self.service.list_all_tools()).await.unwrap()
    }

    /// Calls a tool and cancels the call as soon as its first progress is heard.
    pub(super) async fn call_and_cancel(&mut self, tool: &'static str, arguments: &Value) {
        let request = ClientRequest::CallToolRequest(Request::new(params(tool, arguments)));
        let options = PeerRequestOptions::no_options();
        let sent = self.service.send_cancellable_request(request, options);
        let handle = soon(sent).await.unwrap();
        let Heard::Progress(progress) = self.hear().await else { panic!("no progress") };
        assert_eq!(progress.progress_token, handle.progress_token);
        soon(handle.cancel(Some("changed my mind".to_owned()))).await.unwrap();
    }

    /// Calls a tool and drops the call as soon as its first progress is heard.
    pub(super) async fn call_and_drop(&mut self, tool: &'static str, arguments: &Value) {
        let call = self.service.call_tool(params(tool, arguments));
        let dropped = async {
            tokio::select! {
                answer = call => panic!("answered: {answer:?}"),
                heard = self.heard.recv() => heard,
            }
        };
        assert!(matches!(soon(dropped).await, Some(Heard::Progress(_))));
    }

    pub(super) async fn hear(&mut self) -> Heard {
        soon(self.heard.recv()).await.expect("the handler is there as long as the client")
    }

    pub(super) fn info(&self) -> ServerPeerInfo {
        self.service.peer_info().unwrap().as_ref().clone()
    }

    /// Hangs up; the program ends by itself, before the SDK loses patience and kills it (3 s).
    pub(super) async fn end(self) {
        let ended = tokio::time::timeout(Duration::from_millis(2500), self.service.cancel());
        ended.await.expect("the program ends when its input ends").unwrap();
    }
}

fn params(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

/// The example of that name, which a plain `cargo test` builds, but `cargo test NAME` does not.
pub(super) fn rmcp_server() -> String {
    let path = Path::new(manila_path()).with_file_name("examples").join("rmcp_server");
    let source = root().join("crates/manila-cli/examples/rmcp_server.rs");
    let modified = |path: &Path| std::fs::metadata(path).and_then(|it| it.modified()).ok();
    let is_fresh = modified(&path) >= modified(&source);
    assert!(is_fresh, "{} is missing or old\nhint: cargo build --examples", path.display());
    path.to_str().unwrap().to_owned()
}

#[track_caller]
pub(super) fn envelope(result: &CallToolResult) -> Value {
    let envelope = result.structured_content.clone().unwrap();
    assert_eq!(result.is_error, Some(envelope["success"] == false), "{envelope}");
    let text = &result.content[0].as_text().unwrap().text;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), envelope);
    envelope
}
