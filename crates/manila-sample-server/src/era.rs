//! The era of a request, and what the `_meta` of a modern one declares about the client.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::dispatch::RawRequest;
use super::eras::Eras;
use super::level::Level;
use super::rpc_error::RpcError;

/// The only modern revision that the server supports.
pub(super) const MODERN_REVISION: &str = "2026-07-28";

/// The era of a request whose metadata has not been checked.
pub(super) enum RequestEra<'a> {
    /// Without modern metadata.
    Legacy,
    /// With modern metadata, or with a method that only the modern era has.
    Modern(Meta<'a>),
}

/// Returns the era of a request.
///
/// For legacy requests, this only searches the params for a key. Every modern request contains the
/// key of the version, and other requests almost never do.
pub(super) fn detect_era<'a>(eras: Eras, request: &RawRequest<'a>) -> RequestEra<'a> {
    static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("protocolVersion"));
    let RawRequest { method, params, .. } = request;
    let must_be_modern = match eras {
        Eras::Legacy => return RequestEra::Legacy,
        Eras::Modern => true,
        Eras::Both => method == "server/discover",
    };
    let has_version = || params.is_some_and(|it| KEY.find(it.get().as_bytes()).is_some());
    if !must_be_modern && (method == "initialize" || !has_version()) {
        return RequestEra::Legacy;
    }
    let meta = Meta::read(*params);
    if must_be_modern || meta.version.is_some() {
        RequestEra::Modern(meta)
    } else {
        RequestEra::Legacy
    }
}

/// The `_meta` of a modern request, as written.
#[derive(Default, Deserialize)]
pub(super) struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/logLevel")]
    level_min: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// Reads the metadata. If it is invalid, all members are absent.
    pub(super) fn read(params: Option<&'a RawValue>) -> Meta<'a> {
        let is_object = |it: &&RawValue| it.get().starts_with('{');
        let params = params.filter(is_object);
        let params = params.map(|it| serde_json::from_str::<Params<'a>>(it.get()));
        let meta = params.and_then(|params| params.ok()?.meta).filter(is_object);
        meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// Returns whether a version is present, valid or not.
    pub(super) fn has_version(&self) -> bool {
        self.version.is_some()
    }

    /// Returns the version, if it is a string.
    pub(super) fn version(&self) -> Option<Cow<'a, str>> {
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
        self.version.and_then(|it| serde_json::from_str(it.get()).ok()).map(|Text(it)| it)
    }

    /// Validates the metadata: it has the required members, and the version is supported.
    pub(super) fn check(&self, request: &RawRequest<'_>) -> Result<Modern, RpcError> {
        // A legacy client can only display the error, so the error names the supported revision.
        if request.method == "initialize" && self.version.is_none() {
            return Err(RpcError::unsupported_version(&requested_version(request.params)));
        }
        let version = self.version().ok_or_else(|| missing_meta("protocolVersion"))?;
        if version != MODERN_REVISION {
            return Err(RpcError::unsupported_version(&version));
        }
        let capabilities = self.capabilities.filter(|it| it.get().starts_with('{'));
        let capabilities = capabilities.and_then(|it| serde_json::from_str(it.get()).ok());
        let level_min = self.level_min.map(|level| serde_json::from_str(level.get()));
        Ok(Modern {
            capabilities: capabilities.ok_or_else(|| missing_meta("clientCapabilities"))?,
            level_min: level_min.transpose().map_err(|_| {
                RpcError::invalid_meta("`io.modelcontextprotocol/logLevel` must be a log level")
            })?,
        })
    }
}

/// Returns the version that an `initialize` requests.
fn requested_version(params: Option<&RawValue>) -> String {
    #[derive(Default, Deserialize)]
    struct InitializeParams {
        #[serde(rename = "protocolVersion")]
        protocol_version: String,
    }
    let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
    let InitializeParams { protocol_version } = params.unwrap_or_default();
    protocol_version
}

fn missing_meta(key: &str) -> RpcError {
    RpcError::invalid_meta(format!("`_meta` must have a valid `io.modelcontextprotocol/{key}`"))
}

/// The era of a valid request.
pub(super) enum Era {
    /// The era with an `initialize` handshake.
    Legacy,
    /// The era in which each request declares its client's capabilities.
    Modern(Modern),
}

impl Era {
    /// Returns whether this is one of `eras`.
    pub(super) fn is_in(&self, eras: Eras) -> bool {
        match (self, eras) {
            (_, Eras::Both) | (Era::Legacy, Eras::Legacy) | (Era::Modern(_), Eras::Modern) => true,
            (Era::Legacy, Eras::Modern) | (Era::Modern(_), Eras::Legacy) => false,
        }
    }
}

/// The properties of a client that a modern request declares.
#[derive(Debug)]
pub(super) struct Modern {
    /// The client's capabilities.
    capabilities: Capabilities,
    /// The least severe level of log messages to send. `None` sends no log messages.
    pub(super) level_min: Option<Level>,
}

#[derive(Debug, Deserialize)]
struct Capabilities {
    elicitation: Option<Elicitation>,
    sampling: Option<IgnoredAny>,
    roots: Option<IgnoredAny>,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
struct Extensions {
    #[serde(rename = "io.modelcontextprotocol/tasks")]
    tasks: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Elicitation {
    form: Option<IgnoredAny>,
    url: Option<IgnoredAny>,
}

/// A client capability that a tool requires.
#[derive(Debug, Clone, Copy)]
pub(super) enum Capability {
    /// Show a form to the user.
    Form,
    /// Sample from a model.
    Sampling,
    /// List the folders that the client works in.
    Roots,
    /// Poll tasks.
    Tasks,
}

impl Modern {
    /// Returns whether the client supports tasks.
    pub(super) fn has_tasks(&self) -> bool {
        self.capabilities.extensions.tasks.is_some()
    }

    /// Refuses the request unless the client declared `capability`.
    pub(super) fn require(&self, capability: Capability) -> Result<(), RpcError> {
        let Capabilities { elicitation, sampling, roots, extensions } = &self.capabilities;
        let (is_declared, required) = match capability {
            // Elicitation without a mode means forms.
            Capability::Form => (
                elicitation.as_ref().is_some_and(|it| it.form.is_some() || it.url.is_none()),
                r#"{"elicitation":{"form":{}}}"#,
            ),
            Capability::Sampling => (sampling.is_some(), r#"{"sampling":{}}"#),
            Capability::Roots => (roots.is_some(), r#"{"roots":{}}"#),
            Capability::Tasks => (
                extensions.tasks.is_some(),
                r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            ),
        };
        if is_declared { Ok(()) } else { Err(RpcError::missing_capability(required)) }
    }
}
