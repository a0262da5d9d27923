//! Arguments for the gateway: callers of `machine-readable-v1` pass `machineReadable` and
//! `unsafeOutput` among the tool's arguments (M11, M12).

use manila::request_envelope::Request;
use manila::{JsonObject, RawJson, Violation};

use super::consent::RequestedOutput;
use crate::backend::tools::Tool;
use crate::config::UnsafeOutput;
use crate::protocol::naming;

/// Requests an envelope of this contract instead of plain text.
const MACHINE_READABLE: &str = "machineReadable";

/// Requests the result without redaction.
const UNSAFE_OUTPUT: &str = "unsafeOutput";

/// A call without the gateway's own arguments.
pub(super) struct StrippedCall {
    pub(super) request: Request,
    pub(super) arguments: RawJson,
    /// The requested output, if the call names one.
    pub(super) requested_output: Option<RequestedOutput>,
    /// The value of `machineReadable`, if the call has it.
    pub(super) machine_readable: Option<bool>,
}

/// Removes the gateway's own arguments, if there are any. If the tool has a parameter of the same
/// name, the argument belongs to the tool. If the tool is unknown, all arguments belong to it.
pub(super) fn strip_arguments(
    request: &Request,
    arguments: Option<&RawJson>,
    tool: Option<&Tool>,
) -> Result<Option<Box<StrippedCall>>, Violation> {
    let (Some(given), Some(tool)) = (arguments, tool) else { return Ok(None) };
    let Some(mut others) = JsonObject::new(given.clone()) else { return Ok(None) };
    let (mut requested_output, mut machine_readable) = (None, None);
    let mut is_changed = false;
    for name in [MACHINE_READABLE, UNSAFE_OUTPUT] {
        let mut values = others.members().filter(|member| member.is(name)).map(|it| it.value());
        let Some(value) = values.next() else { continue };
        if has_parameter(tool, name) {
            continue;
        }
        let pointer = || format!("/{name}");
        if values.next().is_some() {
            return Err(Violation::new(pointer(), "unique", "is given twice"));
        }
        let value = match value.as_bytes() {
            b"true" => true,
            b"false" => false,
            _ => return Err(Violation::new(pointer(), "type", "must be true or false")),
        };
        if name == UNSAFE_OUTPUT {
            let output = if value { RequestedOutput::UnsafeOutput } else { RequestedOutput::None };
            requested_output = Some(output);
        } else {
            machine_readable = Some(value);
        }
        others = others.without(name);
        is_changed = true;
    }
    if !is_changed {
        return Ok(None);
    }
    let arguments = others.as_raw().clone();
    match naming::with_part(request, given, arguments.as_bytes()) {
        Some(request) => Ok(Some(Box::new(StrippedCall {
            request,
            arguments,
            requested_output,
            machine_readable,
        }))),
        // A call that cannot be separated from the gateway's arguments is not forwarded.
        None => Err(Violation::new("", "type", "cannot be separated from the gateway's arguments")),
    }
}

/// Adds the gateway's own arguments to a tool's schema, except those whose names the tool already
/// uses.
pub(super) fn advertise(tool: &Tool, presented: &RawJson, unsafe_output: UnsafeOutput) -> RawJson {
    let flag = |description: &str| {
        JsonObject::build(|flag| {
            flag.member("type", "boolean");
            flag.member("default", &false);
            flag.member("description", description);
        })
    };
    let machine_readable = flag("Whether the result is a JSON envelope instead of plain text");
    let without_redaction = flag("Whether the result is returned without redaction");
    let mut flags = vec![(MACHINE_READABLE, machine_readable)];
    if unsafe_output == UnsafeOutput::Allowed {
        flags.push((UNSAFE_OUTPUT, without_redaction));
    }
    flags.retain(|(name, _)| !has_parameter(tool, name));
    let schema = presented.get("inputSchema").unwrap_or_else(|| JsonObject::default().into());
    let properties = schema.get("properties").unwrap_or_else(|| JsonObject::default().into());
    let properties = JsonObject::build(|object| {
        for member in properties.members() {
            object.token_member(member.key_token(), &member.value());
        }
        for (name, flag) in &flags {
            object.member(name, flag);
        }
    });
    let schema = naming::with_member(&schema, "properties", &properties);
    naming::with_member(presented, "inputSchema", &schema)
}

/// Returns whether a tool's schema mentions this parameter anywhere, because a schema may be
/// composed of parts.
pub(super) fn has_parameter(tool: &Tool, name: &str) -> bool {
    let schema = tool.raw.get("inputSchema");
    schema.is_some_and(|schema| schema.as_str().contains(&format!("\"{name}\"")))
}
