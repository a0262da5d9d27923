//! Values that several contracts write in the same way.

use crate::outcome::{Content, UpgradeHint};
use crate::raw_json::{Emit, Kind, ObjectWriter, RawJson, emit_string};

/// Writes JSON unchanged, text as a string and no content as `null`.
impl Emit for Content<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self {
            Content::Nothing => out.extend_from_slice(b"null"),
            Content::Json(json) => json.emit(out),
            Content::Text(text) => text.emit(out),
        }
    }
}

/// Content as a string (M1): strings unchanged, `null` and no content as `""`, other JSON as its
/// compact text.
pub(super) struct AsText<'a>(pub(super) Content<'a>);

impl Emit for AsText<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        match self.0 {
            Content::Nothing => out.extend_from_slice(b"\"\""),
            Content::Text(text) => text.emit(out),
            Content::Json(json) => match json.kind() {
                Kind::Null => out.extend_from_slice(b"\"\""),
                Kind::String => json.emit(out),
                Kind::Object | Kind::Array | Kind::Number | Kind::Bool => {
                    emit_string(&json.compact(), out);
                }
            },
        }
    }
}

/// Returns the text of a string, or the compact JSON of any other value.
pub(super) fn text_of(value: &RawJson) -> String {
    value.as_text().map_or_else(|| value.to_string(), std::borrow::Cow::into_owned)
}

/// Returns whether a value is a string, a number, a boolean or null.
pub(super) fn is_scalar(value: &RawJson) -> bool {
    match value.kind() {
        Kind::String | Kind::Number | Kind::Bool | Kind::Null => true,
        Kind::Object | Kind::Array => false,
    }
}

/// Pairs of strings, written as an object.
pub(super) struct Pairs<'a>(pub(super) &'a [(String, String)]);

impl Emit for Pairs<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        for (name, value) in self.0 {
            object.member(name, value);
        }
        object.end();
    }

    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }
}

/// E9: a feature that the tier withheld or limited.
pub(super) struct Hint<'a>(pub(super) &'a UpgradeHint);

impl Emit for Hint<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let UpgradeHint { feature, tier, reason } = self.0;
        let mut object = ObjectWriter::begin(out);
        object.member("feature", feature);
        object.member("tier", tier);
        object.member("reason", reason);
        object.end();
    }
}
