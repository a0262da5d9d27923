//! Messages to write: one buffer, or parts that share the bytes of others.
//!
//! A small message is one buffer, because copying it costs less than several writes. The large
//! parts of a message are not copied: they share the memory of the server's message or of the
//! envelope, and text is escaped only while it is written.

use std::cell::RefCell;
use std::sync::Arc;

use bytes::Bytes;
use manila::RawJson;
use manila::json::{Emit, escape, escaped_len};

use crate::rt::queue::Weigh;

/// The minimum size of a part that is shared.
pub(crate) const LARGE_BYTES: usize = 1024 * 1024;

/// A message to write.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    parts: Parts,
    n_bytes: usize,
}

#[derive(Debug, Clone)]
enum Parts {
    One(Bytes),
    Several(Arc<[Part]>),
}

/// A part of a message.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Bytes that are written unchanged.
    Raw(Bytes),
    /// Text that is written as the inside of a JSON string.
    Text(Bytes),
}

impl From<Bytes> for Outgoing {
    fn from(bytes: Bytes) -> Outgoing {
        Outgoing { n_bytes: bytes.len(), parts: Parts::One(bytes) }
    }
}

impl FromIterator<Part> for Outgoing {
    fn from_iter<T: IntoIterator<Item = Part>>(parts: T) -> Outgoing {
        let parts: Arc<[Part]> = parts.into_iter().collect();
        let n_bytes = parts.iter().map(Part::n_bytes).sum();
        Outgoing { parts: Parts::Several(parts), n_bytes }
    }
}

impl Outgoing {
    /// Returns the number of bytes that are written.
    pub(crate) fn len(&self) -> usize {
        self.n_bytes
    }

    /// Returns the message in chunks, each of which is written at once.
    pub(crate) fn into_chunks(self) -> Chunks {
        Chunks { n_bytes: self.n_bytes, parts: self.parts, n_parts: 0, n_of_part: 0 }
    }

    /// Returns the message as one buffer; without a copy if it is one.
    pub(crate) fn into_bytes(self) -> Bytes {
        match self.parts {
            Parts::One(bytes) => bytes,
            Parts::Several(_) => {
                let mut joined = Vec::with_capacity(self.n_bytes);
                self.into_chunks().for_each(|chunk| joined.extend_from_slice(&chunk));
                joined.into()
            }
        }
    }

    /// Returns whether this is certainly the same message.
    pub(crate) fn is_same(&self, other: &Outgoing) -> bool {
        match (&self.parts, &other.parts) {
            (Parts::One(this), Parts::One(other)) => this == other,
            (Parts::One(_) | Parts::Several(_), _) => false,
        }
    }
}

impl Weigh for Outgoing {
    fn n_bytes(&self) -> usize {
        self.n_bytes
    }
}

impl Part {
    fn n_bytes(&self) -> usize {
        match self {
            Part::Raw(bytes) => bytes.len(),
            Part::Text(text) => escaped_len(text),
        }
    }
}

/// The chunks of a message.
#[derive(Debug)]
pub(crate) struct Chunks {
    parts: Parts,
    /// The number of parts that have been returned.
    n_parts: usize,
    /// The number of bytes of the next part that have been returned.
    n_of_part: usize,
    /// The number of bytes that have not been returned.
    n_bytes: usize,
}

impl Chunks {
    /// Returns the total size of the chunks that have not been returned.
    pub(crate) fn n_bytes(&self) -> usize {
        self.n_bytes
    }
}

impl Iterator for Chunks {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        const TEXT_BYTES_MAX: usize = 64 * 1024;
        let chunk = match &mut self.parts {
            Parts::One(_) if self.n_parts > 0 => return None,
            Parts::One(bytes) => {
                self.n_parts = 1;
                std::mem::take(bytes)
            }
            Parts::Several(parts) => match parts.get(self.n_parts)? {
                Part::Raw(bytes) => {
                    self.n_parts += 1;
                    bytes.clone()
                }
                Part::Text(text) => {
                    let rest = text.get(self.n_of_part..).unwrap_or_default();
                    let now = rest.get(..TEXT_BYTES_MAX).unwrap_or(rest);
                    self.n_of_part += now.len();
                    if self.n_of_part == text.len() {
                        (self.n_parts, self.n_of_part) = (self.n_parts + 1, 0);
                    }
                    let mut escaped = Vec::with_capacity(now.len() + now.len() / 4);
                    escape(now, &mut escaped);
                    escaped.into()
                }
            },
        };
        self.n_bytes = self.n_bytes.saturating_sub(chunk.len());
        Some(chunk)
    }
}

/// The large parts of a message that is being written, and their places.
#[derive(Default)]
pub(crate) struct LargeParts(RefCell<Vec<(usize, Part)>>);

impl LargeParts {
    /// Returns a value that is shared if it is large.
    pub(crate) fn value<'a>(&'a self, value: &'a RawJson) -> impl Emit + use<'a> {
        Shared { large: self, value, form: Form::Value }
    }

    /// Returns the text of a value as a JSON string. It is shared if it is large.
    pub(crate) fn text<'a>(&'a self, value: &'a RawJson) -> impl Emit + use<'a> {
        Shared { large: self, value, form: Form::Text }
    }

    /// Returns the message. `rest` is everything but the large parts.
    pub(crate) fn insert_into(self, rest: Bytes) -> Outgoing {
        let large = self.0.into_inner();
        if large.is_empty() {
            return rest.into();
        }
        let mut parts = Vec::with_capacity(large.len() * 2 + 1);
        let mut n_before = 0;
        for (place, part) in large {
            parts.push(Part::Raw(rest.slice(n_before..place)));
            parts.push(part);
            n_before = place;
        }
        parts.push(Part::Raw(rest.slice(n_before..)));
        parts.into_iter().collect()
    }

    fn add(&self, place: usize, part: Part) {
        self.0.borrow_mut().push((place, part));
    }
}

/// A value that is shared if it is large.
struct Shared<'a> {
    large: &'a LargeParts,
    value: &'a RawJson,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Value,
    Text,
}

impl Emit for Shared<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Shared { large, value, form } = self;
        let is_large = value.as_bytes().len() >= LARGE_BYTES;
        match form {
            Form::Value if is_large => large.add(out.len(), Part::Raw(value.compact())),
            Form::Value => value.emit(out),
            Form::Text if is_large => {
                out.push(b'"');
                large.add(out.len(), Part::Text(value.to_bytes()));
                out.push(b'"');
            }
            Form::Text => value.as_str().emit(out),
        }
    }
}

#[cfg(test)]
mod tests;
