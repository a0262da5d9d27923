//! A client of the official Rust SDK, with a handler for notifications and server requests.
#![expect(deprecated, reason = "a later revision removes sampling, but clients offer it")]

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

use crate::mcp::{WAIT_MAX, manila_path};
use crate::program::root;

/// Awaits a future, and panics after a timeout.
#[track_caller]
pub(super) fn with_timeout<T>(future: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = Location::caller();
    // The SDK's futures are too large to pass by value.
    let future = Box::pin(future);
    async move {
        let done = tokio::time::timeout(WAIT_MAX, future).await;
        done.unwrap_or_else(|_| panic!("timed out at {caller}"))
    }
}

/// A notification or request from the server.
#[derive(Debug, PartialEq)]
pub(super) enum ServerEvent {
    Progress(ProgressNotificationParam),
    ToolsChanged,
    Question(String),
    Prompt(String),
}

/// The SDK's handler: it responds to requests, and sends all events to the test.
struct Handler {
    events: UnboundedSender<ServerEvent>,
}

impl Handler {
    fn record(&self, event: ServerEvent) {
        // The test may have ended.
        let _ = self.events.send(event);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_sampling().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.record(ServerEvent::Progress(params));
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.record(ServerEvent::ToolsChanged);
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        self.record(ServerEvent::Question(message));
        let answer = json!({"answer": "forty-two"});
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(answer))
    }

    async fn create_message(
        &self,
        params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let prompt = params.messages[0].content.first().unwrap().as_text().unwrap();
        self.record(ServerEvent::Prompt(prompt.text.clone()));
        let message = SamplingMessage::assistant_text("a poem");
        Ok(CreateMessageResult::new(message, "test-model".to_owned()))
    }
}

/// A client of the SDK, connected to a server behind `manila wrap`.
pub(super) struct Client {
    service: RunningService<RoleClient, Handler>,
    events: UnboundedReceiver<ServerEvent>,
}

impl Client {
    pub(super) async fn connect(server: &[&str], lifecycle: ClientLifecycleMode) -> Client {
        let mut command = tokio::process::Command::new(manila_path());
        command.args(["wrap", "--"]).args(server).current_dir(root());
        let spawned = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn();
        let (transport, _) = spawned.unwrap();
        let (sender, events) = unbounded_channel();
        let handler = Handler { events: sender };
        let service =
            with_timeout(handler.serve_with_lifecycle(transport, lifecycle)).await.unwrap();
        Client { service, events }
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
        with_timeout(self.service.call_tool(params(tool, arguments))).await
    }

    /// Calls a tool and returns its envelope, which is the same in both places.
    pub(super) async fn call(&self, tool: &'static str, arguments: &Value) -> Value {
        envelope(&self.try_call(tool, arguments).await.unwrap())
    }

    pub(super) async fn tools(&self) -> Vec<Tool> {
        with_timeout(self.service.list_all_tools()).await.unwrap()
    }

    /// Calls a tool and cancels the call at its first progress notification.
    pub(super) async fn call_and_cancel(&mut self, tool: &'static str, arguments: &Value) {
        let request = ClientRequest::CallToolRequest(Request::new(params(tool, arguments)));
        let options = PeerRequestOptions::no_options();
        let sent = self.service.send_cancellable_request(request, options);
        let handle = with_timeout(sent).await.unwrap();
        let ServerEvent::Progress(progress) = self.next_event().await else {
            panic!("no progress")
        };
        assert_eq!(progress.progress_token, handle.progress_token);
        with_timeout(handle.cancel(Some("changed my mind".to_owned()))).await.unwrap();
    }

    /// Calls a tool and drops the call at its first progress notification.
    pub(super) async fn call_and_drop(&mut self, tool: &'static str, arguments: &Value) {
        let call = self.service.call_tool(params(tool, arguments));
        let dropped = async {
            tokio::select! {
                result = call => panic!("the call completed: {result:?}"),
                event = self.events.recv() => event,
            }
        };
        assert!(matches!(with_timeout(dropped).await, Some(ServerEvent::Progress(_))));
    }

    pub(super) async fn next_event(&mut self) -> ServerEvent {
        with_timeout(self.events.recv()).await.expect("the handler lives as long as the client")
    }

    pub(super) fn info(&self) -> ServerPeerInfo {
        self.service.peer_info().unwrap().as_ref().clone()
    }

    /// Disconnects. The program must exit by itself before the SDK kills it after 3 s.
    pub(super) async fn end(self) {
        let ended = tokio::time::timeout(Duration::from_millis(2500), self.service.cancel());
        ended.await.expect("the program exits when its input ends").unwrap();
    }
}

fn params(tool: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone())
}

/// Returns the path of the example `rmcp_server`. A plain `cargo test` builds it, but
/// `cargo test NAME` does not.
pub(super) fn rmcp_server() -> String {
    let path = Path::new(manila_path()).with_file_name("examples").join("rmcp_server");
    let source = root().join("crates/manila-cli/examples/rmcp_server.rs");
    let modified = |path: &Path| std::fs::metadata(path).and_then(|it| it.modified()).ok();
    let is_fresh = modified(&path) >= modified(&source);
    assert!(is_fresh, "{} is missing or old\nhint: cargo build --examples", path.display());
    path.to_str().unwrap().to_owned()
}

/// Returns the envelope of a result, and checks that both places contain it.
#[track_caller]
pub(super) fn envelope(result: &CallToolResult) -> Value {
    let envelope = result.structured_content.clone().unwrap();
    assert_eq!(result.is_error, Some(envelope["success"] == false), "{envelope}");
    let text = &result.content[0].as_text().unwrap().text;
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), envelope);
    envelope
}
