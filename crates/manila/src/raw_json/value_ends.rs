//! The ends of a document's long values, recorded during its first scan, so that later readers need
//! not walk over each of them to find what follows.

use super::scan::Visit;

/// The long values near the top of one document.
#[derive(Debug, Default)]
pub(crate) struct ValueEnds {
    /// The address of the document. Its parts know only their own addresses.
    base: usize,
    /// The start and end of each value, in order.
    spans: Vec<(usize, usize)>,
}

impl ValueEnds {
    /// Creates the set of long values that a scan found in `document`.
    pub(super) fn new(document: &[u8], mut spans: Vec<(usize, usize)>) -> ValueEnds {
        spans.sort_unstable();
        ValueEnds { base: document.as_ptr() as usize, spans }
    }

    /// Returns the long values in a part of the document, relative to its start; none for other
    /// bytes.
    pub(super) fn within<'a>(&'a self, part: &[u8]) -> ValueEndsWithin<'a> {
        let start = (part.as_ptr() as usize).wrapping_sub(self.base);
        let first = self.spans.partition_point(|span| span.0 < start);
        ValueEndsWithin { start, spans: self.spans.get(first..).unwrap_or_default() }
    }
}

/// The long values of a part of a document, in order.
pub(super) struct ValueEndsWithin<'a> {
    start: usize,
    spans: &'a [(usize, usize)],
}

impl ValueEndsWithin<'_> {
    /// The long values of bytes that have none recorded.
    pub(super) const NONE: ValueEndsWithin<'static> = ValueEndsWithin { start: 0, spans: &[] };

    /// Returns the end of the value at `at`, if it is a long one. Calls must have increasing `at`.
    #[inline]
    pub(super) fn end_of(&mut self, at: usize) -> Option<usize> {
        let place = self.start.wrapping_add(at);
        let mut next = self.spans.first()?;
        if next.0 < place {
            let n_before = self.spans.partition_point(|span| span.0 < place);
            self.spans = self.spans.get(n_before..)?;
            next = self.spans.first()?;
        }
        (next.0 == place).then(|| next.1.wrapping_sub(self.start))
    }
}

/// Collects the long values while a document is scanned.
#[derive(Default)]
pub(super) struct LongValues {
    pub(super) spans: Vec<(usize, usize)>,
}

impl Visit for LongValues {
    fn long_value(&mut self, start: usize, end: usize) {
        // Reserves once, because growing step by step may take the allocator's lock each time.
        if self.spans.capacity() == 0 {
            self.spans.reserve(16);
        }
        self.spans.push((start, end));
    }
}

#[cfg(test)]
mod tests;
