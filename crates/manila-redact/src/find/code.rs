//! Values in code: behind a type, in brackets, as what is used when nothing else is there.

use std::ops::Range;

use memchr::memchr;

use super::between::{is_quote, skip_blanks};
use super::name;
use crate::edit::MARK;

/// Where the quote stands after a type: `api_key: &str = "…"`, `password: string = '…'`.
pub(super) fn after_type(text: &[u8], at: usize) -> Option<usize> {
    const MOST: usize = 40;
    let near = text.get(at..text.len().min(at + MOST))?;
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
    let sign = skip_blanks(path, len);
    let is_type = path.first()?.is_ascii_alphabetic() && sign > len && path.get(sign)? == &b'=';
    let quote = skip_blanks(text, at + near.len() - path.len() + sign + 1);
    (is_type && text.get(quote).is_some_and(|it| is_quote(*it))).then_some(quote)
}

/// After the brackets at `at`: `password[] = …`, `[password] => …`, `Access Key [None]: …`
pub(super) fn after_brackets(text: &[u8], name: usize, at: usize) -> Option<usize> {
    const MOST: usize = 24;
    let rest = text.get(at..text.len().min(at + MOST))?;
    if rest.first() == Some(&b']') {
        let before = text.get(..name::start(text, name))?;
        return (before.last() == Some(&b'[')).then_some(at + 1);
    }
    if rest.starts_with(MARK.as_bytes()) {
        return None;
    }
    let end = memchr(b']', rest)?;
    let is_plain = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'*' | b' ' | b'[');
    rest.get(..end)?.iter().all(is_plain).then_some(at + end + 1)
}

/// What is used when nothing else is there, or made into a string: `env.KEY ?? "…"`,
/// `getenv("KEY") or "…"`, `String::from("…")`. Asked about a value that is code.
pub(super) fn literal(text: &[u8], value: &Range<usize>) -> Option<Range<usize>> {
    const MOST: usize = 120;
    const SIGNS: [&[u8]; 4] = [b"??", b"||", b" or ", b"String::from("];
    let line = text.get(value.start..text.len().min(value.start + MOST))?;
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len()))?;
    let after_sign = |sign: &&[u8]| {
        let at = memchr::memmem::find(line, sign)?;
        let quote = skip_blanks(line, at + sign.len());
        line.get(quote).filter(|it| is_quote(**it)).map(|_| quote)
    };
    let quote = SIGNS.iter().find_map(after_sign)?;
    let start = quote + 1;
    let len = memchr(*line.get(quote)?, line.get(start..)?)?;
    Some(value.start + start..value.start + start + len)
}

/// The value after the one in quotes that ends at `end`: `"old" -> "new"`
pub(super) fn changed_to(text: &[u8], end: usize) -> Option<Range<usize>> {
    let quote = text.get(end).filter(|it| is_quote(**it))?;
    let rest = text.get(end + 1..)?.strip_prefix(b" -> ")?.strip_prefix(&[*quote])?;
    let start = text.len() - rest.len();
    let len = memchr::memchr2(*quote, b'\n', rest)?;
    (rest.get(len) == Some(quote)).then_some(start..start + len)
}
