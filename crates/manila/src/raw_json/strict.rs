//! What JSON's grammar allows and readers understand differently: a name twice in one object, half
//! of a surrogate pair, a number that is too large for a double.
//!
//! Payloads may hold all of them. Who judges a document refuses them, because two readers of it
//! may see two different documents.

use super::scan::Visit;
use super::{string, walk};

/// How many doubts about one document are told.
const DOUBTS_MAX: usize = 20;

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
}

/// Collects doubts while a document is scanned for the first time.
pub(super) struct Doubting {
    /// The names of the open objects, those of the innermost last.
    names: Vec<Name>,
    /// For each open array or object: how many names the objects around it have, if it is an
    /// object.
    open: Vec<Option<usize>>,
    n_escapes: usize,
    /// How many escapes there were before the key that is being read.
    n_escapes_told: usize,
    has_unicode_escapes: bool,
    doubts: Vec<Doubt>,
}

impl Doubting {
    pub(super) fn new() -> Doubting {
        // Most envelopes have no more than so many names open at a time.
        const FEW: usize = 24;
        Doubting {
            names: Vec::with_capacity(FEW),
            open: Vec::with_capacity(FEW),
            n_escapes: 0,
            n_escapes_told: 0,
            has_unicode_escapes: false,
            doubts: Vec::new(),
        }
    }

    /// What readers of the document may understand differently, in the order written.
    pub(super) fn doubts(mut self, document: &[u8]) -> Vec<Doubt> {
        if self.has_unicode_escapes {
            self.find_lone_surrogates(document);
        }
        self.doubts.sort_by_key(|doubt| doubt.offset);
        self.doubts.truncate(DOUBTS_MAX);
        self.doubts
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

    /// Looks for names that the object which ends here has twice.
    fn close_object(&mut self, bytes: &[u8], n_before: usize) {
        const FEW: usize = 12;
        let names = self.names.get(n_before..).unwrap_or_default();
        let token = |name: &Name| bytes.get(name.start..name.end).unwrap_or_default();
        let is_same = |a: &Name, b: &Name| match (a.tag, b.tag) {
            (0, _) | (_, 0) => string::decode(token(a)) == string::decode(token(b)),
            (one, other) => one == other && token(a) == token(b),
        };
        let mut found = Vec::new();
        if names.len() <= FEW {
            for (n, name) in names.iter().enumerate() {
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
        self.names.truncate(n_before);
        for (offset, first) in found {
            self.add(offset, DoubtKind::Twice { first });
        }
    }
}

impl Visit for Doubting {
    #[inline]
    fn open(&mut self, is_object: bool) {
        self.open.push(is_object.then_some(self.names.len()));
    }

    #[inline]
    fn close(&mut self, bytes: &[u8]) {
        if let Some(Some(n_before)) = self.open.pop() {
            self.close_object(bytes, n_before);
        }
    }

    #[inline]
    fn key(&mut self, bytes: &[u8], start: usize, end: usize) {
        let is_escaped = self.n_escapes > self.n_escapes_told && {
            // Escapes of the value before it were counted, too.
            memchr::memchr(b'\\', bytes.get(start..end).unwrap_or_default()).is_some()
        };
        self.n_escapes_told = self.n_escapes;
        let tag = if is_escaped { 0 } else { tag(bytes, start, end) };
        self.names.push(Name { start, end, tag });
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
