//! Big numbers: JSON that changes as soon as somebody reads it into floats and maps.

use super::super::conduct::{Conduct, Stop};
use super::super::result;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const BIG_NUMBERS: Tool = Tool {
    name: "big_numbers",
    title: "Big numbers",
    description: "Answers with numbers, key order and escapes that get lost when JSON is parsed \
                  and written again. What arrives should be what was sent, byte for byte.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: None,
    handler: big_numbers,
};

/// Raw text on purpose: each of these has another spelling that means nearly the same.
const NUMBERS: &str = concat!(
    r#"{"zulu":12345678901234567890123456789,"mike":1.0,"yankee":1e400,"#,
    r#""alpha":-0.0,"kilo":0.1000,"path":"a\/b"}"#,
);

fn big_numbers(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    result::structured(out, "Six values that are easily damaged.", NUMBERS);
    Ok(Conduct::Answer)
}
