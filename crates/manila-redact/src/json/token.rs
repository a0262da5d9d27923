//! The strings of JSON, found without parsing it.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::quote_or_backslash;

/// A string token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The bytes between its quotes.
    pub(super) inside: Range<usize>,
    /// Whether a backslash stands in it.
    pub(super) has_escapes: bool,
}

impl Token {
    /// The string whose opening quote stands at `quote`. One that is cut off ends with the text.
    pub(super) fn at(json: &[u8], quote: usize) -> Option<Token> {
        let start = quote + 1;
        let (mut at, mut has_escapes) = (start, false);
        while let Some(found) = quote_or_backslash(json, at) {
            if json.get(found) == Some(&b'"') {
                return Some(Token { inside: start..found, has_escapes });
            }
            has_escapes = true;
            at = found + 2;
        }
        (start <= json.len()).then_some(Token { inside: start..json.len(), has_escapes })
    }

    /// The next string that begins at `at` or later.
    pub(super) fn after(json: &[u8], at: usize) -> Option<Token> {
        let quote = at + memchr(b'"', json.get(at..)?)?;
        Token::at(json, quote)
    }

    /// The string that `at` is inside of, and that begins at `floor` or later. Outside of strings
    /// JSON has no literal of a rule, so the last quote that is no escape opened the string.
    pub(super) fn around(json: &[u8], floor: usize, at: usize) -> Option<Token> {
        let mut end = at;
        loop {
            let quote = floor + memrchr(b'"', json.get(floor..end)?)?;
            let before = json.get(floor..quote)?;
            let n_backslashes = before.iter().rev().take_while(|it| **it == b'\\').count();
            if n_backslashes % 2 == 0 {
                return Token::at(json, quote).filter(|token| token.inside.contains(&at));
            }
            end = quote;
        }
    }

    /// The bytes between its quotes.
    pub(super) fn text<'a>(&self, json: &'a [u8]) -> &'a [u8] {
        json.get(self.inside.clone()).unwrap_or_default()
    }

    /// Whether it is the value of a member that MCP itself uses, or media.
    pub(super) fn is_protocol(&self, json: &[u8]) -> bool {
        const NAMES: [&[u8]; 9] = [
            b"uri",
            b"cursor",
            b"nextCursor",
            b"progressToken",
            b"requestState",
            b"taskId",
            b"requestId",
            b"mimeType",
            b"uriTemplate",
        ];
        let Some(key) = self.key(json) else { return false };
        NAMES.contains(&key) || (matches!(key, b"blob" | b"data") && is_base64(self.text(json)))
    }

    /// The key of the member that it is the value of.
    fn key<'a>(&self, json: &'a [u8]) -> Option<&'a [u8]> {
        let before = json.get(..self.inside.start.checked_sub(1)?)?.trim_ascii_end();
        let before = before.strip_suffix(b":")?.trim_ascii_end();
        let before = before.strip_suffix(b"\"")?;
        before.get(memrchr(b'"', before)? + 1..)
    }
}

/// Whether a string is long enough, and only made of what base64 is made of.
fn is_base64(text: &[u8]) -> bool {
    const LEN_MIN: usize = 64;
    text.len() >= LEN_MIN
        && text.len().is_multiple_of(4)
        && text.iter().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/' | b'='))
}

pub(super) fn skip_space(json: &[u8], mut at: usize) -> usize {
    while matches!(json.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The next byte that is no space, and the place after it.
pub(super) fn after(json: &[u8], at: usize) -> Option<(u8, usize)> {
    let at = skip_space(json, at);
    Some((*json.get(at)?, at + 1))
}

/// Where the string, number or word ends that begins at `at`; `None` if it is none of these.
pub(super) fn scalar_end(json: &[u8], at: usize) -> Option<usize> {
    match json.get(at)? {
        b'"' => Some(Token::at(json, at)?.inside.end + 1),
        b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
            let rest = json.get(at..)?;
            let is_end = |it: &u8| matches!(it, b',' | b']' | b'}') || it.is_ascii_whitespace();
            Some(at + rest.iter().position(is_end).unwrap_or(rest.len()))
        }
        _ => None,
    }
}

/// Where the value begins that belongs to the label in `token`, a value itself: in
/// `["--password", "x"]` and `{"name": "PASSWORD", "type": "text", "value": "x"}`.
pub(super) fn named_value(json: &[u8], token: &Token, at: usize) -> Option<usize> {
    const BETWEEN_MAX: usize = 3;
    let mut at = at;
    for n in 0..=BETWEEN_MAX {
        let quote = skip_space(json, at);
        if json.get(quote) != Some(&b'"') {
            return None;
        }
        let next = Token::at(json, quote)?;
        let Some((b':', value)) = after(json, next.inside.end + 1) else {
            return (n == 0 && token.text(json).starts_with(b"-")).then_some(quote);
        };
        if next.text(json).eq_ignore_ascii_case(b"value") {
            return Some(value);
        }
        let end = scalar_end(json, skip_space(json, value))?;
        match after(json, end)? {
            (b',', after) => at = after,
            _ => return None,
        }
    }
    None
}
