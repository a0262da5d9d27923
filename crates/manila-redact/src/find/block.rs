//! Keys and certificates in blocks: `-----BEGIN … -----`, and the private lines of `PuTTY` keys.
//!
//! Each line of the body is redacted separately, so that the text keeps its lines. A truncated
//! block is redacted up to its end. Line ends may be escapes, single spaces, or the seams of a
//! string in several parts. Each line may follow the prefix of a diff, a comment, a quotation or a
//! log. A block may be encoded again in base64.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::lines::{after_seam, is_line_end, skip_line_ends, skip_line_prefixes};
use crate::boundary::{is_start, is_word};
use crate::edit::REPLACEMENT;

/// The maximum number of bytes to read from a block.
pub(crate) const BLOCK_MAX: usize = 1024 * 1024;

/// The minimum length of a line in a block without an end.
const LINE_MIN: usize = 16;

/// The minimum length of a line with unknown text beside it, such as the timestamp in a log. Keys
/// have lines of 64, 70 or 76 characters.
const FULL_LINE_MIN: usize = 40;

const BEGIN: &[u8] = b"-----BEGIN ";
const PUTTY: &[u8] = b"Private-Lines:";
const ENCODED: &[u8] = b"LS0tLS1CRUdJTi";

/// Finds the lines of the private key whose `-----BEGIN ` is at `at`.
pub(super) fn find_private_key(text: &[u8], at: usize) -> Vec<Range<usize>> {
    find_pem_block(text, at, |kind| {
        kind.ends_with(b"PRIVATE KEY") || kind.ends_with(b"PRIVATE KEY BLOCK")
    })
}

/// Finds the lines of the certificate whose `-----BEGIN ` is at `at`.
pub(super) fn find_certificate(text: &[u8], at: usize) -> Vec<Range<usize>> {
    find_pem_block(text, at, |kind| kind.ends_with(b"CERTIFICATE"))
}

/// Finds the private lines of a `PuTTY` key whose `Private-Lines:` ends at `at`.
pub(super) fn find_putty_lines(text: &[u8], at: usize) -> Vec<Range<usize>> {
    key_lines(text, body(text, putty_start(text, at)))
}

/// Skips the line count after `Private-Lines:`.
fn putty_start(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|it| it.is_ascii_digit() || **it == b' ').count()
}

/// Finds the base64 encoding of a private key or certificate block at `at`, on one line or on
/// several lines of equal length.
pub(super) fn find_encoded_block(text: &[u8], at: usize) -> Vec<Range<usize>> {
    const HEAD: usize = 80;
    // The encodings of `PRIVATE` at each of three alignments, and of `CERTIFICATE-`.
    const KINDS: [&[u8]; 4] = [b"QUklWQVRF", b"UFJJVkFUR", b"BSSVZBVEU", b"DRVJUSUZJQ0FURS0"];
    let rest = text.get(at..).unwrap_or_default();
    let head = rest.get(..HEAD).unwrap_or(rest);
    let is_wanted_kind = || KINDS.iter().any(|kind| memmem::find(head, kind).is_some());
    if is_start(text, at, is_word) && is_wanted_kind() {
        encoded_body(text, at).lines
    } else {
        Vec::new()
    }
}

fn encoded_body(text: &[u8], at: usize) -> Body {
    const WIDTHS: [usize; 2] = [64, 76];
    let limit = text.len().min(at + BLOCK_MAX);
    let mut body = Body::default();
    let (mut at, mut width) = (at, None);
    loop {
        let len = base64_len(text.get(at..limit).unwrap_or_default());
        if len == 0 || width.is_some_and(|width| len > width) {
            break;
        }
        let is_last = width.map_or(!WIDTHS.contains(&len), |width| len < width);
        let line = text.get(at..at + len).unwrap_or_default();
        // Distinguishes the last line from a word that follows the block.
        let is_part = width.is_none()
            || !is_last
            || (len.is_multiple_of(4) && (line.ends_with(b"=") || len >= LINE_MIN));
        if !is_part {
            break;
        }
        body.lines.push(at..at + len);
        body.end = at + len;
        if is_last {
            return body;
        }
        (at, width) = (skip_line_ends(text, body.end, limit), Some(len));
        if at == body.end {
            break;
        }
    }
    // A string may continue in its next part, which has not arrived yet.
    let is_at_quote = matches!(text.get(at), Some(b'"' | b'\''));
    let is_awaited = is_at_quote && after_seam(text, at, limit) == Err(limit);
    body.is_open = (at >= limit || is_awaited) && limit == text.len();
    body
}

fn find_pem_block(
    text: &[u8],
    at: usize,
    is_wanted_kind: impl Fn(&[u8]) -> bool,
) -> Vec<Range<usize>> {
    let Some((kind, start)) = header(text, at) else { return Vec::new() };
    if !is_wanted_kind(kind) {
        return Vec::new();
    }
    let lines = key_lines(text, body(text, start));
    if !lines.is_empty() {
        return lines;
    }
    logged_body(text, at, start).map(|body| key_lines(text, body)).unwrap_or_default()
}

/// Returns the lines of a body that belong to a key. In a block without an end, these are the long
/// lines before the first short one.
fn key_lines(text: &[u8], mut body: Body) -> Vec<Range<usize>> {
    let is_ended = text.get(body.end..).unwrap_or_default().starts_with(b"-----END");
    if !is_ended {
        let len_min = if body.has_mark { FULL_LINE_MIN } else { LINE_MIN };
        let n_long = body.lines.iter().take_while(|line| line.len() >= len_min).count();
        body.lines.truncate(n_long);
    }
    body.lines
}

/// Returns the kind of a block, and the end of its header.
fn header(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    const KIND_MAX: usize = 48;
    let start = at + BEGIN.len();
    let rest = text.get(start..)?;
    let head = rest.get(..KIND_MAX).unwrap_or(rest);
    let is_kind =
        |it: &u8| it.is_ascii_uppercase() || it.is_ascii_digit() || matches!(it, b' ' | b'_');
    let len = memchr(b'-', head)?;
    let kind = rest.get(..len).filter(|kind| kind.iter().all(is_kind))?;
    rest.get(len..)?.starts_with(b"-----").then_some((kind, start + len + "-----".len()))
}

/// The lines of a block, and its end.
#[derive(Default)]
struct Body {
    lines: Vec<Range<usize>>,
    end: usize,
    /// Whether some lines are redacted already.
    has_mark: bool,
    /// Whether it may continue after the text.
    is_open: bool,
}

/// Reads the base64 lines from `start`, after optional headers.
fn body(text: &[u8], start: usize) -> Body {
    const HEADERS_MAX: usize = 8;
    const HEADER_MAX: usize = 256;
    let limit = text.len().min(start + BLOCK_MAX);
    let mut body = Body::default();
    let mut n_headers = 0;
    let mut at = start;
    // The whole block may be on one line.
    let is_one_line = text.get(start) == Some(&b' ');
    loop {
        at = skip_line_prefixes(text, at, limit);
        let rest = text.get(at..limit).unwrap_or_default();
        if rest.is_empty() {
            body.is_open = limit == text.len();
            break;
        }
        if rest.starts_with(b"-----") {
            break;
        }
        if let Some(after) = rest.strip_prefix(REPLACEMENT.as_bytes()) {
            // The mark replaces another secret, and the rest of the line follows.
            if !is_line_end(after) || after.starts_with(b" ") {
                break;
            }
            body.has_mark = true;
            at += REPLACEMENT.len();
            continue;
        }
        let len = base64_len(rest);
        let after = rest.get(len..).unwrap_or_default();
        if len > 0 && is_line_end(after) && (is_one_line || is_rest_blank(after)) {
            body.lines.push(at..at + len);
            at += len;
        } else if body.lines.is_empty()
            && !body.has_mark
            && n_headers < HEADERS_MAX
            && is_header(rest)
        {
            n_headers += 1;
            let line = rest.get(..HEADER_MAX).unwrap_or(rest);
            at += memchr::memchr2(b'\n', b'\\', line).unwrap_or(line.len());
        } else {
            // A string may continue in its next part, which has not arrived yet.
            let is_quote = matches!(rest.first(), Some(b'"' | b'\''));
            body.is_open = is_quote && after_seam(text, at, limit) == Err(limit);
            break;
        }
    }
    body.end = at;
    body
}

/// Reads the lines of a block in a log with a prefix on each line, such as a timestamp.
fn logged_body(text: &[u8], at: usize, start: usize) -> Option<Body> {
    const LINE_MAX: usize = 1024;
    if text.get(..at)?.last().is_none_or(|it| *it == b'\n') {
        return None;
    }
    let limit = text.len().min(start + BLOCK_MAX);
    let first = text.get(start..limit)?;
    let n_blanks = first.iter().take_while(|it| matches!(it, b' ' | b'\t' | b'\r')).count();
    if first.get(n_blanks).is_some_and(|it| *it != b'\n') {
        return None;
    }
    let mut body = Body { end: start + n_blanks, ..Body::default() };
    let mut short: Option<Range<usize>> = None;
    let mut at = limit.min(body.end + 1);
    loop {
        let rest = text.get(at..limit)?;
        if rest.is_empty() {
            body.is_open = limit == text.len();
            break;
        }
        let near = rest.get(..LINE_MAX).unwrap_or(rest);
        let len = memchr(b'\n', near).unwrap_or(near.len());
        let line = rest.get(..len)?.trim_ascii_end();
        if let Some(found) = memmem::find(line, b"-----END") {
            // Only the last line may be short.
            body.lines.extend(short.take());
            body.end = at + found;
            break;
        }
        let prefix_len = line.iter().rposition(|it| !is_base64(*it)).map_or(0, |found| found + 1);
        let base64 = at + prefix_len..at + line.len();
        if short.is_some() || base64.is_empty() {
            break;
        }
        if base64.len() >= FULL_LINE_MIN {
            body.end = base64.end;
            body.lines.push(base64);
        } else {
            short = Some(base64);
        }
        at = limit.min(at + len + 1);
    }
    Some(body)
}

fn base64_len(text: &[u8]) -> usize {
    text.iter().position(|it| !is_base64(*it)).unwrap_or(text.len())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Returns whether no other word follows on the line.
fn is_rest_blank(after: &[u8]) -> bool {
    let next = after.iter().find(|it| !matches!(it, b' ' | b'\t'));
    !matches!(after.first(), Some(b' ' | b'\t')) || next.is_none_or(u8::is_ascii_whitespace)
}

/// Returns whether a line is a header: `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`
fn is_header(line: &[u8]) -> bool {
    const NAME_MAX: usize = 24;
    let name = line.get(..NAME_MAX).unwrap_or(line);
    memchr(b':', name).and_then(|at| name.get(..at)).is_some_and(|name| {
        !name.is_empty() && name.iter().all(|it| it.is_ascii_alphabetic() || *it == b'-')
    })
}

/// Finds a block that extends to the end of `text`, so that later text may belong to it.
///
/// Returns its start, and whether there is other text before it on its line.
pub(crate) fn open_block(text: &[u8]) -> Option<(usize, bool)> {
    let recent = text.len().saturating_sub(BLOCK_MAX);
    let tail = text.get(recent..)?;
    let last = |literal: &[u8]| memmem::find_iter(tail, literal).last().map(|at| recent + at);
    let is_open = |at: usize| match header(text, at) {
        Some((_, start)) => {
            body(text, start).is_open || logged_body(text, at, start).is_some_and(|it| it.is_open)
        }
        None => false,
    };
    let pem = last(BEGIN).filter(|at| is_open(*at));
    let putty = last(PUTTY).filter(|at| body(text, putty_start(text, at + PUTTY.len())).is_open);
    let encoded = last(ENCODED).filter(|at| encoded_body(text, *at).is_open);
    let at = [pem, putty, encoded].into_iter().flatten().min()?;
    let before = text.get(..at)?;
    let line = memrchr(b'\n', before).map_or(0, |found| found + 1);
    Some((at, before.get(line..)?.iter().any(u8::is_ascii_alphanumeric)))
}
