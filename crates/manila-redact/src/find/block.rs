//! Keys and certificates in blocks: `-----BEGIN … -----`, and the private lines of `PuTTY`.
//!
//! Each line of the body is hidden by itself, so that the text keeps its lines. A block that was
//! cut off is hidden as far as it goes. Line ends may be escapes, or single spaces.

use std::ops::Range;

use memchr::memmem;

use crate::boundary::is_start;
use crate::edit::MARK;
use crate::escapes::skip_backslashes;

/// The most that is read of one block.
pub(crate) const BLOCK_MAX: usize = 1024 * 1024;

/// A line of a block whose end is missing must have this many letters.
const LINE_MIN: usize = 16;

/// And this many where something is hidden already: all lines of a block are hidden at once, so
/// this may be another text.
const WHOLE_LINE_MIN: usize = 40;

/// The lines of the private key whose `-----BEGIN ` stands at `at`.
pub(super) fn private_key(text: &[u8], at: usize) -> Vec<Range<usize>> {
    begun(text, at, |kind| kind.ends_with(b"PRIVATE KEY") || kind.ends_with(b"PRIVATE KEY BLOCK"))
}

/// The lines of the certificate whose `-----BEGIN ` stands at `at`.
pub(super) fn certificate(text: &[u8], at: usize) -> Vec<Range<usize>> {
    begun(text, at, |kind| kind.ends_with(b"CERTIFICATE"))
}

/// The private lines that are announced before `at`.
pub(super) fn putty(text: &[u8], at: usize) -> Vec<Range<usize>> {
    let rest = text.get(at..).unwrap_or_default();
    let n_digits = rest.iter().take_while(|it| it.is_ascii_digit() || **it == b' ').count();
    let body = body(text, at + n_digits, b"");
    if body.has_mark && !body.has_line_of(WHOLE_LINE_MIN) { Vec::new() } else { body.lines }
}

/// The block of a private key or a certificate that stands at `at` in base64.
pub(super) fn encoded(text: &[u8], at: usize) -> Option<Range<usize>> {
    const HEAD: usize = 80;
    // `PRIVATE`, as it is written at each of three places, and `CERTIFICATE-`.
    const KINDS: [&[u8]; 4] = [b"QUklWQVRF", b"UFJJVkFUR", b"BSSVZBVEU", b"DRVJUSUZJQ0FURS0"];
    if !is_start(text, at, is_base64) {
        return None;
    }
    let rest = text.get(at..)?;
    let head = rest.get(..HEAD).unwrap_or(rest);
    let is_meant = KINDS.iter().any(|kind| memmem::find(head, kind).is_some());
    let len = || rest.iter().position(|it| !is_base64(*it)).unwrap_or(rest.len());
    is_meant.then(|| at..at + len())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn begun(text: &[u8], at: usize, is_meant: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    const BEGIN: usize = "-----BEGIN ".len();
    const KIND_MAX: usize = 48;
    let rest = text.get(at + BEGIN..).unwrap_or_default();
    let head = rest.get(..KIND_MAX).unwrap_or(rest);
    let is_kind =
        |it: &u8| it.is_ascii_uppercase() || it.is_ascii_digit() || matches!(it, b' ' | b'_');
    let kind_len = memchr::memchr(b'-', head).unwrap_or(head.len());
    let (kind, after) = rest.split_at(kind_len);
    if !is_meant(kind) || !after.starts_with(b"-----") || !kind.iter().all(is_kind) {
        return Vec::new();
    }
    let body = body(text, at + BEGIN + kind_len + "-----".len(), prefix(text, at));
    let is_ended = text.get(body.end..).unwrap_or_default().starts_with(b"-----END");
    let is_meant = if body.has_mark {
        body.has_line_of(WHOLE_LINE_MIN)
    } else {
        is_ended || body.has_line_of(LINE_MIN)
    };
    if is_meant { body.lines } else { Vec::new() }
}

/// The lines of a block, and where it ends.
struct Body {
    lines: Vec<Range<usize>>,
    end: usize,
    /// Whether something in it is hidden already.
    has_mark: bool,
}

impl Body {
    /// Whether some line has so many letters.
    fn has_line_of(&self, least: usize) -> bool {
        self.lines.iter().any(|line| line.len() >= least)
    }
}

/// What stands before the block on its first line, and so before all of its lines: `> `, `-`, `# `.
fn prefix(text: &[u8], at: usize) -> &[u8] {
    const MOST: usize = 8;
    let before = text.get(at.saturating_sub(MOST)..at).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before).map(|at| before.get(at + 1..).unwrap_or_default());
    let line = line.or((before.len() == at).then_some(before));
    let is_sign = |it: &u8| matches!(it, b'>' | b'|' | b'#' | b'/' | b'*' | b'-' | b'+' | b' ');
    line.filter(|line| line.iter().all(is_sign)).unwrap_or_default().trim_ascii()
}

/// The lines of base64 from `start` on, after some headers, each after `prefix`.
fn body(text: &[u8], start: usize, prefix: &[u8]) -> Body {
    const HEADERS_MAX: usize = 8;
    let limit = text.len().min(start + BLOCK_MAX);
    let mut lines: Vec<Range<usize>> = Vec::new();
    let (mut n_headers, mut has_mark) = (0, false);
    let mut at = start;
    while at < limit {
        at = skip_line_ends(text, at, limit);
        if !prefix.is_empty() && text.get(at..limit).is_some_and(|rest| rest.starts_with(prefix)) {
            at = skip_blanks(text, at + prefix.len(), limit);
        }
        let rest = text.get(at..limit).unwrap_or_default();
        if rest.is_empty() || rest.starts_with(b"-----") {
            break;
        }
        if let Some(after) = rest.strip_prefix(MARK.as_bytes()) {
            // Beside the rest of a line something else was hidden.
            if !is_line_end(after) || after.starts_with(b" ") {
                break;
            }
            has_mark = true;
            at += MARK.len();
            continue;
        }
        let len = rest.iter().position(|it| !is_base64(*it)).unwrap_or(rest.len());
        let after = rest.get(len..).unwrap_or_default();
        if len > 0 && is_line_end(after) {
            lines.push(at..at + len);
            at += len;
        } else if lines.is_empty() && n_headers < HEADERS_MAX && is_header(rest) {
            n_headers += 1;
            at += memchr::memchr2(b'\n', b'\\', rest).unwrap_or(rest.len());
        } else {
            break;
        }
    }
    Body { lines, end: at, has_mark }
}

/// Whether a line of base64 may end here.
fn is_line_end(rest: &[u8]) -> bool {
    match rest.first() {
        None => true,
        Some(b'-') => rest.starts_with(b"-----"),
        Some(byte) => byte.is_ascii_whitespace() || matches!(byte, b'\\' | b'"' | b'\''),
    }
}

/// `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`
fn is_header(line: &[u8]) -> bool {
    const NAME_MAX: usize = 24;
    let name = line.get(..NAME_MAX).unwrap_or(line);
    memchr::memchr(b':', name).and_then(|at| name.get(..at)).is_some_and(|name| {
        !name.is_empty() && name.iter().all(|it| it.is_ascii_alphabetic() || *it == b'-')
    })
}

fn skip_blanks(text: &[u8], mut at: usize, limit: usize) -> usize {
    while at < limit && matches!(text.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Where a string goes on that is written in parts, from the quote at `at` that closes one:
/// `" +`, `",`, `" \`, or nothing, and on the next line another quote.
fn after_seam(text: &[u8], at: usize, limit: usize) -> Option<usize> {
    let mut next = skip_blanks(text, at + 1, limit);
    if let Some(b'+' | b',' | b'.' | b'\\') = text.get(next) {
        next = skip_blanks(text, next + 1, limit);
    }
    let is_line_end = matches!(text.get(next), Some(b'\n' | b'\r'));
    while next < limit && text.get(next).is_some_and(u8::is_ascii_whitespace) {
        next += 1;
    }
    let is_seam = is_line_end && next < limit && text.get(next) == text.get(at);
    is_seam.then_some(next + 1)
}

fn skip_line_ends(text: &[u8], mut at: usize, limit: usize) -> usize {
    while at < limit {
        match text.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'\\') => {
                let letter = skip_backslashes(text, at);
                match text.get(letter) {
                    Some(b'n' | b'r' | b't') => at = letter + 1,
                    _ => break,
                }
            }
            Some(b'"' | b'\'') => match after_seam(text, at, limit) {
                Some(next) => at = next,
                None => break,
            },
            _ => break,
        }
    }
    at
}

/// Where a block begins that goes on to the very end of `text`, so that what follows may belong
/// to it.
pub(crate) fn open_block(text: &[u8]) -> Option<usize> {
    let recent = text.len().saturating_sub(BLOCK_MAX);
    let tail = text.get(recent..)?;
    let begin = memmem::rfind(tail, b"-----BEGIN ");
    let putty = memmem::rfind(tail, b"Private-Lines:");
    let is_open = |at: &usize| {
        let head = text.get(*at..).unwrap_or_default();
        let head_len = head.iter().position(|it| matches!(it, b'\n' | b'\\'));
        let body = body(text, at + head_len.unwrap_or(head.len()), prefix(text, *at));
        let rest = text.get(body.end..).unwrap_or_default();
        // A string may go on in its next part.
        let is_between = |it: &u8| {
            it.is_ascii_whitespace() || matches!(it, b'"' | b'\'' | b'+' | b',' | b'.' | b'\\')
        };
        rest.iter().all(is_between)
    };
    [begin, putty].into_iter().flatten().map(|at| recent + at).filter(is_open).min()
}
