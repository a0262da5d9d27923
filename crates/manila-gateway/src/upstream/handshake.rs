//! Opening a conversation with a server, in the era that it speaks.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::json::Emit;
use manila::{JsonObject, RawJson};

use super::{Arrived, Connection, Declined, Gone};
use crate::protocol::era::{self, Era, Revision};
use crate::protocol::jsonrpc;

/// How a conversation is opened. A server that does not know the one is tried with the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// By `initialize`.
    Initialize,
    /// By asking what the server is: `server/discover`.
    Discover,
}

impl Opening {
    /// The opening that suits a client of this era. Where nobody has said it, the newer one is
    /// tried first.
    pub(crate) fn for_client(era: Option<Era>) -> Opening {
        match era {
            Some(Era::Legacy(_)) => Opening::Initialize,
            Some(Era::Modern) | None => Opening::Discover,
        }
    }

    /// The era of servers that understand it.
    pub(crate) fn era(self) -> Era {
        match self {
            Opening::Initialize => Era::PLAINEST,
            Opening::Discover => Era::Modern,
        }
    }
}

/// What a server hears when a conversation is opened, also when it is started again.
#[derive(Debug, Clone)]
pub(crate) struct Greeting {
    /// What is tried first.
    pub(crate) opening: Opening,
    /// The parameters of `initialize`: as the client gave them, or ours.
    pub(crate) params: JsonObject,
    /// `notifications/initialized`, once the client has sent it.
    pub(crate) confirmation: Option<Bytes>,
}

impl Greeting {
    /// A greeting of our own, for a server that many clients share. It promises all that any
    /// of them may be able to do; whoever is not, declines.
    pub(crate) fn own(opening: Opening) -> Greeting {
        struct Abilities;
        impl Emit for Abilities {
            fn emit(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(br#"{"roots":{"listChanged":true},"sampling":{},"#);
                out.extend_from_slice(br#""elicitation":{"form":{},"url":{}}}"#);
            }
        }
        Greeting::with(opening, &Abilities)
    }

    /// A greeting of our own where there is no client that could be asked anything.
    pub(crate) fn for_nobody(opening: Opening) -> Greeting {
        Greeting::with(opening, &JsonObject::default())
    }

    fn with(opening: Opening, capabilities: &impl Emit) -> Greeting {
        let params = JsonObject::build(|object| {
            object.member("protocolVersion", Revision::LATEST.date());
            object.member("capabilities", capabilities);
            object.member("clientInfo", &era::OwnInfo);
        });
        let nothing = JsonObject::default();
        let confirmation = jsonrpc::notification("notifications/initialized", &nothing);
        Greeting { opening, params, confirmation: Some(confirmation) }
    }
}

/// Why a server did not come up.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It died, or closed a stream.
    Gone,
    /// It did not answer in time.
    Silent(Duration),
    /// Its answer cannot be used.
    Unusable(String),
    /// It answered with an error.
    Error(RawJson),
    /// It, or something before it, refused on HTTP, or it could not be reached.
    Declined(Declined),
}

/// Returns what a server did that was silent for too long.
pub(super) fn no_answer(timeout: Duration) -> String {
    format!("did not answer `initialize` within {timeout:?}")
}

/// How long a server may be silent about what it is before `initialize` is said to it, too.
pub(super) const SILENCE: Duration = Duration::from_secs(10);

/// Greets a server on its pipe, and gives its answer.
pub(super) async fn greet(
    connection: &Arc<Connection>,
    greeting: &Greeting,
    timeout: Duration,
) -> Result<RawJson, Refusal> {
    let greeted = async {
        match greeting.opening {
            Opening::Initialize => match initialize(connection, greeting).await {
                // Perhaps it is too new for that.
                Err(Refusal::Error(error)) => {
                    let discovered = tokio::time::timeout(SILENCE, discover(connection)).await;
                    match discovered {
                        Ok(Ok(result)) => Ok(result),
                        Ok(Err(_)) | Err(_) => Err(Refusal::Error(error)),
                    }
                }
                other => other,
            },
            Opening::Discover => discover_first(connection, greeting).await,
        }
    };
    tokio::time::timeout(timeout, greeted).await.unwrap_or(Err(Refusal::Silent(timeout)))
}

/// Asks a server what it is; whoever does not know that, or says nothing, is greeted.
async fn discover_first(
    connection: &Arc<Connection>,
    greeting: &Greeting,
) -> Result<RawJson, Refusal> {
    match tokio::time::timeout(SILENCE, discover(connection)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(Refusal::Gone)) => Err(Refusal::Gone),
        Ok(Err(Refusal::Error(error))) if is_modern_only(&error) => Err(Refusal::Error(error)),
        // It does not know that; or it is only slow to start, and its late answer is of no use.
        Ok(Err(_)) | Err(_) => initialize(connection, greeting).await,
    }
}

/// Whether an error is one of the modern era, of a server that knows no other.
pub(super) fn is_modern_only(error: &RawJson) -> bool {
    let number = error.get("code").and_then(|code| code.as_str().parse::<i64>().ok());
    let supported = error.get("data").and_then(|data| data.get("supported"));
    let mut supported = supported.iter().flat_map(RawJson::items);
    let is_legacy = |date: &str| Revision::ALL.iter().any(|it| it.date() == date);
    let has_legacy = supported.any(|date| date.as_text().is_some_and(|date| is_legacy(&date)));
    matches!(number, Some(-32022..=-32020)) && !has_legacy
}

/// Asks a server of the modern era what it is. One that refuses our revision, but says that it
/// speaks it, is asked again.
pub(super) async fn discover(connection: &Arc<Connection>) -> Result<RawJson, Refusal> {
    match learned(connection, ask_what_it_is(connection).await?) {
        Err(Refusal::Error(error)) if is_spoken_after_all(&error) => {
            learned(connection, ask_what_it_is(connection).await?)
        }
        other => other,
    }
}

fn is_spoken_after_all(error: &RawJson) -> bool {
    let supported = error.get("data").and_then(|data| data.get("supported"));
    let mut supported = supported.iter().flat_map(RawJson::items);
    supported.any(|date| date.as_text().is_some_and(|date| date == Era::Modern.date()))
}

async fn ask_what_it_is(connection: &Arc<Connection>) -> Result<Arrived, Refusal> {
    let params = era::modern_request(&JsonObject::default());
    let asked = connection.ask_in(Era::Modern, "server/discover", &params).await;
    let mut waiting = asked.map_err(|_: Gone| Refusal::Gone)?;
    waiting.arrived().await.map_err(|_: Gone| Refusal::Gone)
}

/// What a server says that it is, if it speaks our revision of the modern era.
fn learned(connection: &Arc<Connection>, arrived: Arrived) -> Result<RawJson, Refusal> {
    let result = result(arrived)?;
    let versions = result.get("supportedVersions");
    let mut versions = versions.iter().flat_map(RawJson::items);
    if versions.any(|date| date.as_text().is_some_and(|date| date == Era::Modern.date())) {
        connection.learn(Era::Modern);
        return Ok(result);
    }
    Err(Refusal::Unusable(format!("it does not speak MCP {}", Era::Modern)))
}

/// Greets a server of the legacy era.
pub(super) async fn initialize(
    connection: &Arc<Connection>,
    greeting: &Greeting,
) -> Result<RawJson, Refusal> {
    let asked = connection.ask_in(Era::PLAINEST, "initialize", &greeting.params).await;
    // Why it is gone is found out where its process is watched.
    let mut waiting = asked.map_err(|_: Gone| Refusal::Gone)?;
    let arrived = waiting.arrived().await.map_err(|_: Gone| Refusal::Gone)?;
    let result = result(arrived)?;
    connection.learn(era_of(&result));
    Ok(result)
}

fn result(arrived: Arrived) -> Result<RawJson, Refusal> {
    let result = match arrived {
        Arrived::Response(response) => response.answer.map_err(Refusal::Error)?,
        Arrived::TooLarge => return Err(Refusal::Unusable("it is too large".to_owned())),
        Arrived::Unusable(why) => return Err(Refusal::Unusable(why)),
        Arrived::Declined(declined) => return Err(Refusal::Declined(declined)),
        Arrived::AskedBack(method) => {
            return Err(Refusal::Unusable(format!("it asks back: `{method}`")));
        }
    };
    if JsonObject::new(result.clone()).is_none() {
        return Err(Refusal::Unusable("it must be an object".to_owned()));
    }
    Ok(result)
}

fn era_of(result: &RawJson) -> Era {
    let date = result.get("protocolVersion");
    let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    Era::Legacy(Revision::negotiated(&date))
}
