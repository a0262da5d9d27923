//! Arguments that are ours and not the tool's: callers of `machine-readable-v1` write
//! `machineReadable` and `unsafeOutput` among the arguments (M11, M12).

use manila::request_envelope::{Message, Request};
use manila::{JsonObject, RawJson, Violation};

use super::consent::Wish;
use crate::jsonrpc;
use crate::tools::Tool;

/// Asks for this contract, which has been chosen already.
const MACHINE_READABLE: &str = "machineReadable";

/// Asks for the answer with its secrets.
const UNSAFE_OUTPUT: &str = "unsafeOutput";

/// A call without our arguments.
pub(super) struct Taken {
    pub(super) request: Request,
    pub(super) arguments: RawJson,
    /// What they asked for.
    pub(super) wish: Wish,
}

/// Takes our arguments out, if there are any. A parameter of that name that the tool itself has
/// is the tool's, and so is everything where nothing is known about the tool.
pub(super) fn taken_out(
    request: &Request,
    arguments: Option<&RawJson>,
    tool: Option<&Tool>,
) -> Result<Option<Taken>, Violation> {
    let (Some(given), Some(tool)) = (arguments, tool) else { return Ok(None) };
    let Some(mut left) = JsonObject::new(given.clone()) else { return Ok(None) };
    let mut wish = Wish::None;
    let mut is_changed = false;
    for name in [MACHINE_READABLE, UNSAFE_OUTPUT] {
        let mut values = left.members().filter(|member| member.is(name)).map(|it| it.value());
        let Some(value) = values.next() else { continue };
        if has_parameter(tool, name) {
            continue;
        }
        let pointer = || format!("/{name}");
        if values.next().is_some() {
            return Err(Violation::new(pointer(), "unique", "is given twice"));
        }
        match (value.as_bytes(), name) {
            (b"true", UNSAFE_OUTPUT) => wish = Wish::UnsafeOutput,
            (b"true" | b"false", _) => {}
            _ => return Err(Violation::new(pointer(), "type", "must be true or false")),
        }
        left = left.without(name);
        is_changed = true;
    }
    let taken = is_changed.then(|| without(request, given, left.as_raw(), wish)).flatten();
    Ok(taken)
}

fn without(request: &Request, given: &RawJson, left: &RawJson, wish: Wish) -> Option<Taken> {
    let frame = jsonrpc::replaced(&request.frame, given, left.as_bytes());
    match Message::from_json(frame) {
        Ok(Message::Request(request)) => Some(Taken { request, arguments: left.clone(), wish }),
        Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
    }
}

fn has_parameter(tool: &Tool, name: &str) -> bool {
    let properties = tool.raw.get("inputSchema").and_then(|schema| schema.get("properties"));
    properties.is_some_and(|properties| properties.get(name).is_some())
}
