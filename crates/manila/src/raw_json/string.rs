//! JSON string tokens and their decoded text.

use std::borrow::Cow;

use super::word;

/// Returns whether a key token decodes to `name`.
pub(super) fn token_is(token: &[u8], name: &str) -> bool {
    let inner = inner(token);
    if inner == name.as_bytes() {
        return true;
    }
    // Every escape is longer than its decoded character.
    inner.len() > name.len() && has_escape(inner) && decode(token) == name
}

/// Returns whether these bytes contain a backslash. Most keys are so short that a call to memchr
/// costs more than a loop.
#[inline]
fn has_escape(inner: &[u8]) -> bool {
    const SHORT: usize = 32;
    if inner.len() > SHORT {
        return memchr::memchr(b'\\', inner).is_some();
    }
    let (words, tail) = inner.as_chunks::<8>();
    words.iter().any(|word| word::unescaped_len(*word) < 8) || tail.contains(&b'\\')
}

/// Decodes a checked string token. A lone surrogate becomes U+FFFD.
pub(super) fn decode(token: &[u8]) -> Cow<'_, str> {
    decode_exactly(token).unwrap_or_else(Cow::Owned)
}

/// Decodes a checked string token. If it has a lone surrogate, which a Rust string cannot hold, the
/// nearest text is returned as an error.
pub(super) fn decode_exactly(token: &[u8]) -> Result<Cow<'_, str>, String> {
    let inner = inner(token);
    if !has_escape(inner) {
        // The strict conversion is far faster than the lossy one, and never fails here.
        let text = std::str::from_utf8(inner).map(Cow::Borrowed);
        return Ok(text.unwrap_or_else(|_| String::from_utf8_lossy(inner)));
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    let mut is_exact = true;
    loop {
        rest = copy_run(rest, &mut text, word::unescaped_len, |byte| byte == b'\\');
        match rest {
            [] => break,
            // The most common escapes in texts that contain JSON.
            [_, quoted @ (b'"' | b'\\' | b'/'), after @ ..] => {
                text.push(*quoted);
                rest = after;
            }
            _ => {
                let (decoded, len) = decode_escape(rest);
                is_exact &= decoded.is_some();
                let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = rest.get(len..).unwrap_or_default();
            }
        }
    }
    // Only the token of an invalid document is not UTF-8.
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if is_exact { Ok(Cow::Owned(text)) } else { Err(text) }
}

/// Copies bytes up to the next one that ends a run, and returns the rest.
///
/// Whole words are copied and then truncated: a copy of fixed size costs less than one of the exact
/// size.
#[inline]
fn copy_run<'a>(
    mut rest: &'a [u8],
    out: &mut Vec<u8>,
    run_len: impl Fn([u8; 8]) -> usize,
    is_end: impl Fn(u8) -> bool,
) -> &'a [u8] {
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let n_copied = run_len(*word);
        out.extend_from_slice(word);
        if n_copied < 8 {
            out.truncate(out.len() - (8 - n_copied));
            return rest.get(n_copied..).unwrap_or_default();
        }
        rest = after;
    }
    let n_copied = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
    let (run, after) = rest.split_at(n_copied);
    out.extend_from_slice(run);
    after
}

fn inner(token: &[u8]) -> &[u8] {
    token.get(1..token.len().saturating_sub(1)).unwrap_or_default()
}

/// Returns the character of the escape that `escaped` starts with, and the escape's length.
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

/// Writes UTF-8 text as the inside of a JSON string, with escapes only where JSON requires them.
/// `text` may be any part of a text, even one that ends within a character.
///
/// ```
/// let mut escaped = Vec::new();
/// manila::json::escape("\u{1}\n\"é".as_bytes(), &mut escaped);
/// assert_eq!(escaped, r#"\u0001\n\"é"#.as_bytes());
/// assert_eq!(manila::json::escaped_len("\u{1}\n\"é".as_bytes()), escaped.len());
/// ```
pub fn encode(text: &[u8], out: &mut Vec<u8>) {
    // For names and ids, one check of all bytes costs less than going from word to word.
    const SHORT: usize = 32;
    // After this many words without an escape, many more are likely.
    const LONG: usize = 12;
    if text.len() <= SHORT && word::count_special(text) == 0 {
        out.extend_from_slice(text);
        return;
    }
    let mut rest = text;
    let mut n_words = 0_usize;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        let n_plain = word::plain_len(*word);
        // Copied completely and then truncated, as in `copy_run`.
        out.extend_from_slice(word);
        let Some(&special) = word.get(n_plain) else {
            rest = after;
            n_words += 1;
            if n_words == LONG {
                n_words = 0;
                let (run, after) = rest.split_at(word::plain_blocks_end(rest, 0));
                out.extend_from_slice(run);
                rest = after;
            }
            continue;
        };
        n_words = 0;
        out.truncate(out.len() - (8 - n_plain));
        encode_byte(special, out);
        rest = rest.get(n_plain + 1..).unwrap_or_default();
    }
    for byte in rest {
        encode_byte(*byte, out);
    }
}

#[inline]
fn encode_byte(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        byte if byte < 0x20 => encode_control(byte, out),
        byte => out.push(byte),
    }
}

fn encode_control(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
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

/// Returns how many bytes [`escape`](encode) writes for a text.
#[must_use]
pub fn escaped_len(text: &[u8]) -> usize {
    let n_special = word::count_special(text);
    if n_special == 0 {
        return text.len();
    }
    let has_short_escape = |byte| matches!(byte, b'\n' | b'\r' | b'\t' | 0x08 | 0x0C);
    let is_long = |byte: &&u8| **byte < 0x20 && !has_short_escape(**byte);
    // A short escape adds one byte, and a long one, such as `\u0001`, five.
    text.len() + n_special + 4 * text.iter().filter(is_long).count()
}

/// Estimates how many bytes a text needs as a JSON string. The estimate is based on the start of
/// the text, because counting in a large text costs more than a small error.
pub(crate) fn encoded_len(text: &[u8]) -> usize {
    const SAMPLE: usize = 16 * 1024;
    match text.get(..SAMPLE) {
        None => text.len() + word::count_special(text) + 2,
        Some(sample) => {
            let n_special = word::count_special(sample) + SAMPLE / 64;
            text.len() + text.len() / SAMPLE * n_special + SAMPLE
        }
    }
}
