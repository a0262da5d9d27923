//! Performs the handshake with a server, in an era that the server supports.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use manila::json::Emit;
use manila::{JsonObject, RawJson};

use super::{Connection, Disconnected, HttpFailure, UpstreamReply};
use crate::protocol::era::{self, Era, Revision};
use crate::protocol::jsonrpc;

/// The method of a handshake. If a server does not know one, the gateway tries the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandshakeMethod {
    /// `initialize`.
    Initialize,
    /// `server/discover`.
    Discover,
}

impl HandshakeMethod {
    /// Returns the method for a client of this era. Without a client, the newer one is tried first.
    pub(crate) fn for_client(era: Option<Era>) -> HandshakeMethod {
        match era {
            Some(Era::Legacy(_)) => HandshakeMethod::Initialize,
            Some(Era::Modern) | None => HandshakeMethod::Discover,
        }
    }

    /// Returns the era of servers that support the method.
    pub(crate) fn era(self) -> Era {
        match self {
            HandshakeMethod::Initialize => Era::FALLBACK,
            HandshakeMethod::Discover => Era::Modern,
        }
    }
}

/// A handshake, which the gateway repeats when it restarts the server.
#[derive(Debug, Clone)]
pub(crate) struct Handshake {
    /// The method to try first.
    pub(crate) method: HandshakeMethod,
    /// The parameters of `initialize`: the client's, or the gateway's.
    pub(crate) params: JsonObject,
    /// `notifications/initialized`, once the client has sent it.
    pub(crate) initialized_frame: Option<Bytes>,
}

impl Handshake {
    /// Creates the gateway's own handshake, for a server that many clients share. It declares every
    /// client capability; the gateway declines requests that a client does not support.
    pub(crate) fn own(method: HandshakeMethod) -> Handshake {
        struct AllCapabilities;
        impl Emit for AllCapabilities {
            fn emit(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(br#"{"roots":{"listChanged":true},"sampling":{},"#);
                out.extend_from_slice(br#""elicitation":{"form":{},"url":{}}}"#);
            }
        }
        Handshake::with(method, &AllCapabilities)
    }

    /// Creates the gateway's own handshake without client capabilities, for callers that cannot
    /// answer requests.
    pub(crate) fn without_client(method: HandshakeMethod) -> Handshake {
        Handshake::with(method, &JsonObject::default())
    }

    fn with(method: HandshakeMethod, capabilities: &impl Emit) -> Handshake {
        let params = JsonObject::build(|object| {
            object.member("protocolVersion", Revision::LATEST.date());
            object.member("capabilities", capabilities);
            object.member("clientInfo", &era::OwnInfo);
        });
        let nothing = JsonObject::default();
        let initialized_frame = jsonrpc::notification("notifications/initialized", &nothing);
        Handshake { method, params, initialized_frame: Some(initialized_frame) }
    }
}

/// The reason why a handshake failed.
#[derive(Debug)]
pub(crate) enum HandshakeError {
    /// The server exited, or closed a stream.
    Disconnected,
    /// The server did not respond in time.
    Silent(Duration),
    /// The response is invalid.
    Unusable(String),
    /// The server responded with an error.
    Error(RawJson),
    /// The server or a proxy refused the HTTP request, or could not be reached.
    HttpFailure(HttpFailure),
}

/// Describes a server that did not respond in time.
pub(super) fn describe_timeout(timeout: Duration) -> String {
    format!("did not complete the handshake within {timeout:?}")
}

/// How long the gateway waits for `server/discover` before it also sends `initialize`.
pub(super) const DISCOVER_TIMEOUT: Duration = Duration::from_secs(10);

/// Performs the handshake over a pipe, and returns the result.
pub(super) async fn perform_handshake(
    connection: &Arc<Connection>,
    handshake: &Handshake,
    timeout: Duration,
) -> Result<RawJson, HandshakeError> {
    let performed = async {
        match handshake.method {
            HandshakeMethod::Initialize => match initialize(connection, handshake).await {
                // The server may support only the modern era.
                Err(HandshakeError::Error(error)) => {
                    let discovered =
                        tokio::time::timeout(DISCOVER_TIMEOUT, discover(connection)).await;
                    match discovered {
                        Ok(Ok(result)) => Ok(result),
                        Ok(Err(_)) | Err(_) => Err(HandshakeError::Error(error)),
                    }
                }
                other => other,
            },
            HandshakeMethod::Discover => discover_first(connection, handshake).await,
        }
    };
    tokio::time::timeout(timeout, performed).await.unwrap_or(Err(HandshakeError::Silent(timeout)))
}

/// Sends `server/discover`, and `initialize` if the server does not know that or does not respond.
async fn discover_first(
    connection: &Arc<Connection>,
    handshake: &Handshake,
) -> Result<RawJson, HandshakeError> {
    match tokio::time::timeout(DISCOVER_TIMEOUT, discover(connection)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(HandshakeError::Disconnected)) => Err(HandshakeError::Disconnected),
        Ok(Err(HandshakeError::Error(error))) if is_modern_only(&error) => {
            Err(HandshakeError::Error(error))
        }
        // The server does not know the method, or starts slowly; its late response is ignored.
        Ok(Err(_)) | Err(_) => initialize(connection, handshake).await,
    }
}

/// Returns whether an error is that of a server that supports only the modern era.
pub(super) fn is_modern_only(error: &RawJson) -> bool {
    let number = error.get("code").and_then(|code| code.as_str().parse::<i64>().ok());
    let supported = error.get("data").and_then(|data| data.get("supported"));
    let mut supported = supported.iter().flat_map(RawJson::items);
    let is_legacy = |date: &str| Revision::ALL.iter().any(|it| it.date() == date);
    let has_legacy = supported.any(|date| date.as_text().is_some_and(|date| is_legacy(&date)));
    matches!(number, Some(-32022..=-32020)) && !has_legacy
}

/// Sends `server/discover`. If the server refuses the revision but lists it as supported, sends the
/// request again.
pub(super) async fn discover(connection: &Arc<Connection>) -> Result<RawJson, HandshakeError> {
    match parse_discovery(connection, send_discover(connection).await?) {
        Err(HandshakeError::Error(error)) if supports_our_revision(&error) => {
            parse_discovery(connection, send_discover(connection).await?)
        }
        other => other,
    }
}

fn supports_our_revision(error: &RawJson) -> bool {
    let supported = error.get("data").and_then(|data| data.get("supported"));
    let mut supported = supported.iter().flat_map(RawJson::items);
    supported.any(|date| date.as_text().is_some_and(|date| date == Era::Modern.date()))
}

async fn send_discover(connection: &Arc<Connection>) -> Result<UpstreamReply, HandshakeError> {
    let params = era::modern_params(&JsonObject::default());
    let sent = connection.send_request_in(Era::Modern, "server/discover", &params).await;
    let mut waiting = sent.map_err(|_: Disconnected| HandshakeError::Disconnected)?;
    waiting.wait().await.map_err(|_: Disconnected| HandshakeError::Disconnected)
}

/// Parses the result of `server/discover`, if the server supports the gateway's revision of the
/// modern era.
fn parse_discovery(
    connection: &Arc<Connection>,
    reply: UpstreamReply,
) -> Result<RawJson, HandshakeError> {
    let result = parse_result(reply)?;
    let versions = result.get("supportedVersions");
    let mut versions = versions.iter().flat_map(RawJson::items);
    if versions.any(|date| date.as_text().is_some_and(|date| date == Era::Modern.date())) {
        connection.set_era(Era::Modern);
        return Ok(result);
    }
    Err(HandshakeError::Unusable(format!("it does not support MCP {}", Era::Modern)))
}

/// Sends `initialize` to a server of the legacy era.
pub(super) async fn initialize(
    connection: &Arc<Connection>,
    handshake: &Handshake,
) -> Result<RawJson, HandshakeError> {
    let sent = connection.send_request_in(Era::FALLBACK, "initialize", &handshake.params).await;
    // The supervisor of the process determines the reason.
    let mut waiting = sent.map_err(|_: Disconnected| HandshakeError::Disconnected)?;
    let reply = waiting.wait().await.map_err(|_: Disconnected| HandshakeError::Disconnected)?;
    let result = parse_result(reply)?;
    connection.set_era(era_of(&result));
    Ok(result)
}

fn parse_result(reply: UpstreamReply) -> Result<RawJson, HandshakeError> {
    let result = match reply {
        UpstreamReply::Response(response) => response.answer.map_err(HandshakeError::Error)?,
        UpstreamReply::TooLarge => {
            return Err(HandshakeError::Unusable("it is too large".to_owned()));
        }
        UpstreamReply::Unusable(reason) => return Err(HandshakeError::Unusable(reason)),
        UpstreamReply::HttpFailure(failure) => {
            return Err(HandshakeError::HttpFailure(failure));
        }
        UpstreamReply::UnsupportedRequest(method) => {
            let reason = format!("the server requests `{method}` from the client");
            return Err(HandshakeError::Unusable(reason));
        }
    };
    if JsonObject::new(result.clone()).is_none() {
        return Err(HandshakeError::Unusable("it must be an object".to_owned()));
    }
    Ok(result)
}

fn era_of(result: &RawJson) -> Era {
    let date = result.get("protocolVersion");
    let date = date.as_ref().and_then(RawJson::as_text).unwrap_or_default();
    Era::Legacy(Revision::negotiate(&date))
}
