//! The legacy handshake with a server.

use std::sync::Arc;
use std::time::Duration;

use manila::{JsonObject, RawJson};

use super::{Connection, Gone};
use crate::era::{Era, Revision};
use crate::jsonrpc;

/// What a client says when it opens a conversation: the server hears the same, also when it
/// is started again.
#[derive(Debug, Clone)]
pub(crate) struct Greeting {
    /// The parameters of `initialize`, as the client gave them.
    pub(crate) params: JsonObject,
    /// Whether the client has sent `notifications/initialized`.
    pub(crate) is_confirmed: bool,
}

/// Why a server did not come up.
pub(crate) enum Refusal {
    /// It died, or closed its output.
    Gone,
    /// It did not answer in time.
    Silent(Duration),
    /// It answered with an error.
    Error(RawJson),
}

/// Greets a server and gives its answer.
pub(super) async fn greet(
    connection: &Arc<Connection>,
    greeting: &Greeting,
    timeout: Duration,
) -> Result<RawJson, Refusal> {
    let asked = connection.ask("initialize", greeting.params.as_raw());
    let answered = async {
        let waiting = asked.await.map_err(gone)?;
        waiting.answer().await.map_err(gone)
    };
    let answer = tokio::time::timeout(timeout, answered).await;
    let response = answer.map_err(|_| Refusal::Silent(timeout))??;
    let result = response.answer.map_err(Refusal::Error)?;
    connection.learn(era_of(&result));
    if greeting.is_confirmed {
        let params = JsonObject::default();
        let frame = jsonrpc::notification("notifications/initialized", &params);
        connection.send(frame).await.map_err(gone)?;
    }
    Ok(result)
}

/// Why it is gone is found out where its process is watched.
fn gone(_: Gone) -> Refusal {
    Refusal::Gone
}

fn era_of(result: &RawJson) -> Era {
    let date = result.get("protocolVersion");
    let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    Era::Legacy(Revision::negotiated(&date))
}
