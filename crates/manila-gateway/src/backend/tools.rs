//! The tools of a server: their schemas, and how they are presented to clients.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock};

use manila::json::Kind;
use manila::{JsonObject, RawJson, Registry, Schema, describes_envelope, output_schema};

use crate::config::OutputCheck;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::ResultFormat;
use crate::rt::offload::{Work, leave_reactor};
use crate::telemetry::event::{Event, Events};
use crate::upstream::{HeaderParams, TransportKind};

mod header_params;

pub(crate) use header_params::{HeaderMapping, decode_value};

/// The number of tools that are kept. A call to any other tool lists the tools again, and neither
/// its arguments nor its result are checked. Other tools are listed without an output schema, which
/// is many times as long as the rest of a typical tool.
const TOOLS_MAX: usize = 10_000;

/// The maximum nesting depth of an output schema that contains the tool's own. In the response to
/// `tools/list`, four levels are around it, and some clients cannot read more than 64.
const OUTPUT_SCHEMA_DEPTH_MAX: usize = 64 - 4;

/// A tool of a server.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The schema of its arguments. It is compiled on the first call, because most tools are never
    /// called.
    input: OnceLock<Option<Arc<Schema>>>,
    /// The schema of its payload, if it declares one.
    pub(crate) output: Option<Arc<Schema>>,
    /// Whether it belongs to an MCP App, whose view reads the unchanged result.
    pub(crate) belongs_to_app: bool,
    /// Whether the gateway keeps the tool, and so can check its calls.
    pub(crate) is_kept: bool,
    /// The parameters that are also sent as headers.
    header_mapping: HeaderMapping,
    /// The tool as the server lists it.
    pub(crate) raw: RawJson,
}

impl Tool {
    /// Returns the headers for these arguments.
    pub(crate) fn header_params(&self, arguments: &RawJson) -> HeaderParams {
        self.header_mapping.params(arguments)
    }

    /// Returns the first header that does not match the arguments, if any.
    pub(crate) fn find_mismatch<'a>(
        &self,
        arguments: impl FnOnce() -> Option<RawJson>,
        given: impl Fn(&str) -> Option<&'a [u8]>,
    ) -> Option<String> {
        self.header_mapping.find_mismatch(arguments, given)
    }
}

/// A tool from a list.
pub(crate) enum ListedTool {
    /// A tool that can be called.
    Tool(String, Arc<Tool>),
    /// A tool without a name.
    Nameless,
    /// A tool that is not offered, because it cannot be called over HTTP.
    Excluded,
}

/// The known tools, and the compiled schemas.
pub(crate) struct Tools {
    registry: Arc<Registry>,
    known: Mutex<HashMap<String, Arc<Tool>>>,
    /// Held while the server's tools are being listed.
    pub(crate) listing: tokio::sync::Mutex<()>,
    events: Events,
    /// Whether the server itself returns envelopes.
    has_envelopes: bool,
    transport: TransportKind,
}

impl Tools {
    /// Creates an empty set of tools. Servers that share a registry share equal schemas.
    pub(crate) fn new(
        events: Events,
        has_envelopes: bool,
        transport: TransportKind,
        registry: Arc<Registry>,
    ) -> Tools {
        Tools {
            registry,
            known: Mutex::default(),
            listing: tokio::sync::Mutex::default(),
            events,
            has_envelopes,
            transport,
        }
    }

    /// Returns the tool with this name, if it is known.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Tool>> {
        self.known.lock().ok()?.get(name).cloned()
    }

    /// Returns the known tool with the most similar name, if any is similar.
    pub(crate) fn closest(&self, name: &str) -> Option<String> {
        let known = self.known.lock().ok()?;
        manila::closest(name, known.keys().map(String::as_str)).map(str::to_owned)
    }

    /// Returns the names of all known tools.
    pub(crate) fn names(&self) -> Vec<String> {
        self.known.lock().map(|known| known.keys().cloned().collect()).unwrap_or_default()
    }

    /// Stores a tool from a list, and returns it.
    pub(crate) fn store(&self, raw: &RawJson) -> ListedTool {
        let name = raw.get("name");
        let Some(name) = name.as_ref().and_then(RawJson::as_text).map(Cow::into_owned) else {
            return ListedTool::Nameless;
        };
        if let Some(known) = self.get(&name)
            && known.raw == *raw
        {
            return ListedTool::Tool(name, known);
        }
        let schema = raw.get("inputSchema");
        let header_mapping = match HeaderMapping::of(schema.as_ref()) {
            Ok(mapping) => mapping,
            Err(reason) if self.transport == TransportKind::Http => {
                let reason = format!("the tool is not offered: {reason}");
                (self.events)(Event::SchemaUnusable { tool: name, reason });
                return ListedTool::Excluded;
            }
            // On stdio the mapping is not needed; the tool can be called without it.
            Err(_) => HeaderMapping::default(),
        };
        let is_kept = self.has_room_for(&name);
        let tool = Arc::new(Tool {
            input: OnceLock::new(),
            output: self.compile(&name, self.payload_schema(raw).filter(|_| is_kept)),
            belongs_to_app: belongs_to_app(raw),
            is_kept,
            header_mapping,
            raw: raw.clone(),
        });
        if is_kept && let Ok(mut known) = self.known.lock() {
            known.insert(name.clone(), Arc::clone(&tool));
        }
        ListedTool::Tool(name, tool)
    }

    /// Returns whether a tool with this name can be kept.
    fn has_room_for(&self, name: &str) -> bool {
        let known = self.known.lock();
        known.is_ok_and(|known| known.len() < TOOLS_MAX || known.contains_key(name))
    }

    /// Returns the schema of a tool's arguments.
    pub(crate) async fn input_of(&self, name: &str, tool: &Tool) -> Option<Arc<Schema>> {
        if let Some(known) = tool.input.get() {
            return known.clone();
        }
        let schema = tool.raw.get("inputSchema");
        if let Some(schema) = &schema {
            leave_reactor(work_of_compiling(schema)).await;
        }
        // Another call may compile it at the same time, and should not have to wait.
        let compiled = self.compile(name, schema);
        tool.input.set(compiled.clone()).ok();
        compiled
    }

    /// Removes the tools that are not in a complete list.
    pub(crate) fn keep_only(&self, listed: &HashSet<String>) {
        if let Ok(mut known) = self.known.lock() {
            known.retain(|name, _| listed.contains(name));
        }
    }

    /// Returns the known tools as listed, to compare with a later list.
    pub(crate) fn snapshot(&self) -> HashMap<String, RawJson> {
        let known = self.known.lock().ok();
        let tools = known.iter().flat_map(|known| known.iter());
        tools.map(|(name, tool)| (name.clone(), tool.raw.clone())).collect()
    }

    /// Returns the schema that the tool declares for its payload. A schema of an envelope does not
    /// count.
    fn payload_schema(&self, tool: &RawJson) -> Option<RawJson> {
        let schema = tool.get("outputSchema").filter(|schema| !describes_envelope(schema))?;
        (!self.has_envelopes).then_some(schema)
    }

    fn compile(&self, tool: &str, schema: Option<RawJson>) -> Option<Arc<Schema>> {
        let schema = schema.filter(|schema| schema.kind() == Kind::Object)?;
        match self.registry.schema(&schema) {
            Ok(schema) => Some(schema),
            Err(unusable) => {
                let (tool, reason) = (tool.to_owned(), unusable.to_string());
                (self.events)(Event::SchemaUnusable { tool, reason });
                None
            }
        }
    }
}

/// Returns the work of compiling a schema, or those in a list. If it is short and has no patterns,
/// compiling takes a fraction of a millisecond.
pub(super) fn work_of_compiling(json: &RawJson) -> Work {
    const BYTES_MAX: usize = 4 * 1024;
    let n_bytes = json.as_bytes().len();
    // The names of members may be escaped.
    let may_have_patterns = has_text(json, "pattern") || has_text(json, r"\u");
    if n_bytes > BYTES_MAX || may_have_patterns {
        Work::Compile(n_bytes)
    } else {
        Work::Process(n_bytes)
    }
}

/// Returns whether this text is anywhere in a JSON document.
pub(super) fn has_text(json: &RawJson, text: &str) -> bool {
    memchr::memmem::find(json.as_bytes(), text.as_bytes()).is_some()
}

/// Returns whether a tool belongs to an MCP App: such a tool names the view that shows its results.
fn belongs_to_app(tool: &RawJson) -> bool {
    let meta = tool.get("_meta");
    meta.is_some_and(|meta| meta.get("ui").is_some() || meta.get("ui/resourceUri").is_some())
}

/// Returns a tool as clients see it: its `outputSchema` is the envelope's. All other members are
/// unchanged and in their order.
pub(crate) fn present(
    tool: &Tool,
    format: ResultFormat,
    placement: Placement,
    check: OutputCheck,
) -> RawJson {
    const MEMBER: usize = r#","outputSchema":"#.len();
    let ResultFormat::Contract(contract) = format else { return tool.raw.clone() };
    if tool.belongs_to_app {
        return tool.raw.clone();
    }
    let schema = match placement {
        Placement::Structured if tool.is_kept => {
            // A schema that cannot be compiled here is of no use to the client either. A schema
            // that is not checked may be violated without a warning, so it is not advertised.
            let is_checked = tool.output.is_some() && check != OutputCheck::Off;
            let declared = tool.raw.get("outputSchema").filter(|_| is_checked);
            let schema = output_schema(contract, declared.as_ref());
            let is_deep = declared.is_some() && schema.as_raw().depth() > OUTPUT_SCHEMA_DEPTH_MAX;
            Some(if is_deep { output_schema(contract, None) } else { schema })
        }
        Placement::Structured | Placement::Text => None,
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
