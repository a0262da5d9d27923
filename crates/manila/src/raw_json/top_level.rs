//! A document with its top-level members already located, so that later readers need not scan the
//! document again.

use std::borrow::Cow;
use std::rc::Rc;

use bytes::Bytes;

use super::interop::InteropScan;
use super::reader::Reader;
use super::scan::Visit;
use super::value_ends::LongValues;
use super::{InteropIssue, Kind, RawJson, ReadError, ValueEnds};

/// A document, parsed at its top level.
pub(crate) struct TopLevel<'a> {
    pub(crate) value: RawJson,
    /// The members, if the document is an object.
    pub(crate) members: Vec<(Cow<'a, str>, RawJson)>,
    /// The ends of its long values.
    pub(crate) ends: Rc<ValueEnds>,
}

impl<'a> TopLevel<'a> {
    /// Parses a document.
    pub(crate) fn read(document: &'a Bytes) -> Result<TopLevel<'a>, ReadError> {
        let (mut top_level, long) = TopLevel::read_with_visitor(document, LongValues::default())?;
        top_level.ends = Rc::new(ValueEnds::new(document, long.spans));
        Ok(top_level)
    }

    /// Parses a document, and returns its interoperability issues. Offsets are relative to the
    /// value.
    pub(crate) fn read_with_issues(
        document: &'a Bytes,
    ) -> Result<(TopLevel<'a>, Vec<InteropIssue>), ReadError> {
        let (mut top_level, scan) = TopLevel::read_with_visitor(document, InteropScan::new())?;
        let value = top_level.value.as_bytes();
        let start = (value.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
        let (mut issues, long) = scan.into_issues(document);
        top_level.ends = Rc::new(ValueEnds::new(document, long.spans));
        for issue in &mut issues {
            issue.make_relative_to(start);
        }
        Ok((top_level, issues))
    }

    fn read_with_visitor<V: Visit>(
        document: &'a Bytes,
        visit: V,
    ) -> Result<(TopLevel<'a>, V), ReadError> {
        let mut members = Vec::with_capacity(9);
        let (value, visit) =
            Reader::document_with_visitor(0, document, visit, |reader| match reader.next_kind() {
                Kind::Object => {
                    let read = |reader: &mut Reader<'a, V>| {
                        reader.each_member(|reader, name| {
                            members.push((name.clone(), reader.raw()?));
                            Ok(())
                        })
                    };
                    reader.with_raw(read).map(|((), value)| value)
                }
                Kind::Array | Kind::String | Kind::Number | Kind::Bool | Kind::Null => reader.raw(),
            })?;
        Ok((TopLevel { value, members, ends: Rc::default() }, visit))
    }

    /// Locates the members of a value that has already been parsed.
    pub(crate) fn of(value: &'a RawJson) -> TopLevel<'a> {
        let members = value.members().map(|member| (member.key(), member.value())).collect();
        TopLevel { value: value.clone(), members, ends: Rc::default() }
    }

    /// Returns the member with this name; if it is repeated, the last one.
    pub(crate) fn get(&self, name: &str) -> Option<&RawJson> {
        self.members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}
