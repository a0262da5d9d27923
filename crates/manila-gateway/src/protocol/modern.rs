//! Clients of the modern era: each request says all that must be known of its client.

use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use crate::protocol::caller::Speech;
use crate::protocol::era::{self, Era, Revision, meta};

/// Methods of the legacy era that this one does not have.
const REMOVED: [&str; 7] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/result",
];

/// Whether a method is one of the legacy era only.
pub(crate) fn is_removed(method: &str) -> bool {
    REMOVED.contains(&method)
}

/// Whether a request is one of the modern era. `told` is the revision that stands beside it, where
/// something does.
pub(crate) fn is_modern(request: &Request, told: Option<&str>) -> bool {
    let is_told = told.is_some_and(|date| !Revision::ALL.iter().any(|it| it.date() == date));
    is_told || request.method == "server/discover" || says_version(request)
}

/// Whether a request says its revision, as all of the modern era do.
pub(crate) fn says_version(request: &Request) -> bool {
    request.meta.as_ref().is_some_and(|said| said.get(meta::PROTOCOL_VERSION).is_some())
}

/// A rule of the protocol that a request breaks, where the protocol has a number for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Breach {
    pub(crate) number: i64,
    pub(crate) message: String,
    data: Option<JsonObject>,
}

impl Breach {
    /// A header does not tell what the message says, or is missing.
    pub(crate) fn header(message: impl Into<String>) -> Breach {
        Breach { number: -32020, message: message.into(), data: None }
    }

    fn meta(key: &str, rule: &str) -> Breach {
        let message = format!("Invalid params: _meta[\"{key}\"] {rule}");
        Breach { number: -32602, message, data: None }
    }

    /// We do not speak this revision.
    pub(crate) fn version(requested: &str) -> Breach {
        let data = JsonObject::build(|object| {
            object.member("supported", &Era::dates());
            object.member("requested", requested);
        });
        let message = "Unsupported protocol version".to_owned();
        Breach { number: -32022, message, data: Some(data) }
    }
}

impl Emit for Breach {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.member("code", &self.number);
        object.member("message", self.message.as_str());
        object.member("data", &self.data);
        object.end();
    }
}

/// What a request says of its client.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) version: Option<String>,
    capabilities: Option<RawJson>,
    info: Option<RawJson>,
    log_level: Option<RawJson>,
}

impl Said {
    pub(crate) fn by(request: &Request) -> Said {
        let mut said = Said::default();
        for member in request.meta.iter().flat_map(RawJson::members) {
            match &*member.key() {
                meta::PROTOCOL_VERSION => {
                    said.version = member.value().as_text().map(std::borrow::Cow::into_owned);
                }
                meta::CLIENT_CAPABILITIES => said.capabilities = Some(member.value()),
                meta::CLIENT_INFO => said.info = Some(member.value()),
                meta::LOG_LEVEL => said.log_level = Some(member.value()),
                _ => {}
            }
        }
        said
    }

    /// How the client speaks, if it says all that it must.
    pub(crate) fn speech(self) -> Result<Speech, Breach> {
        let Said { version, capabilities, info, log_level } = self;
        let version = version.ok_or_else(|| Breach::meta(meta::PROTOCOL_VERSION, "is required"))?;
        if version != Era::Modern.date() {
            return Err(Breach::version(&version));
        }
        let capabilities = capabilities
            .ok_or_else(|| Breach::meta(meta::CLIENT_CAPABILITIES, "is required"))
            .map(JsonObject::new)?
            .ok_or_else(|| Breach::meta(meta::CLIENT_CAPABILITIES, "must be an object"))?;
        let is_level = |level: &RawJson| level.as_text().is_some_and(|name| era::is_level(&name));
        if log_level.as_ref().is_some_and(|level| !is_level(level)) {
            return Err(Breach::meta(meta::LOG_LEVEL, "must be the name of a level"));
        }
        Ok(Speech { era: Era::Modern, capabilities: Some(capabilities), info, log_level })
    }
}
