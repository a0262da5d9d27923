//! JSON string tokens and the text that they stand for.

use std::borrow::Cow;

use super::scan::{is_special, plain_len};

/// Whether a key token stands for `name`.
pub(super) fn token_is(token: &[u8], name: &str) -> bool {
    let inner = inner(token);
    if inner == name.as_bytes() {
        return true;
    }
    // Every escape is longer than what it stands for.
    inner.len() > name.len() && memchr::memchr(b'\\', inner).is_some() && decode(token) == name
}

/// The text of a checked string token. A lone surrogate becomes U+FFFD.
pub(super) fn decode(token: &[u8]) -> Cow<'_, str> {
    decode_exactly(token).unwrap_or_else(|lossy| Cow::Owned(lossy))
}

/// The text of a checked string token, or, as an error, the nearest text to one that no
/// Rust string can hold because of a lone surrogate.
pub(super) fn decode_exactly(token: &[u8]) -> Result<Cow<'_, str>, String> {
    let inner = inner(token);
    if memchr::memchr(b'\\', inner).is_none() {
        return Ok(String::from_utf8_lossy(inner));
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    let mut is_exact = true;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        text.extend_from_slice(plain);
        let (decoded, len) = decode_escape(escape);
        is_exact &= decoded.is_some();
        let shown = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
        rest = escape.get(len..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    let text = String::from_utf8(text).expect("UTF-8 in, whole characters added");
    if is_exact { Ok(Cow::Owned(text)) } else { Err(text) }
}

fn inner(token: &[u8]) -> &[u8] {
    token.get(1..token.len().saturating_sub(1)).unwrap_or_default()
}

/// The character of the escape that `escaped` starts with, and the escape's length.
fn decode_escape(escaped: &[u8]) -> (Option<char>, usize) {
    match escaped.get(1) {
        Some(b'b') => (Some('\u{8}'), 2),
        Some(b'f') => (Some('\u{c}'), 2),
        Some(b'n') => (Some('\n'), 2),
        Some(b'r') => (Some('\r'), 2),
        Some(b't') => (Some('\t'), 2),
        Some(b'u') => decode_unicode(escaped),
        Some(&other) => (Some(other as char), 2),
        None => (None, 1),
    }
}

fn decode_unicode(escaped: &[u8]) -> (Option<char>, usize) {
    let Some(first) = code_unit(escaped) else { return (None, 2) };
    match (first, escaped.get(6..).and_then(code_unit)) {
        (0xD800..=0xDBFF, Some(second @ 0xDC00..=0xDFFF)) => {
            let pair = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            (char::from_u32(pair), 12)
        }
        _ => (char::from_u32(first), 6),
    }
}

fn code_unit(escaped: &[u8]) -> Option<u32> {
    let digits = escaped.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Writes UTF-8 text as a JSON string, escaping only what JSON says must be escaped.
pub(super) fn encode(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    encode_inner(text, out);
    out.push(b'"');
}

pub(super) fn encode_inner(mut rest: &[u8], out: &mut Vec<u8>) {
    loop {
        let (plain, special) = rest.split_at(plain_len(rest));
        out.extend_from_slice(plain);
        let mut specials = special.iter();
        // Specials come in groups (`":"`), so they are written without looking for more text.
        while let Some(&byte) = specials.as_slice().first() {
            if !is_special(byte) {
                break;
            }
            specials.next();
            encode_special(byte, out);
        }
        rest = specials.as_slice();
        if rest.is_empty() {
            return;
        }
    }
}

fn encode_special(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0') as u8;
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[digit(byte >> 4), digit(byte & 0x0F)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// How many bytes `encode` needs at most for `text` that holds few control characters.
pub(super) fn encoded_len(text: &[u8]) -> usize {
    text.len() + memchr::memchr3_iter(b'"', b'\\', b'\n', text).count() + 2
}
