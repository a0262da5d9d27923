//! Keys and certificates in blocks: `-----BEGIN … -----`, and the private lines of `PuTTY`.
//!
//! Each line of the body is hidden by itself, so that the text keeps its lines. A block that was
//! cut off is hidden as far as it goes. Line ends may be escapes, single spaces, or the seams of a
//! string in parts; before each line may stand the signs of a diff, a comment or a quotation, or
//! what a log writes before all lines. A block may be in base64 once more.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::lines::{after_seam, is_line_end, skip_line_ends, skip_signs};
use crate::boundary::{is_start, is_word};
use crate::edit::MARK;

/// The most that is read of one block.
pub(crate) const BLOCK_MAX: usize = 1024 * 1024;

/// A line of a block whose end is missing must have this many letters.
const LINE_MIN: usize = 16;

/// And this many where what stands beside it is not known, such as the time before a log's lines:
/// keys have lines of 64, 70 or 76 letters.
const WHOLE_LINE_MIN: usize = 40;

const BEGIN: &[u8] = b"-----BEGIN ";
const PUTTY: &[u8] = b"Private-Lines:";
const ENCODED: &[u8] = b"LS0tLS1CRUdJTi";

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
    lines_of(text, body(text, putty_start(text, at)))
}

fn putty_start(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|it| it.is_ascii_digit() || **it == b' ').count()
}

/// The block of a private key or a certificate that stands at `at` in base64, on one line or on
/// several of the same length.
pub(super) fn encoded(text: &[u8], at: usize) -> Vec<Range<usize>> {
    const HEAD: usize = 80;
    // `PRIVATE`, as it is written at each of three places, and `CERTIFICATE-`.
    const KINDS: [&[u8]; 4] = [b"QUklWQVRF", b"UFJJVkFUR", b"BSSVZBVEU", b"DRVJUSUZJQ0FURS0"];
    let rest = text.get(at..).unwrap_or_default();
    let head = rest.get(..HEAD).unwrap_or(rest);
    let is_meant = || KINDS.iter().any(|kind| memmem::find(head, kind).is_some());
    if is_start(text, at, is_word) && is_meant() {
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
        // The last line, and not a word that follows.
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
    // A string may go on in its next part, which is not there yet.
    let is_between = matches!(text.get(at), Some(b'"' | b'\''));
    let is_awaited = is_between && after_seam(text, at, limit) == Err(limit);
    body.is_open = (at >= limit || is_awaited) && limit == text.len();
    body
}

fn begun(text: &[u8], at: usize, is_meant: impl Fn(&[u8]) -> bool) -> Vec<Range<usize>> {
    let Some((kind, start)) = header(text, at) else { return Vec::new() };
    if !is_meant(kind) {
        return Vec::new();
    }
    let lines = lines_of(text, body(text, start));
    if !lines.is_empty() {
        return lines;
    }
    logged_body(text, at, start).map(|body| lines_of(text, body)).unwrap_or_default()
}

/// The lines of a body that are those of a key. Without its end, these are the long ones before
/// the first that is not.
fn lines_of(text: &[u8], mut body: Body) -> Vec<Range<usize>> {
    let is_ended = text.get(body.end..).unwrap_or_default().starts_with(b"-----END");
    if !is_ended {
        let least = if body.has_mark { WHOLE_LINE_MIN } else { LINE_MIN };
        let n_long = body.lines.iter().take_while(|line| line.len() >= least).count();
        body.lines.truncate(n_long);
    }
    body.lines
}

/// What a block is called, and where its first line ends.
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

/// The lines of a block, and where it ends.
#[derive(Default)]
struct Body {
    lines: Vec<Range<usize>>,
    end: usize,
    /// Whether something in it is hidden already.
    has_mark: bool,
    /// Whether it may go on after the text.
    is_open: bool,
}

/// The lines of base64 from `start` on, after some headers.
fn body(text: &[u8], start: usize) -> Body {
    const HEADERS_MAX: usize = 8;
    const HEADER_MAX: usize = 256;
    let limit = text.len().min(start + BLOCK_MAX);
    let mut body = Body::default();
    let mut n_headers = 0;
    let mut at = start;
    // All of it may stand on one line.
    let is_one_line = text.get(start) == Some(&b' ');
    loop {
        at = skip_signs(text, at, limit);
        let rest = text.get(at..limit).unwrap_or_default();
        if rest.is_empty() {
            body.is_open = limit == text.len();
            break;
        }
        if rest.starts_with(b"-----") {
            break;
        }
        if let Some(after) = rest.strip_prefix(MARK.as_bytes()) {
            // Beside the rest of a line something else was hidden.
            if !is_line_end(after) || after.starts_with(b" ") {
                break;
            }
            body.has_mark = true;
            at += MARK.len();
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
            // A string may go on in its next part, which is not there yet.
            let is_quote = matches!(rest.first(), Some(b'"' | b'\''));
            body.is_open = is_quote && after_seam(text, at, limit) == Err(limit);
            break;
        }
    }
    body.end = at;
    body
}

/// The lines of a block in a log, which writes the time, a place or the like before each line.
fn logged_body(text: &[u8], at: usize, start: usize) -> Option<Body> {
    const LOGGED_MAX: usize = 1024;
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
        let near = rest.get(..LOGGED_MAX).unwrap_or(rest);
        let len = memchr(b'\n', near).unwrap_or(near.len());
        let line = rest.get(..len)?.trim_ascii_end();
        if let Some(found) = memmem::find(line, b"-----END") {
            // Only the last line is a short one.
            body.lines.extend(short.take());
            body.end = at + found;
            break;
        }
        let n_other = line.iter().rposition(|it| !is_base64(*it)).map_or(0, |found| found + 1);
        let letters = at + n_other..at + line.len();
        if short.is_some() || letters.is_empty() {
            break;
        }
        if letters.len() >= WHOLE_LINE_MIN {
            body.end = letters.end;
            body.lines.push(letters);
        } else {
            short = Some(letters);
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

/// Whether no other word follows on the line.
fn is_rest_blank(after: &[u8]) -> bool {
    let next = after.iter().find(|it| !matches!(it, b' ' | b'\t'));
    !matches!(after.first(), Some(b' ' | b'\t')) || next.is_none_or(u8::is_ascii_whitespace)
}

/// `Proc-Type: 4,ENCRYPTED`, `Version: GnuPG v2`
fn is_header(line: &[u8]) -> bool {
    const NAME_MAX: usize = 24;
    let name = line.get(..NAME_MAX).unwrap_or(line);
    memchr(b':', name).and_then(|at| name.get(..at)).is_some_and(|name| {
        !name.is_empty() && name.iter().all(|it| it.is_ascii_alphabetic() || *it == b'-')
    })
}

/// Where a block begins that goes on to the very end of `text`, so that what follows may belong
/// to it, and whether something else stands before it on its line.
pub(crate) fn open_block(text: &[u8]) -> Option<(usize, bool)> {
    let recent = text.len().saturating_sub(BLOCK_MAX);
    let tail = text.get(recent..)?;
    let last = |sign: &[u8]| memmem::find_iter(tail, sign).last().map(|at| recent + at);
    let is_open = |at: usize| match header(text, at) {
        Some((_, start)) => {
            body(text, start).is_open || logged_body(text, at, start).is_some_and(|it| it.is_open)
        }
        None => false,
    };
    let begun = last(BEGIN).filter(|at| is_open(*at));
    let putty = last(PUTTY).filter(|at| body(text, putty_start(text, at + PUTTY.len())).is_open);
    let encoded = last(ENCODED).filter(|at| encoded_body(text, *at).is_open);
    let at = [begun, putty, encoded].into_iter().flatten().min()?;
    let before = text.get(..at)?;
    let line = memrchr(b'\n', before).map_or(0, |found| found + 1);
    Some((at, before.get(line..)?.iter().any(u8::is_ascii_alphanumeric)))
}
