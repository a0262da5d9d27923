//! The legacy handshake with a server.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::{JsonObject, RawJson};

use super::{Arrived, Connection, Gone};
use crate::era::{Era, Revision};

/// What a client says when it opens a conversation: the server hears the same, also when it
/// is started again.
#[derive(Debug, Clone)]
pub(crate) struct Greeting {
    /// The parameters of `initialize`, as the client gave them.
    pub(crate) params: JsonObject,
    /// The client's `notifications/initialized`, once it has sent it.
    pub(crate) confirmation: Option<Bytes>,
}

/// Why a server did not come up.
pub(crate) enum Refusal {
    /// It died, or closed a stream.
    Gone,
    /// It did not answer in time.
    Silent(Duration),
    /// Its answer cannot be used.
    Unusable(String),
    /// It answered with an error.
    Error(RawJson),
}

/// Greets a server and gives its answer.
pub(super) async fn greet(
    connection: &Arc<Connection>,
    greeting: &Greeting,
    timeout: Duration,
) -> Result<RawJson, Refusal> {
    let answered = async {
        let mut waiting = connection.ask("initialize", greeting.params.as_raw()).await?;
        waiting.arrived().await
    };
    let answered = tokio::time::timeout(timeout, answered).await;
    // Why it is gone is found out where its process is watched.
    let arrived =
        answered.map_err(|_| Refusal::Silent(timeout))?.map_err(|_: Gone| Refusal::Gone)?;
    let result = match arrived {
        Arrived::Response(response) => response.answer.map_err(Refusal::Error)?,
        Arrived::TooLarge => return Err(Refusal::Unusable("it is too large".to_owned())),
        Arrived::Unusable(why) => return Err(Refusal::Unusable(why)),
    };
    if JsonObject::new(result.clone()).is_none() {
        return Err(Refusal::Unusable("it must be an object".to_owned()));
    }
    connection.learn(era_of(&result));
    Ok(result)
}

fn era_of(result: &RawJson) -> Era {
    let date = result.get("protocolVersion");
    let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    Era::Legacy(Revision::negotiated(&date))
}
