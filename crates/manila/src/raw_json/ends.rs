//! Where the long values of a document end, noted when it was scanned for the first time: whoever
//! looks into it later need not walk over each of them to find what comes behind.

use super::scan::Visit;

/// The long values near the top of one document.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// Where the document lies in memory. Its parts know where they lie, and nothing more.
    base: usize,
    /// Where each begins and ends, in this order.
    spans: Vec<(usize, usize)>,
}

impl Ends {
    /// The long values of `document` that a scan came by.
    pub(super) fn new(document: &[u8], mut spans: Vec<(usize, usize)>) -> Ends {
        spans.sort_unstable();
        Ends { base: document.as_ptr() as usize, spans }
    }

    /// Those in a part of the document, told as seen from its start; none for other bytes.
    pub(super) fn within<'a>(&'a self, part: &[u8]) -> EndsWithin<'a> {
        let start = (part.as_ptr() as usize).wrapping_sub(self.base);
        let first = self.spans.partition_point(|span| span.0 < start);
        EndsWithin { start, spans: self.spans.get(first..).unwrap_or_default() }
    }
}

/// The long values of a part of a document, from the front to the back.
pub(super) struct EndsWithin<'a> {
    start: usize,
    spans: &'a [(usize, usize)],
}

impl EndsWithin<'_> {
    /// For bytes of which nothing is known.
    pub(super) const NONE: EndsWithin<'static> = EndsWithin { start: 0, spans: &[] };

    /// Where the value at `at` ends, if it is a long one. Places are asked for in their order.
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
    fn long(&mut self, start: usize, end: usize) {
        // All at once: to grow step by step costs a lock each time.
        if self.spans.capacity() == 0 {
            self.spans.reserve(16);
        }
        self.spans.push((start, end));
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{Member, Opened, RawJson, walk};

    /// A document whose values are long and short, plain and escaped, with and without spaces.
    fn document() -> Bytes {
        let long = "word ".repeat(30);
        let items = vec![format!(r#"{{"a": "{long}", "b": [1, "{long}\"\\"], "": {{}}}}"#); 4];
        format!(" [0, {{\"{long}\": [{}], \"short\": \"\"}}, \"{long}\"] ", items.join(" , "))
            .into()
    }

    #[test]
    fn a_noted_end_is_the_one_that_a_walk_finds() {
        let document = document();
        let ends = Opened::read(&document).unwrap().ends;
        assert_eq!(ends.spans.len(), 20, "the document, two in it, a list, and 4 items of 4");
        for &(start, end) in &ends.spans {
            assert_eq!(walk::value_end(&document, start), end);
        }
    }

    #[test]
    fn whoever_knows_the_ends_sees_the_same_values() {
        fn check(value: &RawJson, document: &Opened<'_>) {
            let ends = &document.ends;
            let items: Vec<_> = value.items().collect();
            assert_eq!(value.items_within(ends).collect::<Vec<_>>(), items);
            let pair = |member: Member<'_>| (member.key().into_owned(), member.value());
            let members: Vec<_> = value.members().map(pair).collect();
            assert_eq!(value.members_within(ends).map(pair).collect::<Vec<_>>(), members);
            for inner in items.iter().chain(members.iter().map(|(_, value)| value)) {
                check(inner, document);
            }
        }
        let document = document();
        let opened = Opened::read(&document).unwrap();
        check(&opened.value, &opened);
        // What lies elsewhere has no ends here.
        check(&RawJson::parse(document.to_vec()).unwrap(), &opened);
    }
}
