//! The tool `big_numbers`: JSON that changes when a program parses it into floats and maps.

use super::super::disposition::{Disposition, HandlerError};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const BIG_NUMBERS: Tool = Tool {
    name: "big_numbers",
    title: "Big numbers",
    description: "Returns numbers, key order and escapes that get lost when JSON is parsed and \
                  written again. The structured content should arrive byte for byte.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: big_numbers,
};

/// Raw text on purpose: each of these has another spelling with nearly the same meaning.
const NUMBERS: &str = concat!(
    r#"{"zulu":12345678901234567890123456789,"mike":1.0,"yankee":1e400,"#,
    r#""alpha":-0.0,"kilo":0.1000,"path":"a\/b"}"#,
);

fn big_numbers(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    result::push_structured(out, "Six values that are easily damaged.", NUMBERS);
    Ok(Disposition::Answer)
}
