//! Compact JSON with sorted keys: the input of fingerprints and deterministic ids.

use super::{Emit, Kind, ObjectWriter, RawJson};

/// Returns the value as compact JSON with object keys sorted by their text (Q3, Q7).
///
/// Numbers and strings keep their spelling; members with the same name keep their order.
#[must_use]
pub fn key_sorted(value: &RawJson) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.as_bytes().len());
    Sorted(value).emit(&mut out);
    out
}

struct Sorted<'a>(&'a RawJson);

/// Recursion is bounded: parsed values are at most `DEPTH_MAX` deep, and an envelope adds little.
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
