//! The strings of JSON, located without parsing it.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::find_quote_or_backslash;

/// A string token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// The range between its quotes.
    pub(super) inside: Range<usize>,
    /// Whether it contains a backslash.
    pub(super) has_escapes: bool,
}

impl Token {
    /// Returns the string whose opening quote is at `quote`. A truncated one ends with the text.
    pub(super) fn at(json: &[u8], quote: usize) -> Option<Token> {
        let start = quote + 1;
        let (mut at, mut has_escapes) = (start, false);
        while let Some(found) = find_quote_or_backslash(json, at) {
            if json.get(found) == Some(&b'"') {
                return Some(Token { inside: start..found, has_escapes });
            }
            has_escapes = true;
            at = found + 2;
        }
        (start <= json.len()).then_some(Token { inside: start..json.len(), has_escapes })
    }

    /// Returns the next string that begins at `at` or later.
    pub(super) fn after(json: &[u8], at: usize) -> Option<Token> {
        let quote = at + memchr(b'"', json.get(at..)?)?;
        Token::at(json, quote)
    }

    /// Returns the string that contains `at` and begins at `floor` or later.
    ///
    /// Outside strings, JSON contains no literal of a rule. The last unescaped quote before `at`
    /// therefore opened the string.
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

    /// Returns the bytes between its quotes.
    pub(super) fn text<'a>(&self, json: &'a [u8]) -> &'a [u8] {
        json.get(self.inside.clone()).unwrap_or_default()
    }

    /// Returns whether it is media, or the value of a member that MCP itself uses.
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

    /// Returns the key of the member whose value it is.
    fn key<'a>(&self, json: &'a [u8]) -> Option<&'a [u8]> {
        let before = json.get(..self.inside.start.checked_sub(1)?)?.trim_ascii_end();
        let before = before.strip_suffix(b":")?.trim_ascii_end();
        let before = before.strip_suffix(b"\"")?;
        before.get(memrchr(b'"', before)? + 1..)
    }
}

/// Returns whether a string is long enough and consists only of base64 characters.
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

/// Returns the next byte that is not whitespace, and the position after it.
pub(super) fn next_byte(json: &[u8], at: usize) -> Option<(u8, usize)> {
    let at = skip_space(json, at);
    Some((*json.get(at)?, at + 1))
}

/// Returns the end of the string, number or literal that begins at `at`; `None` for other values.
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

/// Returns the start of the value for the label in `token`, which is itself a value, as in
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
        let Some((b':', value)) = next_byte(json, next.inside.end + 1) else {
            return (n == 0 && token.text(json).starts_with(b"-")).then_some(quote);
        };
        if next.text(json).eq_ignore_ascii_case(b"value") {
            return Some(value);
        }
        let end = scalar_end(json, skip_space(json, value))?;
        match next_byte(json, end)? {
            (b',', next) => at = next,
            _ => return None,
        }
    }
    None
}
