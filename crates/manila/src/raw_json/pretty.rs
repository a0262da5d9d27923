//! Indented JSON for people: one member or item per line, tokens unchanged.

use super::{RawJson, walk::string_end};

/// Returns the value with two spaces of indentation per level, without a final line break.
#[must_use]
pub fn pretty(value: &RawJson) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.as_bytes().len() * 5 / 4);
    pretty_pieces(value, |piece| out.extend_from_slice(piece));
    out
}

/// Like [`pretty`], but piece by piece: the indentation of deep values takes many times their size,
/// and need not be held in memory.
pub fn pretty_pieces(value: &RawJson, mut write: impl FnMut(&[u8])) {
    let bytes = value.as_bytes();
    let mut level = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                write(&[byte]);
                if let Some(end) = empty_end(bytes, at) {
                    write(bytes.get(end - 1..end).unwrap_or_default());
                    at = end;
                } else {
                    level += 1;
                    break_line(level, &mut write);
                }
            }
            b'}' | b']' => {
                level = level.saturating_sub(1);
                break_line(level, &mut write);
                write(&[byte]);
            }
            b',' => {
                write(b",");
                break_line(level, &mut write);
            }
            b':' => write(b": "),
            b'"' => {
                at = string_end(bytes, start);
                write(bytes.get(start..at).unwrap_or_default());
            }
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                at += rest.iter().take_while(|byte| is_scalar(**byte)).count();
                write(bytes.get(start..at).unwrap_or_default());
            }
        }
    }
}

/// Returns whether a byte may continue a number or a literal.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-')
}

/// Returns the end of an empty array or object, including its closing bracket.
fn empty_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    matches!(bytes.get(at), Some(b'}' | b']')).then_some(at + 1)
}

fn break_line(level: usize, write: &mut impl FnMut(&[u8])) {
    const SPACES: [u8; 16] = [b' '; 16];
    write(b"\n");
    let mut n_spaces = 2 * level;
    while n_spaces > 0 {
        let n_written = n_spaces.min(SPACES.len());
        write(SPACES.get(..n_written).unwrap_or_default());
        n_spaces -= n_written;
    }
}
