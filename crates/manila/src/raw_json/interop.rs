//! Interoperability issues: JSON that the grammar allows but readers interpret differently. These
//! are repeated names in an object, lone surrogates, and numbers too large for a double.
//!
//! Payloads may hold all of them. A check of a document rejects them, because two readers may see
//! two different documents.

use super::scan::Visit;
use super::value_ends::LongValues;
use super::{string, walk};

/// The maximum number of issues reported for one document.
const ISSUES_MAX: usize = 20;

/// Up to this many names are compared pairwise.
const FEW: usize = 12;

/// An interoperability issue and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InteropIssue {
    /// The offset in the document.
    pub(crate) offset: usize,
    pub(crate) kind: InteropIssueKind,
}

impl InteropIssue {
    /// Makes the offset relative to `start`.
    pub(super) fn make_relative_to(&mut self, start: usize) {
        self.offset = self.offset.saturating_sub(start);
        if let InteropIssueKind::DuplicateKey { first } = &mut self.kind {
            *first = first.saturating_sub(start);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InteropIssueKind {
    /// A repeated name in an object, whose first occurrence is at `first`.
    DuplicateKey { first: usize },
    /// Half of a surrogate pair, which no text can hold.
    LoneSurrogate,
    /// A number that is too large for a double.
    Huge,
}

/// The token of a name in an object.
#[derive(Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    /// Tokens with different tags are different. A token with an escape has the tag 0, because it
    /// may be any name.
    tag: u64,
    /// Whether an earlier name in the same object may be the same.
    may_have_duplicate: bool,
}

/// The names of one open object.
#[derive(Clone, Copy, Default)]
struct Names {
    /// The number of names of the objects around it.
    n_before: usize,
    /// A bit for each tag; tags may share a bit.
    filter: u64,
    /// Whether a name may be repeated in it.
    may_have_duplicate: bool,
}

/// Collects issues during the first scan of a document.
pub(super) struct InteropScan {
    /// The names of all open objects, those of the innermost object last.
    names: Vec<Name>,
    /// The innermost open object.
    inner: Names,
    /// The open objects around it.
    outer: Vec<Names>,
    n_escapes: usize,
    /// The number of escapes up to the end of the previous key.
    n_escapes_seen: usize,
    has_unicode_escapes: bool,
    issues: Vec<InteropIssue>,
    long: LongValues,
}

impl InteropScan {
    pub(super) fn new() -> InteropScan {
        // Most envelopes have at most this many names open at a time.
        const USUAL: usize = 24;
        InteropScan {
            names: Vec::with_capacity(USUAL),
            inner: Names::default(),
            outer: Vec::with_capacity(USUAL),
            n_escapes: 0,
            n_escapes_seen: 0,
            has_unicode_escapes: false,
            issues: Vec::new(),
            long: LongValues::default(),
        }
    }

    /// Returns the issues in document order, and the long values of the document.
    pub(super) fn into_issues(mut self, document: &[u8]) -> (Vec<InteropIssue>, LongValues) {
        if self.has_unicode_escapes {
            self.find_lone_surrogates(document);
        }
        self.issues.sort_by_key(|issue| issue.offset);
        self.issues.truncate(ISSUES_MAX);
        (self.issues, self.long)
    }

    fn find_lone_surrogates(&mut self, document: &[u8]) {
        let mut at = 0;
        while let Some(quote) = document.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
            let (start, end) = (at + quote, walk::string_end(document, at + quote));
            let token = document.get(start..end).unwrap_or_default();
            if memchr::memchr(b'\\', token).is_some() && string::decode_exactly(token).is_err() {
                self.add(start, InteropIssueKind::LoneSurrogate);
            }
            at = end;
        }
    }

    fn add(&mut self, offset: usize, kind: InteropIssueKind) {
        // Collects more than are reported, because the first issue of an object may be found last.
        if self.issues.len() < 64 * ISSUES_MAX {
            self.issues.push(InteropIssue { offset, kind });
        }
    }

    /// Returns whether the innermost object may have a name with this tag. If it has many names,
    /// this is always true.
    fn may_have(&self, tag: u64) -> bool {
        let names = self.names.get(self.inner.n_before..).unwrap_or_default();
        names.len() > FEW || names.iter().any(|name| name.tag == tag || name.tag == 0)
    }

    /// Finds the repeated names of the object that ends here.
    #[cold]
    fn find_duplicates(&mut self, bytes: &[u8]) {
        let names = self.names.get(self.inner.n_before..).unwrap_or_default();
        let token = |name: &Name| bytes.get(name.start..name.end).unwrap_or_default();
        let is_same = |a: &Name, b: &Name| match (a.tag, b.tag) {
            (0, _) | (_, 0) => string::decode(token(a)) == string::decode(token(b)),
            (one, other) => one == other && token(a) == token(b),
        };
        let mut found = Vec::new();
        if names.len() <= FEW {
            for (n, name) in names.iter().enumerate().filter(|(_, name)| name.may_have_duplicate) {
                let mut earlier = names.iter().take(n);
                if let Some(first) = earlier.find(|it| is_same(it, name)) {
                    found.push((name.start, first.start));
                }
            }
        } else {
            let mut sorted: Vec<_> =
                names.iter().map(|name| (string::decode(token(name)), name.start)).collect();
            sorted.sort();
            for pair in sorted.windows(2) {
                if let [(a, first), (b, again)] = pair
                    && a == b
                {
                    found.push((*again, *first));
                }
            }
        }
        for (offset, first) in found {
            self.add(offset, InteropIssueKind::DuplicateKey { first });
        }
    }
}

impl Visit for InteropScan {
    #[inline]
    fn open_object(&mut self) {
        self.outer.push(self.inner);
        self.inner = Names { n_before: self.names.len(), ..Names::default() };
    }

    #[inline]
    fn close_object(&mut self, bytes: &[u8]) {
        if self.inner.may_have_duplicate {
            self.find_duplicates(bytes);
        }
        self.names.truncate(self.inner.n_before);
        self.inner = self.outer.pop().unwrap_or_default();
    }

    #[allow(clippy::inline_always, reason = "a tenth of the time of a scan, measured")]
    #[inline(always)]
    fn key(&mut self, bytes: &[u8], start: usize, end: usize) {
        let is_escaped = self.n_escapes > self.n_escapes_seen && {
            // The new escapes may be in the value before the key.
            memchr::memchr(b'\\', bytes.get(start..end).unwrap_or_default()).is_some()
        };
        self.n_escapes_seen = self.n_escapes;
        let tag = if is_escaped { 0 } else { tag(bytes, start, end) };
        // An escaped name may equal any other name, before or after it.
        let bits = if is_escaped { u64::MAX } else { filter_bit(tag) };
        let may_repeat = self.inner.filter & bits != 0 && (is_escaped || self.may_have(tag));
        self.inner.filter |= bits;
        self.inner.may_have_duplicate |= may_repeat;
        self.names.push(Name { start, end, tag, may_have_duplicate: may_repeat });
    }

    fn large_number(&mut self, token: &[u8], start: usize) {
        let number = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
        if number.is_none_or(f64::is_infinite) {
            self.add(start, InteropIssueKind::Huge);
        }
    }

    #[inline]
    fn escape(&mut self, letter: u8) {
        self.n_escapes += 1;
        self.has_unicode_escapes |= letter == b'u';
    }

    fn long_value(&mut self, start: usize, end: usize) {
        self.long.long_value(start, end);
    }
}

/// Maps a tag to one of 64 bits, almost evenly.
#[inline]
fn filter_bit(tag: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    1 << (tag.wrapping_mul(GOLDEN) >> 58)
}

/// Returns a number that distinguishes most tokens: their length, and up to seven bytes.
#[inline]
fn tag(bytes: &[u8], start: usize, end: usize) -> u64 {
    const SEVEN: u64 = 0x00FF_FFFF_FFFF_FFFF;
    let rest = bytes.get(start + 1..).unwrap_or_default();
    let word = rest.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(rest) {
            *to = *from;
        }
        word
    });
    let len = end - start;
    // For a short token, the bytes after it are masked out; its closing quote stays.
    let mask = if len >= 8 { SEVEN } else { !(u64::MAX << (8 * (len - 1))) };
    let word = u64::from_le_bytes(word) & mask;
    word | u64::try_from(len.min(255)).unwrap_or(255) << 56
}
