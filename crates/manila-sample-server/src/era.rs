//! The era of one request: what its `_meta` says about the client, or that it says nothing.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::dispatch::Raw;
use super::eras::Eras;
use super::level::Level;
use super::rpc_error::RpcError;

/// The one modern revision that the server speaks.
pub(super) const MODERN_REVISION: &str = "2026-07-28";

/// How a request opens, before anything in it is checked.
pub(super) enum Opening<'a> {
    /// Without modern metadata.
    Legacy,
    /// With modern metadata, or with a method that only the modern era has.
    Modern(Meta<'a>),
}

/// Tells the era of a request.
///
/// Legacy requests pay for a search through their params and nothing else: the key of the
/// version is a part of every modern request, and hardly ever a part of another one.
pub(super) fn opening<'a>(eras: Eras, request: &Raw<'a>) -> Opening<'a> {
    static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("protocolVersion"));
    let Raw { method, params, .. } = request;
    let must_be_modern = match eras {
        Eras::Legacy => return Opening::Legacy,
        Eras::Modern => true,
        Eras::Both => method == "server/discover",
    };
    let names_version = || params.is_some_and(|it| KEY.find(it.get().as_bytes()).is_some());
    if !must_be_modern && (method == "initialize" || !names_version()) {
        return Opening::Legacy;
    }
    let meta = Meta::read(*params);
    if must_be_modern || meta.version.is_some() { Opening::Modern(meta) } else { Opening::Legacy }
}

/// What the `_meta` of a modern request says, as it was written.
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
    /// Metadata that cannot be read says nothing.
    pub(super) fn read(params: Option<&'a RawValue>) -> Meta<'a> {
        let objects = |it: &&RawValue| it.get().starts_with('{');
        let params = params.filter(objects).map(|it| serde_json::from_str::<Params<'a>>(it.get()));
        let meta = params.and_then(|params| params.ok()?.meta).filter(objects);
        meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default()
    }

    /// Whether there is a version at all.
    pub(super) fn names_version(&self) -> bool {
        self.version.is_some()
    }

    /// The version, if it is a text.
    pub(super) fn version(&self) -> Option<Cow<'a, str>> {
        #[derive(Deserialize)]
        struct Word<'a>(#[serde(borrow)] Cow<'a, str>);
        self.version.and_then(|it| serde_json::from_str(it.get()).ok()).map(|Word(it)| it)
    }

    /// The metadata as the methods want it; required members are there, the version is spoken.
    pub(super) fn checked(&self, request: &Raw<'_>) -> Result<Modern, RpcError> {
        // A legacy client can do nothing but show what it is told, so it is told the revision.
        if request.method == "initialize" && self.version.is_none() {
            return Err(RpcError::unsupported_version(&initialized(request.params)));
        }
        let version = self.version().ok_or_else(|| missing("protocolVersion"))?;
        if version != MODERN_REVISION {
            return Err(RpcError::unsupported_version(&version));
        }
        let capabilities = self.capabilities.filter(|it| it.get().starts_with('{'));
        let capabilities = capabilities.and_then(|it| serde_json::from_str(it.get()).ok());
        let level_min = self.level_min.map(|level| serde_json::from_str(level.get()));
        Ok(Modern {
            capabilities: capabilities.ok_or_else(|| missing("clientCapabilities"))?,
            level_min: level_min.transpose().map_err(|_| {
                RpcError::malformed("`io.modelcontextprotocol/logLevel` must be a log level")
            })?,
        })
    }
}

/// The version that an `initialize` asks for.
fn initialized(params: Option<&RawValue>) -> String {
    #[derive(Default, Deserialize)]
    struct InitializeParams {
        #[serde(rename = "protocolVersion")]
        protocol_version: String,
    }
    let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
    let InitializeParams { protocol_version } = params.unwrap_or_default();
    protocol_version
}

fn missing(key: &str) -> RpcError {
    RpcError::malformed(format!("`_meta` must have a sound `io.modelcontextprotocol/{key}`"))
}

/// The era of a request that is served.
pub(super) enum Era {
    Legacy,
    Modern(Modern),
}

impl Era {
    /// Whether a method or a tool of these `eras` is there for the request.
    pub(super) fn is_of(&self, eras: Eras) -> bool {
        match (self, eras) {
            (_, Eras::Both) | (Era::Legacy, Eras::Legacy) | (Era::Modern(_), Eras::Modern) => true,
            (Era::Legacy, Eras::Modern) | (Era::Modern(_), Eras::Legacy) => false,
        }
    }
}

/// What a modern request says about its client.
#[derive(Debug)]
pub(super) struct Modern {
    /// What the client can do.
    capabilities: Capabilities,
    /// The least severe level that it wants to hear of; without one, it wants none.
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

/// What a tool needs from a client.
#[derive(Debug, Clone, Copy)]
pub(super) enum Capability {
    /// To put a form before somebody.
    Form,
    /// To let a model answer.
    Sampling,
    /// To say in which folders it works.
    Roots,
    /// To follow tasks.
    Tasks,
}

impl Modern {
    /// Whether the client can follow tasks.
    pub(super) fn has_tasks(&self) -> bool {
        self.capabilities.extensions.tasks.is_some()
    }

    /// Refuses the request unless its client declared `capability`.
    pub(super) fn require(&self, capability: Capability) -> Result<(), RpcError> {
        let Capabilities { elicitation, sampling, roots, extensions } = &self.capabilities;
        let (is_declared, wanted) = match capability {
            // Elicitation that names no mode means forms.
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
        if is_declared { Ok(()) } else { Err(RpcError::missing_capability(wanted)) }
    }
}
