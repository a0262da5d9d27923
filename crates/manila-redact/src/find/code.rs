//! Values in code: after a type, after brackets, and as the fallback of an expression.

use std::ops::Range;

use memchr::memchr;

use super::name;
use super::separators::{is_quote, skip_blanks};
use crate::edit::REPLACEMENT;

/// Returns the position of the quote after a type: `api_key: &str = "…"`, `password: string = '…'`
pub(super) fn after_type(text: &[u8], at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 40;
    let near = text.get(at..text.len().min(at + BYTES_MAX))?;
    let path = match near.strip_prefix(b"&") {
        // A lifetime may follow.
        Some([b'\'', rest @ ..]) => rest.get(memchr(b' ', rest)? + 1..)?,
        Some(rest) => rest,
        None => near,
    };
    let is_letter = |it: &u8| {
        it.is_ascii_alphabetic() || matches!(it, b'_' | b'<' | b'>' | b'[' | b']' | b'.' | b':')
    };
    let len = path.iter().position(|it| !is_letter(it))?;
    let equals = skip_blanks(path, len);
    let is_type = path.first()?.is_ascii_alphabetic() && equals > len && path.get(equals)? == &b'=';
    let quote = skip_blanks(text, at + near.len() - path.len() + equals + 1);
    (is_type && text.get(quote).is_some_and(|it| is_quote(*it))).then_some(quote)
}

/// Returns the position after the brackets at `at`: `password[] = …`, `[password] => …`,
/// `Access Key [None]: …`
pub(super) fn after_brackets(text: &[u8], name: usize, at: usize) -> Option<usize> {
    const BYTES_MAX: usize = 24;
    let rest = text.get(at..text.len().min(at + BYTES_MAX))?;
    if rest.first() == Some(&b']') {
        let before = text.get(..name::start(text, name))?;
        return (before.last() == Some(&b'[')).then_some(at + 1);
    }
    if rest.starts_with(REPLACEMENT.as_bytes()) {
        return None;
    }
    let end = memchr(b']', rest)?;
    let is_plain = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'*' | b' ' | b'[');
    rest.get(..end)?.iter().all(is_plain).then_some(at + end + 1)
}

/// Finds a string literal in a value that is code. It is a fallback or an argument:
/// `env.KEY ?? "…"`, `getenv("KEY") or "…"`, `String::from("…")`
pub(super) fn find_literal(text: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    const BYTES_MAX: usize = 120;
    const OPERATORS: [&[u8]; 4] = [b"??", b"||", b" or ", b"String::from("];
    let line = text.get(value.start..text.len().min(value.start + BYTES_MAX))?;
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len()))?;
    let quote_after = |operator: &&[u8]| {
        let at = memchr::memmem::find(line, operator)?;
        let quote = skip_blanks(line, at + operator.len());
        line.get(quote).filter(|it| is_quote(**it)).map(|_| quote)
    };
    let quote = OPERATORS.iter().find_map(quote_after)?;
    let start = quote + 1;
    let len = memchr(*line.get(quote)?, line.get(start..)?)?;
    Some(value.start + start..value.start + start + len)
}

/// Finds the new value after the quoted one that ends at `end`: `"old" -> "new"`
pub(super) fn find_new_value(text: &[u8], end: usize) -> Option<Range<usize>> {
    let quote = text.get(end).filter(|it| is_quote(**it))?;
    let rest = text.get(end + 1..)?.strip_prefix(b" -> ")?.strip_prefix(&[*quote])?;
    let start = text.len() - rest.len();
    let len = memchr::memchr2(*quote, b'\n', rest)?;
    (rest.get(len) == Some(quote)).then_some(start..start + len)
}
