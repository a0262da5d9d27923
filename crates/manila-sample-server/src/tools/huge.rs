//! Huge: an answer of any size, written piece by piece and never held as a whole.

use std::io::{self, Write};

use serde::Deserialize;

use super::super::answer::push;
use super::super::arguments::Whole;
use super::super::conduct::{Conduct, Stop};
use super::{Call, Tool};

pub(super) const HUGE: Tool = Tool {
    name: "huge",
    title: "Huge text",
    description: "Answers with a text of exactly as many bytes as you ask for. \
                  Start small: two hundred million are possible.",
    input_schema: r#"{
        "type": "object",
        "properties": {
            "bytes": {
                "type": "integer", "minimum": 1, "maximum": 200000000,
                "description": "The length of the text."
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
    bytes: Whole<1, 200_000_000>,
}

fn huge(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let HugeArguments { bytes: Whole(n_bytes) } = call.arguments()?;
    push(out, r#"{"content":[{"type":"text","text":""#);
    let text = Box::new(move |writer: &mut dyn Write| write_filler(writer, n_bytes));
    Ok(Conduct::Long { text, rest: r#""}]}"# })
}

/// Writes `n_bytes` bytes of prose that needs no escapes.
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
