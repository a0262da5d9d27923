//! The tool `huge`: a result of any size, written in pieces and never held in memory.

use std::io::{self, Write};

use serde::Deserialize;

use super::super::arguments::IntegerIn;
use super::super::disposition::{Disposition, HandlerError};
use super::super::jsonrpc::push;
use super::{Call, Tool};

pub(super) const HUGE: Tool = Tool {
    name: "huge",
    title: "Huge text",
    description: "Returns text of exactly the requested number of bytes. \
                  Start small: the maximum is 200,000,000 bytes.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "bytes": {
                "type": "integer", "minimum": 1, "maximum": 200000000,
                "description": "The length of the text in bytes."
            }
        },
        "required": ["bytes"],
        "additionalProperties": false
    }"#,
    output_schema: None,
    meta: None,
    handler: huge,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HugeArguments {
    bytes: IntegerIn<1, 200_000_000>,
}

fn huge(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    let HugeArguments { bytes: IntegerIn(n_bytes) } = call.arguments()?;
    push(out, r#"{"content":[{"type":"text","text":""#);
    let text = Box::new(move |writer: &mut dyn Write| write_filler(writer, n_bytes));
    Ok(Disposition::Long { text, rest: r#""}]}"# })
}

/// Writes `n_bytes` bytes of text that needs no escapes.
pub(super) fn write_filler(writer: &mut dyn Write, n_bytes: u64) -> io::Result<()> {
    const PHRASE: &str = "Crates of paper and tea are counted on the quay. ";
    const PIECE_BYTES: usize = 1 << 16;
    let piece = PHRASE.repeat(PIECE_BYTES / PHRASE.len());
    let mut n_left = n_bytes;
    while n_left > 0 {
        let n_now = usize::try_from(n_left).map_or(piece.len(), |n_left| n_left.min(piece.len()));
        let (now, _) = piece.as_bytes().split_at(n_now);
        writer.write_all(now)?;
        n_left -= n_now as u64;
    }
    Ok(())
}
