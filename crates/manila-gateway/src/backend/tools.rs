//! The tools that a server offers: what they ask for, what they promise, how they are shown.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

use manila::json::Kind;
use manila::{JsonObject, RawJson, Registry, Schema, describes_envelope, output_schema};

use crate::config::OutputCheck;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;
use crate::telemetry::event::{Event, Events};
use crate::upstream::{Carrier, Mirrored};

mod mirror;

pub(crate) use mirror::{Mirror, decoded};

/// So many tools are kept; calls of further ones find them by listing anew, and are not checked.
const TOOLS_MAX: usize = 10_000;

/// A tool, as far as the gateway knows it.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What its arguments must fit, once it has been called: most tools never are.
    input: OnceLock<Option<Arc<Schema>>>,
    /// What its payload fits, as it says.
    pub(crate) output: Option<Arc<Schema>>,
    /// Whether it belongs to an MCP App, whose view reads the result as it is.
    pub(crate) is_app: bool,
    /// The parameters that are told in headers, too.
    mirror: Mirror,
    /// The tool as the server lists it.
    pub(crate) raw: RawJson,
}

impl Tool {
    /// What these arguments look like in headers.
    pub(crate) fn mirrored(&self, arguments: &RawJson) -> Mirrored {
        self.mirror.shown(arguments)
    }

    /// The first header that does not tell what stands in the arguments, if there is one.
    pub(crate) fn mismatch<'a>(
        &self,
        arguments: impl FnOnce() -> Option<RawJson>,
        given: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Option<String> {
        self.mirror.mismatch(arguments, given)
    }
}

/// A tool from a list.
pub(crate) enum Noted {
    /// It can be called.
    Tool(String, Arc<Tool>),
    /// It has no name.
    Nameless,
    /// It cannot be called over HTTP, so it is not offered.
    LeftOut,
}

/// The tools that are known, and the schemas that have been compiled.
pub(crate) struct Tools {
    registry: Arc<Mutex<Registry>>,
    known: Mutex<HashMap<String, Arc<Tool>>>,
    /// Held by whoever asks the server for all of them.
    pub(crate) listing: tokio::sync::Mutex<()>,
    events: Events,
    /// Whether the server answers in a contract already.
    speaks_envelopes: bool,
    carrier: Carrier,
}

impl Tools {
    /// No tools yet. Servers that share a registry share the schemas that are the same.
    pub(crate) fn new(
        events: Events,
        speaks_envelopes: bool,
        carrier: Carrier,
        registry: Arc<Mutex<Registry>>,
    ) -> Tools {
        Tools {
            registry,
            known: Mutex::default(),
            listing: tokio::sync::Mutex::default(),
            events,
            speaks_envelopes,
            carrier,
        }
    }

    /// What carries calls to the server.
    pub(crate) fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// The tool of this name, if it is known.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Tool>> {
        self.known.lock().ok()?.get(name).cloned()
    }

    /// The known tool whose name is most like this one, if any is.
    pub(crate) fn closest(&self, name: &str) -> Option<String> {
        let known = self.known.lock().ok()?;
        manila::closest(name, known.keys().map(String::as_str)).map(str::to_owned)
    }

    /// The names of all that are known.
    pub(crate) fn names(&self) -> Vec<String> {
        self.known.lock().map(|known| known.keys().cloned().collect()).unwrap_or_default()
    }

    /// Notes a tool from a list, and gives it back.
    pub(crate) fn note(&self, raw: &RawJson) -> Noted {
        let name = raw.get("name");
        let Some(name) = name.as_ref().and_then(RawJson::as_text).map(Cow::into_owned) else {
            return Noted::Nameless;
        };
        if let Some(known) = self.get(&name)
            && known.raw == *raw
        {
            return Noted::Tool(name, known);
        }
        let schema = raw.get("inputSchema");
        let mirror = match Mirror::of(schema.as_ref()) {
            Ok(mirror) => mirror,
            Err(reason) if self.carrier == Carrier::Http => {
                let reason = format!("it is not offered: {reason}");
                (self.events)(Event::SchemaUnusable { tool: name, reason });
                return Noted::LeftOut;
            }
            // Whoever calls it over HTTP decides for itself.
            Err(_) => Mirror::default(),
        };
        let tool = Arc::new(Tool {
            input: OnceLock::new(),
            output: self.compiled(&name, self.promised(raw)),
            is_app: is_app(raw),
            mirror,
            raw: raw.clone(),
        });
        if let Ok(mut known) = self.known.lock()
            && (known.len() < TOOLS_MAX || known.contains_key(&name))
        {
            known.insert(name.clone(), Arc::clone(&tool));
        }
        Noted::Tool(name, tool)
    }

    /// What the arguments of a tool must fit.
    pub(crate) fn input_of(&self, name: &str, tool: &Tool) -> Option<Arc<Schema>> {
        tool.input.get_or_init(|| self.compiled(name, tool.raw.get("inputSchema"))).clone()
    }

    /// Forgets the tools that a complete list does not have.
    pub(crate) fn keep_only(&self, listed: &HashSet<String>) {
        if let Ok(mut known) = self.known.lock() {
            known.retain(|name, _| listed.contains(name));
        }
    }

    /// The known tools as they are listed, to compare with later ones.
    pub(crate) fn snapshot(&self) -> HashMap<String, RawJson> {
        let known = self.known.lock().ok();
        let tools = known.iter().flat_map(|known| known.iter());
        tools.map(|(name, tool)| (name.clone(), tool.raw.clone())).collect()
    }

    /// What the tool promises of its payload. What it promises of an envelope is not that.
    fn promised(&self, tool: &RawJson) -> Option<RawJson> {
        let schema = tool.get("outputSchema").filter(|schema| !describes_envelope(schema))?;
        (!self.speaks_envelopes).then_some(schema)
    }

    fn compiled(&self, tool: &str, schema: Option<RawJson>) -> Option<Arc<Schema>> {
        let schema = schema.filter(|schema| schema.kind() == Kind::Object)?;
        match self.registry.lock().ok()?.schema(&schema) {
            Ok(schema) => Some(schema),
            Err(unusable) => {
                let (tool, reason) = (tool.to_owned(), unusable.to_string());
                (self.events)(Event::SchemaUnusable { tool, reason });
                None
            }
        }
    }
}

/// MCP Apps mark a tool with the view that shows its results.
fn is_app(tool: &RawJson) -> bool {
    let meta = tool.get("_meta");
    meta.is_some_and(|meta| meta.get("ui").is_some() || meta.get("ui/resourceUri").is_some())
}

/// A tool as the client sees it: its `outputSchema` is the envelope's. Everything else stays,
/// in its order.
pub(crate) fn shown(
    tool: &Tool,
    shape: Shape,
    placement: Placement,
    check: OutputCheck,
) -> RawJson {
    const MEMBER: usize = r#","outputSchema":"#.len();
    let Shape::Contract(contract) = shape else { return tool.raw.clone() };
    if tool.is_app {
        return tool.raw.clone();
    }
    let schema = match placement {
        Placement::Structured => {
            // A schema that cannot be used here could not be used by the client either. What
            // nobody checks may be broken without a warning, so it must not bind.
            let binds = tool.output.is_some() && check != OutputCheck::Off;
            let own = tool.raw.get("outputSchema").filter(|_| binds);
            Some(output_schema(contract, own.as_ref()))
        }
        Placement::Text => None,
    };
    let n_schema = schema.as_ref().map_or(0, |schema| schema.as_raw().as_bytes().len() + MEMBER);
    let n_bytes = tool.raw.as_bytes().len() + n_schema;
    let object = JsonObject::build_in(n_bytes, |object| {
        let mut schema = schema;
        for member in tool.raw.members() {
            if !member.is("outputSchema") {
                object.token_member(member.key_token(), &member.value());
            } else if let Some(schema) = schema.take() {
                object.member("outputSchema", &schema);
            }
        }
        object.member("outputSchema", &schema);
    });
    object.into()
}

#[cfg(test)]
mod tests;
