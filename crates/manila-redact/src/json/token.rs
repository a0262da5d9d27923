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
        const NAMES: [&[u8]; 10] = [
            b"uri",
            b"cursor",
            b"nextCursor",
            b"progressToken",
            b"requestState",
            b"taskId",
            b"requestId",
            b"mimeType",
            b"uriTemplate",
            b"id",
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

/// Where the value begins that belongs to the label in `token`, a value itself: in
/// `["--password", "x"]` and `{"name": "PASSWORD", "value": "x"}`.
pub(super) fn named_value(json: &[u8], token: &Token, at: usize) -> Option<usize> {
    let quote = skip_space(json, at);
    if json.get(quote) != Some(&b'"') {
        return None;
    }
    let next = Token::at(json, quote)?;
    match after(json, next.inside.end + 1) {
        Some((b':', value)) => {
            let key = next.text(json);
            key.eq_ignore_ascii_case(b"value").then_some(value)
        }
        _ => token.text(json).starts_with(b"-").then_some(quote),
    }
}
