//! A document with its outermost members at hand: whoever looks at all of them need not walk over
//! the whole document again to find where each one ends.

use std::borrow::Cow;
use std::rc::Rc;

use bytes::Bytes;

use super::ends::LongValues;
use super::reader::Reader;
use super::scan::Visit;
use super::strict::Doubting;
use super::{Doubt, Ends, Kind, RawJson, ReadError};

/// A document, taken apart at its top level.
pub(crate) struct Opened<'a> {
    pub(crate) value: RawJson,
    /// Its members, if it is an object.
    pub(crate) members: Vec<(Cow<'a, str>, RawJson)>,
    /// Where its long values end.
    pub(crate) ends: Rc<Ends>,
}

impl<'a> Opened<'a> {
    /// Reads a document.
    pub(crate) fn read(document: &'a Bytes) -> Result<Opened<'a>, ReadError> {
        let (mut opened, long) = Opened::visited(document, LongValues::default())?;
        opened.ends = Rc::new(Ends::new(document, long.spans));
        Ok(opened)
    }

    /// Reads a document, and tells what readers of it may understand differently. Offsets are
    /// those in the value.
    pub(crate) fn doubted(document: &'a Bytes) -> Result<(Opened<'a>, Vec<Doubt>), ReadError> {
        let (mut opened, doubting) = Opened::visited(document, Doubting::new())?;
        let value = opened.value.as_bytes();
        let start = (value.as_ptr() as usize).saturating_sub(document.as_ptr() as usize);
        let (mut doubts, long) = doubting.doubts(document);
        opened.ends = Rc::new(Ends::new(document, long.spans));
        for doubt in &mut doubts {
            doubt.move_back(start);
        }
        Ok((opened, doubts))
    }

    fn visited<V: Visit>(document: &'a Bytes, visit: V) -> Result<(Opened<'a>, V), ReadError> {
        let mut members = Vec::with_capacity(9);
        let (value, visit) =
            Reader::visited(0, document, visit, |reader| match reader.next_kind() {
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
        Ok((Opened { value, members, ends: Rc::default() }, visit))
    }

    /// A value that has been read before.
    pub(crate) fn of(value: &'a RawJson) -> Opened<'a> {
        let members = value.members().map(|member| (member.key(), member.value())).collect();
        Opened { value: value.clone(), members, ends: Rc::default() }
    }

    /// The member of this name; of several, the last.
    pub(crate) fn get(&self, name: &str) -> Option<&RawJson> {
        self.members.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}
