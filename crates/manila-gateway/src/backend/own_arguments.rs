//! Arguments that are ours and not the tool's: callers of `machine-readable-v1` write
//! `machineReadable` and `unsafeOutput` among the arguments (M11, M12).

use manila::request_envelope::Request;
use manila::{JsonObject, RawJson, Violation};

use super::consent::Wish;
use crate::backend::tools::Tool;
use crate::config::UnsafeOutput;
use crate::protocol::naming;

/// Asks for an envelope of this contract, and not for plain text.
const MACHINE_READABLE: &str = "machineReadable";

/// Asks for the answer with its secrets.
const UNSAFE_OUTPUT: &str = "unsafeOutput";

/// A call without our arguments.
pub(super) struct Taken {
    pub(super) request: Request,
    pub(super) arguments: RawJson,
    /// What they asked for, if they said anything about it.
    pub(super) wish: Option<Wish>,
    /// Whether they asked for an envelope, if they said anything about it.
    pub(super) is_readable: Option<bool>,
}

/// Takes our arguments out, if there are any. A parameter of that name that the tool itself has
/// is the tool's, and so is everything where nothing is known about the tool.
pub(super) fn taken_out(
    request: &Request,
    arguments: Option<&RawJson>,
    tool: Option<&Tool>,
) -> Result<Option<Box<Taken>>, Violation> {
    let (Some(given), Some(tool)) = (arguments, tool) else { return Ok(None) };
    let Some(mut left) = JsonObject::new(given.clone()) else { return Ok(None) };
    let (mut wish, mut is_readable) = (None, None);
    let mut is_changed = false;
    for name in [MACHINE_READABLE, UNSAFE_OUTPUT] {
        let mut values = left.members().filter(|member| member.is(name)).map(|it| it.value());
        let Some(value) = values.next() else { continue };
        if knows(tool, name) {
            continue;
        }
        let pointer = || format!("/{name}");
        if values.next().is_some() {
            return Err(Violation::new(pointer(), "unique", "is given twice"));
        }
        let is_asked = match value.as_bytes() {
            b"true" => true,
            b"false" => false,
            _ => return Err(Violation::new(pointer(), "type", "must be true or false")),
        };
        if name == UNSAFE_OUTPUT {
            wish = Some(if is_asked { Wish::UnsafeOutput } else { Wish::None });
        } else {
            is_readable = Some(is_asked);
        }
        left = left.without(name);
        is_changed = true;
    }
    if !is_changed {
        return Ok(None);
    }
    let arguments = left.as_raw().clone();
    match naming::with_part(request, given, arguments.as_bytes()) {
        Some(request) => Ok(Some(Box::new(Taken { request, arguments, wish, is_readable }))),
        // Nothing is handed on otherwise.
        None => Err(Violation::new("", "type", "cannot be taken apart")),
    }
}

/// A tool whose caller can ask for an envelope, or for an answer with its secrets: its schema says
/// so. One that has parameters of these names itself stays as it is.
pub(super) fn told(tool: &Tool, shown: &RawJson, unsafe_output: UnsafeOutput) -> RawJson {
    let flag = |about: &str| {
        JsonObject::build(|flag| {
            flag.member("type", "boolean");
            flag.member("default", &false);
            flag.member("description", about);
        })
    };
    let readable = flag("Whether the answer is a JSON envelope, and not plain text");
    let with_secrets = flag("Whether the answer is given with its secrets");
    let mut ours = vec![(MACHINE_READABLE, readable)];
    if unsafe_output == UnsafeOutput::Allowed {
        ours.push((UNSAFE_OUTPUT, with_secrets));
    }
    ours.retain(|(name, _)| !knows(tool, name));
    let schema = shown.get("inputSchema").unwrap_or_else(|| JsonObject::default().into());
    let properties = schema.get("properties").unwrap_or_else(|| JsonObject::default().into());
    let properties = JsonObject::build(|object| {
        for member in properties.members() {
            object.token_member(member.key_token(), &member.value());
        }
        for (name, flag) in &ours {
            object.member(name, flag);
        }
    });
    let schema = naming::with_member(&schema, "properties", &properties);
    naming::with_member(shown, "inputSchema", &schema)
}

/// Whether a tool's schema has a word for this parameter, wherever it stands: a part of the schema
/// may be the tool's own however it is put together.
pub(super) fn knows(tool: &Tool, name: &str) -> bool {
    let schema = tool.raw.get("inputSchema");
    schema.is_some_and(|schema| schema.as_str().contains(&format!("\"{name}\"")))
}
