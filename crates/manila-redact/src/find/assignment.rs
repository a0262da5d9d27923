//! The value assigned to a name, in any syntax: `=`, `:`, JSON, YAML, TOML, headers, options, XML,
//! code.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::separators::{is_quote, skip_blanks, skip_colours};
use super::{Runs, code, name, pairs};
use crate::escapes::{is_escape, skip_backslashes};
use crate::value::{LEN_MAX, Quoting};

/// A value and the syntax of its assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) value: Range<usize>,
    pub(crate) quoting: Quoting,
    pub(crate) sep: Sep,
    /// Whether the name is in double quotes, as in JSON.
    pub(crate) is_json_key: bool,
    /// The number of backslashes before the quote after the name.
    pub(crate) n_backslashes: u8,
}

/// The separator between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sep {
    Equals,
    Colon,
    /// `--password x`
    Space,
    /// `<password>x</password>`
    Element,
    /// `("password", "x")`
    Comma,
}

impl Sep {
    /// Returns whether prose may follow this separator instead of a value.
    pub(crate) fn allows_prose(self) -> bool {
        matches!(self, Sep::Colon | Sep::Space)
    }
}

/// Finds the value assigned to the name at `name..name_end`.
#[inline]
pub(crate) fn find(
    text: &[u8],
    name: usize,
    name_end: usize,
    runs: &mut Runs,
) -> Option<Assignment> {
    // Usually the word continues, or another word follows.
    if let Some(b'a'..=b'r' | b't'..=b'z' | b'A'..=b'R' | b'T'..=b'Z') = text.get(name_end) {
        return None;
    }
    let suffix_end = suffix_end(text, name_end);
    let mut at = suffix_end;
    let quote_at = skip_backslashes(text, at);
    let key_quote = text.get(quote_at).copied().filter(|it| is_quote(*it));
    if key_quote.is_some() {
        at = quote_at + 1;
        if text.get(at) == Some(&b']') {
            at += 1;
        }
    } else if quote_at > at && !is_escape(text, at) {
        return None;
    } else if let Some(b'[' | b']') = text.get(skip_blanks(text, at)) {
        // An array in C, an array printed by a program, or a prompt with a default.
        at = code::after_brackets(text, name, skip_blanks(text, at))?;
    }
    let (sep, at) = separator(text, name, at, key_quote)?;
    let is_json_key = key_quote == Some(b'"');
    let n_backslashes = u8::try_from(quote_at - suffix_end).unwrap_or(0);
    let (value, quoting) = value(text, name, at, sep, runs)?;
    Some(Assignment { value, quoting, sep, is_json_key, n_backslashes })
}

/// Returns the end of a name, including a plural `s` or a number: `tokens`, `PASSWORD_2`.
pub(crate) fn suffix_end(text: &[u8], name_end: usize) -> usize {
    let mut at = name_end;
    if let Some(b's' | b'S') = text.get(at) {
        at += 1;
    }
    let number = if text.get(at) == Some(&b'_') { at + 1 } else { at };
    let mut end = number;
    while end < number + 3 && text.get(end).is_some_and(u8::is_ascii_digit) {
        end += 1;
    }
    if end > number { end } else { at }
}

/// The assignment operators; each one precedes its prefixes. Those without a separator do not
/// assign a value.
const OPERATORS: [(&[u8], Option<Sep>); 15] = [
    (b"===", Some(Sep::Equals)),
    (b"==", Some(Sep::Equals)),
    (b"=>", Some(Sep::Equals)),
    (b"=", Some(Sep::Equals)),
    (b":=", Some(Sep::Equals)),
    (b"::", None),
    (b"://", None),
    (b":", Some(Sep::Colon)),
    (b"%3D", Some(Sep::Equals)),
    (b"%3d", Some(Sep::Equals)),
    (b"%3A", Some(Sep::Colon)),
    (b"%3a", Some(Sep::Colon)),
    (b"\\u003d", Some(Sep::Equals)),
    (b"\\u003D", Some(Sep::Equals)),
    (b"\\u003a", Some(Sep::Colon)),
];

/// Returns the separator after a name, and its end.
#[inline]
fn separator(text: &[u8], name: usize, at: usize, key_quote: Option<u8>) -> Option<(Sep, usize)> {
    let at = skip_colours(text, at);
    let blanks_end = skip_blanks(text, at);
    let rest = text.get(blanks_end..)?;
    match rest {
        // The most common case, handled without a search.
        [b'=', next, ..] if !matches!(next, b'=' | b'>') => {
            return Some((Sep::Equals, blanks_end + 1));
        }
        [b'=' | b':' | b'%' | b'\\', ..] => {
            let (operator, sep) = OPERATORS.iter().find(|(it, _)| rest.starts_with(it))?;
            return sep.map(|sep| (sep, blanks_end + operator.len()));
        }
        [b'\n' | b'\r', ..] => {
            return pairs::value_line(text, name, blanks_end).map(|at| (Sep::Colon, at));
        }
        [b'>', ..] => {
            let is_element = match key_quote {
                None => name::opens_element(text, name),
                // <property name="password">…</property>
                Some(_) => name::is_attribute(text, name),
            };
            return is_element.then_some((Sep::Element, blanks_end + 1));
        }
        [b'(', quote, ..] if key_quote.is_none() && is_quote(*quote) => {
            return name::is_setter(text, name).then_some((Sep::Comma, blanks_end + 1));
        }
        [b',', ..] if key_quote.is_some() => {
            if let Some(value_at) = pairs::value_member(text, name, blanks_end + 1) {
                return Some((Sep::Colon, value_at));
            }
            let value_at = skip_blanks(text, blanks_end + 1);
            let quote_at = skip_backslashes(text, value_at);
            let is_quoted = text.get(quote_at).is_some_and(|it| is_quote(*it));
            let is_pair = name::is_option(text, name) || name::is_argument(text, name);
            return (is_quoted && is_pair).then_some((Sep::Comma, value_at));
        }
        _ => {}
    }
    if key_quote.is_some() {
        // <add key="Password" value="…"/>
        let value = rest.strip_prefix(b"value=").or_else(|| rest.strip_prefix(b"Value="))?;
        return (blanks_end > at).then_some((Sep::Equals, text.len() - value.len()));
    }
    if blanks_end == at {
        return None;
    }
    match text.get(..name::start(text, name))? {
        [.., b'<'] => {
            let content = name::element_content(text, blanks_end)?;
            return Some((Sep::Element, content));
        }
        [.., b'v', b'a', b'r', b' '] | [.., b'c', b'o', b'n', b's', b't', b' '] => {
            let quote = code::after_type(text, blanks_end)?;
            return Some((Sep::Equals, quote));
        }
        _ => {}
    }
    let is_spaced =
        name::is_option(text, name) || is_quoted_word(rest) || name::is_entry(text, name);
    (is_spaced && rest.first().is_some_and(|it| *it != b'-')).then_some((Sep::Space, blanks_end))
}

/// Returns whether the value after a space is in quotes, as in SQL and C.
fn is_quoted_word(rest: &[u8]) -> bool {
    matches!(rest, [b'\'' | b'"', next, ..] if next.is_ascii_alphanumeric())
}

/// Finds the value that begins at `at` or after the blanks there.
#[inline]
fn value(
    text: &[u8],
    name: usize,
    at: usize,
    sep: Sep,
    runs: &mut Runs,
) -> Option<(Range<usize>, Quoting)> {
    let at = skip_colours(text, skip_blanks(text, at));
    let at = if sep == Sep::Colon { after_colon(text, name, at) } else { at };
    let start = skip_string_prefix(text, at);
    let quote_at = skip_backslashes(text, start);
    if let Some(&quote) = text.get(quote_at).filter(|it| is_quote(**it)) {
        // Python has triple-quoted strings.
        let is_triple = text.get(quote_at + 1..quote_at + 3) == Some(&[quote; 2]);
        let value_start = if is_triple { quote_at + 3 } else { quote_at + 1 };
        if let Some(end) = closing_quote(text, value_start, quote, quote_at - start) {
            return Some((value_start..end, Quoting::Quoted));
        }
        return Some((value_start..bare_end(text, value_start, sep, runs), Quoting::Bare));
    }
    if let Some(start) = after_encoded_quote(text, at) {
        return Some((start..bare_end(text, start, sep, runs), Quoting::Quoted));
    }
    if sep == Sep::Element {
        let end = at + memchr2(b'<', b'\n', text.get(at..text.len().min(at + LEN_MAX))?)?;
        let is_closed = text.get(end..)?.starts_with(b"</");
        return is_closed.then_some((at..end, Quoting::Quoted));
    }
    if sep == Sep::Equals
        && let Some(range) = braced_value(text, name, at)
    {
        return Some((range, Quoting::Quoted));
    }
    if sep == Sep::Equals
        && let Some(semicolon) = runs.semicolon(text, at)
        && let Some(end) = list_value_end(text, name, at, semicolon)
    {
        let end = end.max(bare_end(text, at, sep, runs));
        return Some((at..end, Quoting::Bare));
    }
    Some((at..bare_end(text, at, sep, runs), Quoting::Bare))
}

/// Skips the text between a colon and the value: a type, a YAML tag, or a line end.
fn after_colon(text: &[u8], name: usize, at: usize) -> usize {
    let first = text.get(at).copied();
    let found = match first {
        Some(b'\n' | b'\r' | b'|' | b'>') => pairs::next_line(text, name, at),
        Some(b'!' | b'&') => pairs::after_tag(text, at).or_else(|| code::after_type(text, at)),
        Some(_) => code::after_type(text, at),
        None => None,
    };
    found.unwrap_or(at)
}

/// Finds a value in braces in a list of pairs, unless it is only a name: `PWD={a;b1};`
fn braced_value(text: &[u8], name: usize, at: usize) -> Option<Range<usize>> {
    const BYTES_MAX: usize = 256;
    let inside = text.get(at..text.len().min(at + BYTES_MAX))?.strip_prefix(b"{")?;
    let len = memmem::find(inside, b"};")?;
    let is_name = |it: &u8| it.is_ascii_alphabetic() || matches!(it, b'_' | b'.' | b'{' | b' ');
    let before = text.get(..name::start(text, name))?;
    let is_listed = before.trim_ascii_end().last() == Some(&b';');
    let is_value = !inside.get(..len)?.iter().all(is_name);
    (is_listed && is_value).then_some(at + 1..at + 1 + len)
}

/// Skips the prefix of a string literal: `b"…"`, `f'…'`, `@"…"`, `N'…'`
fn skip_string_prefix(text: &[u8], at: usize) -> usize {
    match text.get(at..) {
        Some([b'b' | b'f' | b'r' | b'u' | b'B' | b'F' | b'R' | b'@' | b'L' | b'N', quote, ..])
            if is_quote(*quote) =>
        {
            at + 1
        }
        _ => at,
    }
}

/// Returns the position after an encoded quote at `at`, such as `\u0022` or `&quot;`.
fn after_encoded_quote(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if !matches!(rest, [b'\\' | b'&' | b'%', ..]) {
        return None;
    }
    let quotes = [&b"\\u0022"[..], b"\\u0027", b"&quot;", b"%22"];
    quotes.iter().find(|it| rest.starts_with(it)).map(|it| at + it.len())
}

/// Returns the end of a value in quotes, on the same line. In nested strings, the closing quote has
/// as many backslashes as the opening one.
fn closing_quote(text: &[u8], start: usize, quote: u8, n_backslashes: usize) -> Option<usize> {
    let end = text.len().min(start + LEN_MAX);
    let mut at = start;
    loop {
        let found = at + memchr2(quote, b'\n', text.get(at..end)?)?;
        if text.get(found) == Some(&b'\n') {
            return None;
        }
        let before = text.get(start..found)?;
        let n_before = before.iter().rev().take_while(|it| **it == b'\\').count();
        let is_closing =
            if n_backslashes == 0 { n_before % 2 == 0 } else { n_before <= n_backslashes };
        if is_closing {
            return Some(if n_backslashes == 0 { found } else { found - n_before });
        }
        at = found + 1;
    }
}

/// Returns the end of a value without quotes.
#[inline]
fn bare_end(text: &[u8], start: usize, sep: Sep, runs: &mut Runs) -> usize {
    const EXAMINED_MAX: usize = 96;
    let (end, has_closing) = runs.end(text, start, sep == Sep::Equals);
    if !has_closing {
        return end;
    }
    // A closing bracket ends the value unless the value opened it.
    let examined = text.get(start..end.min(start + EXAMINED_MAX)).unwrap_or_default();
    let mut from = 0;
    while let Some(at) = memchr3(b')', b']', b'}', examined.get(from..).unwrap_or_default()) {
        let at = from + at;
        let opening = match examined.get(at) {
            Some(b')') => b'(',
            Some(b']') => b'[',
            _ => b'{',
        };
        let continues = examined.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !continues && memchr(opening, examined.get(..at).unwrap_or_default()).is_none() {
            return start + at;
        }
        from = at + 1;
    }
    end
}

/// Returns the end of a value in a list of pairs with semicolons, such as a connection string.
/// There, a value ends at the next semicolon and may contain blanks and commas.
fn list_value_end(text: &[u8], name: usize, start: usize, semicolon: usize) -> Option<usize> {
    const FIRST_MAX: usize = 128;
    let before = text.get(..name::start(text, name))?;
    let is_listed = before.iter().rev().find(|it| **it != b' ') == Some(&b';');
    // The pair after the first one shows that it is a list, and must begin nearby.
    let len_max = if is_listed { LEN_MAX } else { FIRST_MAX };
    let rest = text.get(start..text.len().min(start + len_max))?;
    if semicolon >= start + len_max {
        return None;
    }
    let is_end =
        |it: &u8| matches!(it, b';' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | 0..=0x1F);
    let len = rest.iter().position(is_end)?;
    let is_before_pair = rest.get(len) == Some(&b';') && is_pair(rest.get(len + 1..)?);
    let is_end_of_list = is_listed && rest.get(len) == Some(&b';');
    (is_before_pair || is_end_of_list).then_some(start + len)
}

/// Returns whether a text begins with a name and `=`.
fn is_pair(text: &[u8]) -> bool {
    const NAME_MAX: usize = 40;
    let head = text.get(..NAME_MAX).unwrap_or(text);
    let name = memchr(b'=', head).and_then(|at| head.get(..at));
    name.is_some_and(|name| {
        !name.is_empty()
            && name.iter().all(|it| it.is_ascii_alphanumeric() || matches!(it, b' ' | b'_'))
    })
}
