//! JSON for people: one member or item a line, tokens exactly as they were written.

use super::{RawJson, walk::string_end};

/// The value with two spaces of indentation a level, without a final line break.
#[must_use]
pub fn pretty(value: &RawJson) -> Vec<u8> {
    let bytes = value.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() * 5 / 4);
    let mut level = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'"' => {
                let end = string_end(bytes, at - 1);
                out.extend_from_slice(bytes.get(at - 1..end).unwrap_or_default());
                at = end;
            }
            b'{' | b'[' => {
                out.push(byte);
                if let Some(end) = empty_end(bytes, at) {
                    out.extend_from_slice(bytes.get(end - 1..end).unwrap_or_default());
                    at = end;
                } else {
                    level += 1;
                    break_line(level, &mut out);
                }
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                break_line(level, &mut out);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                break_line(level, &mut out);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
    }
    out
}

/// The end of an array or object that closes at once, its closing bracket included.
fn empty_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    matches!(bytes.get(at), Some(b'}' | b']')).then_some(at + 1)
}

fn break_line(level: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + 2 * level, b' ');
}
