//! Clients of the modern era: each request declares its client's capabilities and revision.

use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use crate::protocol::caller::ClientInfo;
use crate::protocol::era::{self, Era, Revision, meta};

/// The methods of the legacy era that the modern era does not have.
const REMOVED: [&str; 7] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/result",
];

/// Returns whether a method exists only in the legacy era.
pub(crate) fn is_removed(method: &str) -> bool {
    REMOVED.contains(&method)
}

/// Returns whether a request is one of the modern era. `version` is the revision that its transport
/// declares, if any.
pub(crate) fn is_modern(request: &Request, version: Option<&str>) -> bool {
    let is_not_legacy =
        version.is_some_and(|date| !Revision::ALL.iter().any(|it| it.date() == date));
    is_not_legacy || request.method == "server/discover" || has_version(request)
}

/// Returns whether a request declares its revision, as all requests of the modern era do.
pub(crate) fn has_version(request: &Request) -> bool {
    request.meta.as_ref().is_some_and(|meta| meta.get(meta::PROTOCOL_VERSION).is_some())
}

/// A violation of the protocol by a request, with the error number that MCP defines for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtocolViolation {
    pub(crate) number: i64,
    pub(crate) message: String,
    data: Option<JsonObject>,
}

impl ProtocolViolation {
    /// Creates the error for a header that is missing or contradicts the message.
    pub(crate) fn header(message: impl Into<String>) -> ProtocolViolation {
        ProtocolViolation { number: -32020, message: message.into(), data: None }
    }

    fn meta(key: &str, rule: &str) -> ProtocolViolation {
        let message = format!("Invalid params: _meta[\"{key}\"] {rule}");
        ProtocolViolation { number: -32602, message, data: None }
    }

    /// Creates the error for a revision that the gateway does not support.
    pub(crate) fn version(requested: &str) -> ProtocolViolation {
        let data = JsonObject::build(|object| {
            object.member("supported", &Era::dates());
            object.member("requested", requested);
        });
        let message = "Unsupported protocol version".to_owned();
        ProtocolViolation { number: -32022, message, data: Some(data) }
    }
}

impl Emit for ProtocolViolation {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.member("code", &self.number);
        object.member("message", self.message.as_str());
        object.member("data", &self.data);
        object.end();
    }
}

/// The client's declarations in the `_meta` of a request.
#[derive(Default)]
pub(crate) struct RequestMeta {
    pub(crate) version: Option<String>,
    capabilities: Option<RawJson>,
    implementation: Option<RawJson>,
    log_level: Option<RawJson>,
}

impl RequestMeta {
    pub(crate) fn of(request: &Request) -> RequestMeta {
        let mut found = RequestMeta::default();
        for member in request.meta.iter().flat_map(RawJson::members) {
            match &*member.key() {
                meta::PROTOCOL_VERSION => {
                    found.version = member.value().as_text().map(std::borrow::Cow::into_owned);
                }
                meta::CLIENT_CAPABILITIES => found.capabilities = Some(member.value()),
                meta::CLIENT_INFO => found.implementation = Some(member.value()),
                meta::LOG_LEVEL => found.log_level = Some(member.value()),
                _ => {}
            }
        }
        found
    }

    /// Returns the client's declarations, or fails if a required one is missing or invalid.
    pub(crate) fn into_client_info(self) -> Result<ClientInfo, ProtocolViolation> {
        let RequestMeta { version, capabilities, implementation, log_level } = self;
        let version = version
            .ok_or_else(|| ProtocolViolation::meta(meta::PROTOCOL_VERSION, "is required"))?;
        if version != Era::Modern.date() {
            return Err(ProtocolViolation::version(&version));
        }
        let capabilities = capabilities
            .ok_or_else(|| ProtocolViolation::meta(meta::CLIENT_CAPABILITIES, "is required"))
            .map(JsonObject::new)?
            .ok_or_else(|| {
                ProtocolViolation::meta(meta::CLIENT_CAPABILITIES, "must be an object")
            })?;
        let is_level = |level: &RawJson| level.as_text().is_some_and(|name| era::is_level(&name));
        if log_level.as_ref().is_some_and(|level| !is_level(level)) {
            let rule = "must be the name of a log level";
            return Err(ProtocolViolation::meta(meta::LOG_LEVEL, rule));
        }
        let capabilities = Some(capabilities);
        Ok(ClientInfo { era: Era::Modern, capabilities, implementation, log_level })
    }
}
