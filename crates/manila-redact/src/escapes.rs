//! Backslashes: escape sequences in a text, and the decoding of JSON strings.

/// Returns whether the backslash at `at` begins a JSON escape.
pub(crate) fn is_escape(text: &[u8], at: usize) -> bool {
    matches!(text.get(at + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'u' | b'/'))
}

/// Skips the backslashes at `at`. The quotes of nested strings have up to seven.
pub(crate) fn skip_backslashes(text: &[u8], mut at: usize) -> usize {
    const BACKSLASHES_MAX: usize = 7;
    let end = at + BACKSLASHES_MAX;
    while at < end && text.get(at) == Some(&b'\\') {
        at += 1;
    }
    at
}

/// Decodes the bytes between the quotes of a JSON string.
pub(crate) fn decode(inside: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escaped) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (_, len) = unescape(escaped, &mut out);
        rest = escaped.get(len..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// Maps offsets in the decoded text of a JSON string to offsets between its quotes. Lookups must be
/// in ascending order, because each one continues at the previous one.
pub(crate) struct RawOffsets<'a> {
    inside: &'a [u8],
    raw: usize,
    decoded: usize,
}

impl<'a> RawOffsets<'a> {
    pub(crate) fn new(inside: &'a [u8]) -> RawOffsets<'a> {
        RawOffsets { inside, raw: 0, decoded: 0 }
    }

    /// Returns the raw offset of decoded byte `n`. Inside a character, this is the character's
    /// start.
    pub(crate) fn raw_offset(&mut self, n: usize) -> usize {
        let mut scratch = Vec::with_capacity(4);
        while self.decoded < n {
            let rest = self.inside.get(self.raw..).unwrap_or_default();
            let remaining = n - self.decoded;
            let n_plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            if n_plain > 0 || rest.is_empty() {
                let step = n_plain.min(remaining);
                self.raw += step;
                self.decoded += step;
                if step == 0 {
                    break;
                }
                continue;
            }
            scratch.clear();
            let (n_bytes, len) = unescape(rest, &mut scratch);
            if n_bytes > remaining {
                break;
            }
            self.raw += len;
            self.decoded += n_bytes;
        }
        self.raw
    }
}

/// Decodes the escape at the start of `escaped`. Returns the number of bytes written and the length
/// of the escape.
fn unescape(escaped: &[u8], out: &mut Vec<u8>) -> (usize, usize) {
    let simple = match escaped.get(1) {
        Some(b'b') => 0x08,
        Some(b'f') => 0x0C,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'u') => return unescape_unicode(escaped, out),
        Some(&other) => other,
        None => b'\\',
    };
    out.push(simple);
    (1, escaped.len().min(2))
}

fn unescape_unicode(escaped: &[u8], out: &mut Vec<u8>) -> (usize, usize) {
    let first = code_unit(escaped);
    let second = escaped.get(6..).and_then(code_unit);
    let (found, len) = match (first, second) {
        (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
            (char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
        }
        (Some(unit), _) => (char::from_u32(unit), 6),
        (None, _) => (None, escaped.len().min(2)),
    };
    let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut buffer = [0; 4];
    let bytes = found.encode_utf8(&mut buffer).as_bytes();
    out.extend_from_slice(bytes);
    (bytes.len(), len)
}

fn code_unit(escaped: &[u8]) -> Option<u32> {
    let digits = escaped.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
