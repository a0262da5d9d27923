//! JSON pointers to the parts of a diagnostic in a line of JSON.

use std::borrow::Cow;

use manila::RawJson;
use manila::json::Kind;

use super::diagnostic_parts::DiagnosticParts;

/// Pointers to the parts of a diagnostic. A line without a message is not a diagnostic.
#[derive(Debug, Clone)]
pub(super) struct Pointers {
    pub(super) message: Pointer,
    pub(super) code: Option<Pointer>,
    pub(super) severity: Option<Pointer>,
    pub(super) file: Option<Pointer>,
    pub(super) line: Option<Pointer>,
    pub(super) column: Option<Pointer>,
    /// The human-readable text.
    pub(super) raw: Option<Pointer>,
}

/// A JSON pointer; in an array, `NAME=VALUE` selects the first item with this member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pointer(Vec<String>);

impl Pointer {
    pub(super) fn new(text: &str) -> Result<Pointer, String> {
        match text.strip_prefix('/') {
            Some(rest) => {
                let plain = |name: &str| name.replace("~1", "/").replace("~0", "~");
                Ok(Pointer(rest.split('/').map(plain).collect()))
            }
            None => Err("must be a JSON pointer, e.g. /message/code".to_owned()),
        }
    }

    fn value_in(&self, json: &RawJson) -> Option<RawJson> {
        self.0.iter().try_fold(json.clone(), |value, segment| below(&value, segment))
    }

    pub(super) fn text_in(&self, json: &RawJson) -> Option<String> {
        let found = self.value_in(json)?;
        match found.kind() {
            Kind::String => found.as_text().map(Cow::into_owned),
            Kind::Number => Some(found.as_str().to_owned()),
            Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
        }
    }
}

fn below(value: &RawJson, segment: &str) -> Option<RawJson> {
    if value.kind() != Kind::Array {
        return value.get(segment);
    }
    match segment.split_once('=') {
        Some((name, expected)) => value.items().find(|item| {
            let member = item.get(name);
            member.is_some_and(|it| {
                it.as_str() == expected || it.as_text().as_deref() == Some(expected)
            })
        }),
        None => value.items().nth(segment.parse().ok()?),
    }
}

impl Pointers {
    /// Returns whether a line is a diagnostic.
    pub(super) fn has_message(&self, json: &RawJson) -> bool {
        self.message.value_in(json).is_some_and(|message| message.kind() == Kind::String)
    }

    pub(super) fn message<'t>(&self, json: &RawJson) -> Option<Cow<'t, str>> {
        self.message.text_in(json).map(Cow::Owned)
    }

    pub(super) fn code<'t>(&self, json: &RawJson) -> Option<Cow<'t, str>> {
        self.code.as_ref()?.text_in(json).map(Cow::Owned)
    }

    pub(super) fn severity<'t>(&self, json: &RawJson) -> Option<Cow<'t, str>> {
        self.severity.as_ref()?.text_in(json).map(Cow::Owned)
    }

    pub(super) fn parts<'t>(&self, json: &RawJson, line: &'t str) -> DiagnosticParts<'t> {
        let text_at = |pointer: &Option<Pointer>| {
            pointer.as_ref().and_then(|pointer| pointer.text_in(json)).map(Cow::Owned)
        };
        DiagnosticParts {
            message: self.message(json),
            code: self.code(json),
            subject: None,
            severity: self.severity(json),
            file: text_at(&self.file),
            line: text_at(&self.line),
            column: text_at(&self.column),
            raw: text_at(&self.raw).unwrap_or(Cow::Borrowed(line)),
        }
    }
}
