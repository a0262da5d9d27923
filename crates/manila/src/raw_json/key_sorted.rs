//! Compact JSON with sorted keys: the text under fingerprints and deterministic ids.

use super::{Emit, Kind, ObjectWriter, RawJson};

/// The value as compact JSON whose object keys are sorted by their text (Q3, Q7).
///
/// Numbers and strings keep their spelling; members of the same name keep their order.
#[must_use]
pub fn key_sorted(value: &RawJson) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.as_bytes().len());
    Sorted(value).emit(&mut out);
    out
}

struct Sorted<'a>(&'a RawJson);

/// Recursion is bounded: what is read is at most `DEPTH_MAX` deep, and an envelope little more.
impl Emit for Sorted<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self.0.kind() {
            Kind::Object => {
                let mut members: Vec<_> =
                    self.0.members().map(|member| (member.key(), member)).collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                let mut object = ObjectWriter::begin(out);
                for (_, member) in members {
                    object.token_member(member.key_token(), &Sorted(&member.value()));
                }
                object.end();
            }
            Kind::Array => {
                out.push(b'[');
                for (n, item) in self.0.items().enumerate() {
                    if n > 0 {
                        out.push(b',');
                    }
                    Sorted(&item).emit(out);
                }
                out.push(b']');
            }
            Kind::String | Kind::Number | Kind::Bool | Kind::Null => self.0.emit(out),
        }
    }
}
