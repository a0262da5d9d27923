//! Names and the text before them.

use std::ops::Range;

use memchr::{memchr2, memrchr};

use super::separators::is_quote;
use crate::boundary::{is_start, is_word};

/// Returns the start of the whole name, which ends with the label at `name`.
pub(super) fn start(text: &[u8], name: usize) -> usize {
    const BYTES_MAX: usize = 40;
    let mut start = name;
    while start > 0
        && name - start < BYTES_MAX
        && text
            .get(start - 1)
            .is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.'))
    {
        start -= 1;
    }
    start
}

/// Returns whether the name is a shell variable with a default: `${PASSWORD:-x}`
pub(super) fn is_shell_variable(text: &[u8], name: usize) -> bool {
    let before = text.get(..start(text, name)).unwrap_or_default();
    before.ends_with(b"${")
}

/// Returns whether the name is that of an environment variable: upper-case letters, then directly
/// `=` and the value, as in `DB_PASSWORD=…`
///
/// Excludes the arguments of a call, and variables that are only passed on:
/// `update(SECRET_KEY=secret_key)`, `ENV TOKEN=TOKEN`
pub(super) fn is_exported(text: &[u8], name: usize, value: &Range<usize>) -> bool {
    const BYTES_MAX: usize = 64;
    let is_upper = |it: &&u8| it.is_ascii_uppercase() || it.is_ascii_digit() || **it == b'_';
    let Some([before @ .., b'=']) = text.get(..value.start) else { return false };
    let len = before.iter().rev().take(BYTES_MAX).take_while(is_upper).count();
    let start = before.len() - len;
    let (before, variable) = before.split_at(start);
    let value = text.get(value.clone()).unwrap_or_default();
    let tail = variable.get(variable.len().saturating_sub(value.len())..).unwrap_or_default();
    let is_argument = matches!(before.trim_ascii_end().last(), Some(b'(' | b','));
    start <= name
        && is_start(text, start, is_word)
        && !is_argument
        && !tail.eq_ignore_ascii_case(value)
}

/// Returns whether the name is an option: `--db-password`, `-password`
pub(super) fn is_option(text: &[u8], name: usize) -> bool {
    text.get(start(text, name)) == Some(&b'-')
}

/// Returns whether the name is the first argument of a call: `setenv("PASSWORD", …`
pub(super) fn is_argument(text: &[u8], name: usize) -> bool {
    let start = start(text, name);
    let before = text.get(..start).unwrap_or_default();
    matches!(before, [.., b'(', quote] if is_quote(*quote))
}

/// Returns whether the name opens an XML element: `<db:password>`
pub(super) fn opens_element(text: &[u8], name: usize) -> bool {
    let start = start(text, name);
    matches!(text.get(..start).unwrap_or_default(), [.., b'<' | b':'])
}

/// Returns whether the name is the value of an attribute such as `name` or `key`:
/// `<property name="password">`
pub(super) fn is_attribute(text: &[u8], name: usize) -> bool {
    let before = text.get(..start(text, name)).unwrap_or_default();
    let [before @ .., quote] = before else { return false };
    is_quote(*quote)
        && [&b"name="[..], b"key=", b"Name=", b"Key="].iter().any(|it| before.ends_with(it))
}

/// Returns the start of an element's content, where `at` is the start of its attributes:
/// `<password type="x">`
pub(super) fn element_content(text: &[u8], at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 160;
    let near = text.get(at..text.len().min(at + BYTES_MAX))?;
    let end = memchr2(b'>', b'\n', near).filter(|end| near.get(*end) == Some(&b'>'))?;
    let is_closed = near.get(..end)?.last() == Some(&b'/');
    (!is_closed).then_some(at + end + 1)
}

/// Returns whether the name is a setter: `.password("…")`, `setPassword("…")`
pub(super) fn is_setter(text: &[u8], name: usize) -> bool {
    let prefix = text.get(start(text, name)..name).unwrap_or_default();
    let last = prefix
        .iter()
        .rposition(|it| *it == b'.')
        .map_or(prefix, |at| prefix.get(at + 1..).unwrap_or_default());
    let is_method = last.is_empty() && prefix.last() == Some(&b'.');
    is_method || [&b"set"[..], b"with", b"Set", b"With"].iter().any(|it| last.starts_with(it))
}

/// Returns whether the name is part of a configuration entry with a space before the value:
/// `machine host login user password …`, `ENV PASSWORD …`, `requirepass …`, `configure set KEY …`
pub(super) fn is_entry(text: &[u8], name: usize) -> bool {
    const BYTES_MAX: usize = 96;
    let before = text.get(name.saturating_sub(BYTES_MAX)..name).unwrap_or_default();
    let line = memrchr(b'\n', before).and_then(|at| before.get(at + 1..)).unwrap_or(before);
    let is_known = |it: &[u8]| text.get(name..).is_some_and(|rest| rest.starts_with(it));
    [&b"machine "[..], b"default ", b"ENV "].iter().any(|start| line.starts_with(start))
        || [&b"requirepass "[..], b"masterauth ", b"bindpw "].iter().any(|it| is_known(it))
        || [&b"configure set "[..], b"config set "]
            .iter()
            .any(|it| text.get(..start(text, name)).is_some_and(|before| before.ends_with(it)))
}
