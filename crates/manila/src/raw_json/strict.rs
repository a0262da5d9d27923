//! What JSON's grammar allows and readers understand differently: a name twice in one object, half
//! of a surrogate pair, a number that is too large for a double.
//!
//! Payloads may hold all of them. Who judges a document refuses them, because two readers of it
//! may see two different documents.

use super::ends::LongValues;
use super::scan::Visit;
use super::{string, walk};

/// How many doubts about one document are told.
const DOUBTS_MAX: usize = 20;

/// So many names are compared with each other one by one.
const FEW: usize = 12;

/// Something that readers understand differently, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Where in the document.
    pub(crate) offset: usize,
    pub(crate) kind: DoubtKind,
}

impl Doubt {
    /// Counts from a place that is so much further in.
    pub(super) fn move_back(&mut self, start: usize) {
        self.offset = self.offset.saturating_sub(start);
        if let DoubtKind::Twice { first } = &mut self.kind {
            *first = first.saturating_sub(start);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DoubtKind {
    /// A name that stood before in the same object, at this offset.
    Twice { first: usize },
    /// Half of a surrogate pair, which no text can hold.
    LoneSurrogate,
    /// A number that no double can hold.
    Huge,
}

/// The token of a name in an object.
#[derive(Clone, Copy)]
struct Name {
    start: usize,
    end: usize,
    /// Tokens with different tags are different. What is written with an escape has the tag 0,
    /// because it may be any name.
    tag: u64,
    /// Whether a name before it in the same object may be the same.
    is_doubtful: bool,
}

/// The names of one open object.
#[derive(Clone, Copy, Default)]
struct Names {
    /// How many names the objects around it have.
    n_before: usize,
    /// One bit for each tag, at a place that others may share.
    filter: u64,
    /// Whether one may stand there twice.
    is_doubtful: bool,
}

/// Collects doubts while a document is scanned for the first time.
pub(super) struct Doubting {
    /// The names of the open objects, those of the innermost last.
    names: Vec<Name>,
    /// The innermost open object.
    inner: Names,
    /// The open objects around it.
    outer: Vec<Names>,
    n_escapes: usize,
    /// How many escapes there were before the key that is being read.
    n_escapes_told: usize,
    has_unicode_escapes: bool,
    doubts: Vec<Doubt>,
    long: LongValues,
}

impl Doubting {
    pub(super) fn new() -> Doubting {
        // Most envelopes have no more than so many names open at a time.
        const USUAL: usize = 24;
        Doubting {
            names: Vec::with_capacity(USUAL),
            inner: Names::default(),
            outer: Vec::with_capacity(USUAL),
            n_escapes: 0,
            n_escapes_told: 0,
            has_unicode_escapes: false,
            doubts: Vec::new(),
            long: LongValues::default(),
        }
    }

    /// What readers of the document may understand differently, in the order written, and its
    /// long values.
    pub(super) fn doubts(mut self, document: &[u8]) -> (Vec<Doubt>, LongValues) {
        if self.has_unicode_escapes {
            self.find_lone_surrogates(document);
        }
        self.doubts.sort_by_key(|doubt| doubt.offset);
        self.doubts.truncate(DOUBTS_MAX);
        (self.doubts, self.long)
    }

    fn find_lone_surrogates(&mut self, document: &[u8]) {
        let mut at = 0;
        while let Some(quote) = document.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
            let (start, end) = (at + quote, walk::string_end(document, at + quote));
            let token = document.get(start..end).unwrap_or_default();
            if memchr::memchr(b'\\', token).is_some() && string::decode_exactly(token).is_err() {
                self.add(start, DoubtKind::LoneSurrogate);
            }
            at = end;
        }
    }

    fn add(&mut self, offset: usize, kind: DoubtKind) {
        // Some more than are told: what stands first in an object may be found last.
        if self.doubts.len() < 64 * DOUBTS_MAX {
            self.doubts.push(Doubt { offset, kind });
        }
    }

    /// Whether the innermost object may have a name of this tag. Of many names nobody knows.
    fn may_have(&self, tag: u64) -> bool {
        let names = self.names.get(self.inner.n_before..).unwrap_or_default();
        names.len() > FEW || names.iter().any(|name| name.tag == tag || name.tag == 0)
    }

    /// Looks for names that the object which ends here has twice.
    #[cold]
    fn find_twice(&mut self, bytes: &[u8]) {
        let names = self.names.get(self.inner.n_before..).unwrap_or_default();
        let token = |name: &Name| bytes.get(name.start..name.end).unwrap_or_default();
        let is_same = |a: &Name, b: &Name| match (a.tag, b.tag) {
            (0, _) | (_, 0) => string::decode(token(a)) == string::decode(token(b)),
            (one, other) => one == other && token(a) == token(b),
        };
        let mut found = Vec::new();
        if names.len() <= FEW {
            for (n, name) in names.iter().enumerate().filter(|(_, name)| name.is_doubtful) {
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
            self.add(offset, DoubtKind::Twice { first });
        }
    }
}

impl Visit for Doubting {
    #[inline]
    fn open_object(&mut self) {
        self.outer.push(self.inner);
        self.inner = Names { n_before: self.names.len(), ..Names::default() };
    }

    #[inline]
    fn close_object(&mut self, bytes: &[u8]) {
        if self.inner.is_doubtful {
            self.find_twice(bytes);
        }
        self.names.truncate(self.inner.n_before);
        self.inner = self.outer.pop().unwrap_or_default();
    }

    #[allow(clippy::inline_always, reason = "a tenth of the time of a scan, measured")]
    #[inline(always)]
    fn key(&mut self, bytes: &[u8], start: usize, end: usize) {
        let is_escaped = self.n_escapes > self.n_escapes_told && {
            // Escapes of the value before it were counted, too.
            memchr::memchr(b'\\', bytes.get(start..end).unwrap_or_default()).is_some()
        };
        self.n_escapes_told = self.n_escapes;
        let tag = if is_escaped { 0 } else { tag(bytes, start, end) };
        // What is escaped may be the same as any name, before it or after.
        let bits = if is_escaped { u64::MAX } else { place(tag) };
        let is_doubtful = self.inner.filter & bits != 0 && (is_escaped || self.may_have(tag));
        self.inner.filter |= bits;
        self.inner.is_doubtful |= is_doubtful;
        self.names.push(Name { start, end, tag, is_doubtful });
    }

    fn large_number(&mut self, token: &[u8], start: usize) {
        let number = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
        if number.is_none_or(f64::is_infinite) {
            self.add(start, DoubtKind::Huge);
        }
    }

    #[inline]
    fn escape(&mut self, letter: u8) {
        self.n_escapes += 1;
        self.has_unicode_escapes |= letter == b'u';
    }

    fn long(&mut self, start: usize, end: usize) {
        self.long.long(start, end);
    }
}

/// One bit of 64, nearly at random.
#[inline]
fn place(tag: u64) -> u64 {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    1 << (tag.wrapping_mul(GOLDEN) >> 58)
}

/// A number that tells most tokens apart: their length, and up to seven bytes.
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
    // Of a short token the bytes behind it are cut off; its last quote stays.
    let mask = if len >= 8 { SEVEN } else { !(u64::MAX << (8 * (len - 1))) };
    let word = u64::from_le_bytes(word) & mask;
    word | u64::try_from(len.min(255)).unwrap_or(255) << 56
}
