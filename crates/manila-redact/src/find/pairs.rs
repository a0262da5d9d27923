//! Pairs whose name is itself a value, and values on the line after their name.

use memchr::{memchr, memmem, memrchr};

use super::name;
use super::separators::skip_blanks;
use crate::escapes::skip_backslashes;

/// Returns the start of the value of a `value:` line, after a `name:` line that ends at `line_end`:
/// `- name: PASSWORD`, `  value: x`
pub(super) fn value_line(text: &[u8], name: usize, line_end: usize) -> Option<usize> {
    let rest = text.get(line_end..)?;
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
    let next = skip_blanks(text, text.len() - rest.len());
    if !text.get(next..)?.starts_with(b"value:") {
        return None;
    }
    let before = text.get(..name::start(text, name))?;
    let line = memrchr(b'\n', before).map_or(before, |at| before.get(at + 1..).unwrap_or_default());
    let unquoted = line.strip_suffix(b"\"").or(line.strip_suffix(b"'")).unwrap_or(line);
    let is_name = is_name_line(line) && unquoted.trim_ascii_end().ends_with(b"name:");
    is_name.then_some(next + "value:".len())
}

/// Returns whether a line may name a value that follows on a later line.
pub(crate) fn may_await_value(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_open = [&b":"[..], b": |", b": >", b": |-", b": >-"].iter().any(|it| line.ends_with(it));
    is_open || is_name_line(line) || (line.ends_with(b",") && has_name_member(line))
}

fn is_name_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.strip_prefix(b"-").unwrap_or(line).trim_ascii_start().starts_with(b"name:")
}

/// Returns whether a line contains a member called `name` or `key`.
fn has_name_member(line: &[u8]) -> bool {
    [&b"name\""[..], b"key\"", b"Name\"", b"Key\""]
        .iter()
        .any(|it| memmem::find(line, it).is_some())
}

/// Returns the start of the value of the member `value` at `at`, after the comma that follows a
/// name: `"name": "PASSWORD", "value": "x"`
pub(super) fn value_member(text: &[u8], name: usize, at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 64;
    let near = text.get(at..text.len().min(at + BYTES_MAX))?;
    let is_space = |it: &u8| it.is_ascii_whitespace();
    let mut next = at + near.iter().position(|it| !is_space(it))?;
    if text.get(next..)?.starts_with(b"\\n") {
        next = skip_blanks(text, next + 2);
    }
    let quote = skip_backslashes(text, next);
    let member = text.get(quote..)?.strip_prefix(b"\"")?;
    let rest = member.strip_prefix(b"value").or(member.strip_prefix(b"Value"))?;
    let end = skip_backslashes(text, text.len() - rest.len());
    let colon = skip_blanks(text, end + 1);
    if text.get(end) != Some(&b'"') || text.get(colon) != Some(&b':') {
        return None;
    }
    let before = text.get(..name::start(text, name))?;
    let before = trim_quote(before)?.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let key = trim_quote(before)?;
    let is_name = |it: &&[u8]| key.ends_with(it);
    [&b"name"[..], b"key", b"Name", b"Key"].iter().any(is_name).then_some(colon + 1)
}

/// Removes the quote at the end of a text, and the backslashes before it.
fn trim_quote(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b"\"")?;
    let n_backslashes = text.iter().rev().take_while(|it| **it == b'\\').count();
    text.get(..text.len() - n_backslashes)
}

/// Returns the start of the value on the line after `password:`, which may end with `|` or `>`. The
/// next line must be indented further, and must not be a pair itself.
pub(super) fn next_line(text: &[u8], name: usize, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let n_indicators = rest.iter().take_while(|it| matches!(it, b'|' | b'>' | b'-' | b'+')).count();
    let line_end = skip_blanks(text, at + n_indicators.min(2));
    let rest = text.get(line_end..)?;
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest).strip_prefix(b"\n")?;
    let next_start = text.len() - rest.len();
    let value = skip_blanks(text, next_start);
    let before = text.get(..name::start(text, name))?;
    let line = memrchr(b'\n', before).map_or(0, |found| found + 1);
    let indent = skip_blanks(text, line) - line;
    // In code, other words precede the name: `if password:`
    if !matches!(before.get(line + indent..)?, b"" | b"- " | b"\"" | b"'") {
        return None;
    }
    let line = text.get(value..)?;
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len()))?.trim_ascii();
    let is_pair = line.ends_with(b":") || memmem::find(line, b": ").is_some();
    let is_plain = !is_pair && !line.starts_with(b"-") && !line.starts_with(b"#");
    (value - next_start > indent && is_plain).then_some(value)
}

/// Returns the position after the tag or anchor of a YAML value: `!!str x`, `&pw x`
pub(super) fn after_tag(text: &[u8], at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 32;
    let near = text.get(at..text.len().min(at + BYTES_MAX))?;
    let len = near.iter().position(|it| matches!(it, b' ' | b'\n'))?;
    let is_tag = near.get(1..len)?.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'!');
    let next = skip_blanks(text, at + len);
    // A value also follows a Rust type, but after `=`.
    (is_tag && near.get(len) == Some(&b' ') && text.get(next) != Some(&b'=')).then_some(next)
}
