//! What JSON's grammar allows and readers understand differently: a name twice in one object, half
//! of a surrogate pair, a number that is too large for a double.
//!
//! Payloads may hold all of them. Who judges a document refuses them, because two readers of it
//! may see two different documents.

use super::{RawJson, string, walk};

/// How many doubts about one document are told.
const DOUBTS_MAX: usize = 20;

/// Something that readers understand differently, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Where in the document.
    pub(crate) offset: usize,
    pub(crate) kind: DoubtKind,
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

/// What readers of `value` may understand differently, in the order written.
pub(crate) fn doubts(value: &RawJson) -> Vec<Doubt> {
    let bytes = value.as_bytes();
    let mut walk = Walk { bytes, names: Vec::new(), open: Vec::new(), doubts: Vec::new() };
    walk.run();
    let mut doubts = walk.doubts;
    doubts.sort_by_key(|doubt| doubt.offset);
    doubts.truncate(DOUBTS_MAX);
    doubts
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

/// One pass over checked JSON, without recursion.
struct Walk<'a> {
    bytes: &'a [u8],
    /// The names of the open objects, those of the innermost last.
    names: Vec<Name>,
    /// For each open array or object: how many names the objects around it have, if it is an
    /// object.
    open: Vec<Option<usize>>,
    doubts: Vec<Doubt>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let has_escapes = memchr::memchr(b'\\', self.bytes).is_some();
        let mut at = 0;
        // Whether a string that comes next is a name.
        let mut is_name = false;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'"' => {
                    let end = walk::string_end(self.bytes, at);
                    if is_name {
                        let tag = self.tag(at, end, has_escapes);
                        self.names.push(Name { start: at, end, tag });
                        is_name = false;
                    }
                    if has_escapes {
                        self.string(at, end);
                    }
                    at = end;
                    continue;
                }
                b'{' => {
                    self.open.push(Some(self.names.len()));
                    is_name = true;
                }
                b'[' => {
                    self.open.push(None);
                    is_name = false;
                }
                b'}' | b']' => {
                    if let Some(Some(n_before)) = self.open.pop() {
                        self.close_object(n_before);
                    }
                    is_name = false;
                }
                b',' => is_name = matches!(self.open.last(), Some(Some(_))),
                b'-' | b'0'..=b'9' => {
                    at = self.number(at);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn add(&mut self, offset: usize, kind: DoubtKind) {
        // Some more than are told: what stands first in an object may be found last.
        if self.doubts.len() < 64 * DOUBTS_MAX {
            self.doubts.push(Doubt { offset, kind });
        }
    }

    fn string(&mut self, start: usize, end: usize) {
        let token = self.bytes.get(start..end).unwrap_or_default();
        if memchr::memchr(b'\\', token).is_some() && string::decode_exactly(token).is_err() {
            self.add(start, DoubtKind::LoneSurrogate);
        }
    }

    /// Looks at the number at `start`, and gives where it ends.
    fn number(&mut self, start: usize) -> usize {
        // Without an exponent it takes that many digits to be too large.
        const DIGITS: usize = 308;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let len = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let token = rest.get(..len).unwrap_or_default();
        let may_be_huge = len > DIGITS || token.iter().any(|byte| matches!(byte, b'e' | b'E'));
        if may_be_huge {
            let number = std::str::from_utf8(token).ok().and_then(|text| text.parse::<f64>().ok());
            if number.is_none_or(f64::is_infinite) {
                self.add(start, DoubtKind::Huge);
            }
        }
        start + len.max(1)
    }

    /// A number that tells most tokens apart: their length and up to seven of their bytes.
    fn tag(&self, start: usize, end: usize, has_escapes: bool) -> u64 {
        let token = self.bytes.get(start..end).unwrap_or_default();
        if has_escapes && memchr::memchr(b'\\', token).is_some() {
            return 0;
        }
        let mut word = [0; 8];
        let inner = token.get(1..).unwrap_or_default();
        let n_bytes = inner.len().min(7);
        if let (Some(to), Some(from)) = (word.get_mut(..n_bytes), inner.get(..n_bytes)) {
            to.copy_from_slice(from);
        }
        // The quote that ends every token is among them, or the length is not 0.
        word[7] = u8::try_from(token.len()).unwrap_or(u8::MAX);
        u64::from_le_bytes(word)
    }

    /// Looks for names that the object which ends here has twice.
    fn close_object(&mut self, n_before: usize) {
        const FEW: usize = 12;
        let names = self.names.get(n_before..).unwrap_or_default();
        let token = |name: &Name| self.bytes.get(name.start..name.end).unwrap_or_default();
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

impl RawJson {
    /// The pointer to the value, or to the member of this name, at an offset.
    pub(crate) fn pointer_at(&self, offset: usize) -> String {
        let start = |value: &RawJson| {
            (value.as_bytes().as_ptr() as usize).saturating_sub(self.as_bytes().as_ptr() as usize)
        };
        let mut here = self.clone();
        let mut pointer = String::new();
        loop {
            let holds = |value: &RawJson| {
                (start(value)..start(value) + value.as_bytes().len()).contains(&offset)
            };
            let named = here.members().find(|member| {
                let key = member.key_token();
                let key_start =
                    (key.as_ptr() as usize).saturating_sub(self.as_bytes().as_ptr() as usize);
                key_start == offset || holds(&member.value())
            });
            let named = named.map(|member| (member.key().into_owned(), member.value()));
            let next = named.or_else(|| {
                let mut items = here.items().enumerate();
                let item = items.find(|(_, item)| holds(item));
                item.map(|(index, item)| (index.to_string(), item))
            });
            let Some((name, value)) = next else { return pointer };
            pointer = crate::violation::below(&pointer, &name);
            here = value;
        }
    }
}
