//! A small MCP server over stdio, written with the official Rust SDK.
//!
//! The tests run it behind `manila wrap`, as an example of a server that others write.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ProgressNotificationParam};
use rmcp::schemars::JsonSchema;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, Json, RoleServer, ServerHandler, ServiceExt, tool, tool_handler};
use serde::{Deserialize, Serialize};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    Server::default().serve(stdio()).await?.waiting().await?;
    Ok(())
}

/// The server, with the number of cancelled calls of `slow`.
#[derive(Clone, Default)]
struct Server {
    n_cancelled: Arc<AtomicU64>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Greet {
    /// Name of the person to greet.
    name: String,
}

/// Two numbers. They are part of the result too, so that its schema refers to a definition.
#[derive(Deserialize, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Terms {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Sum {
    sum: i64,
    terms: Terms,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
struct Slow {
    /// Duration in milliseconds.
    ms: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Waited {
    waited_ms: u64,
    /// Number of earlier calls that were cancelled, so that a client can verify a cancellation.
    n_cancelled: u64,
}

#[rmcp::tool_router]
impl Server {
    /// Greets a person by name.
    #[tool]
    fn greet(Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("Hello, {name}!")
    }

    /// Adds two numbers.
    #[tool]
    fn sum(Parameters(terms): Parameters<Terms>) -> Result<Json<Sum>, String> {
        let sum = terms.a.checked_add(terms.b).ok_or("the sum has more than 64 bits")?;
        Ok(Json(Sum { sum, terms }))
    }

    /// Always fails.
    #[tool]
    fn broken() -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text("the flux capacitor is broken")])
    }

    /// Waits, reports the start of each of ten steps, and can be cancelled.
    #[tool]
    async fn slow(
        &self,
        Parameters(Slow { ms }): Parameters<Slow>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<Waited>, ErrorData> {
        let token = context.meta.get_progress_token();
        for step in 1..=10 {
            if let Some(token) = &token {
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
                // A client that has disconnected needs no progress.
                let _ = context.peer.notify_progress(progress.with_total(10.0)).await;
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(ms) / 10) => {}
                () = context.ct.cancelled() => {
                    self.n_cancelled.fetch_add(1, Ordering::Relaxed);
                    return Err(ErrorData::internal_error("cancelled", None));
                }
            }
        }
        let n_cancelled = self.n_cancelled.load(Ordering::Relaxed);
        Ok(Json(Waited { waited_ms: ms, n_cancelled }))
    }
}

#[tool_handler(name = "rmcp-sample", version = "3.8", instructions = "Four tools to try.")]
impl ServerHandler for Server {}
