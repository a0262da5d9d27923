//! Checks tool I/O (Q3): the input and output of a tool.

use std::sync::Arc;

use crate::raw_json::{Kind, RawJson};
use crate::report::collect::Findings;
use crate::report::path::Path;
use crate::schema::{Registry, Schema};

/// A tool and its compiled schemas.
#[derive(Debug)]
pub(super) struct Tool {
    name: String,
    input: Arc<Schema>,
    /// Without one, any object is valid.
    output: Option<Arc<Schema>>,
}

impl Tool {
    /// Parses a tool as listed by `tools/list`.
    pub(super) fn read(tool: &RawJson) -> Result<Tool, UnusableTool> {
        let kind = tool.kind();
        if kind != Kind::Object {
            return Err(not_a_tool(format!("the tool must be an object, but is {}", kind.name())));
        }
        let name = tool.get("name");
        let name = name.as_ref().and_then(RawJson::as_text).filter(|name| !name.is_empty());
        let no_name = || not_a_tool("the tool must have a `name`, a string that is not empty");
        let name = name.ok_or_else(no_name)?;
        let registry = Registry::default();
        let compiled = |member: &str| match tool.get(member) {
            None => Ok(None),
            Some(schema) if schema.kind() != Kind::Object => {
                let found = schema.kind().name();
                Err(not_a_tool(format!("the tool's `{member}` must be an object, but is {found}")))
            }
            Some(schema) => {
                let schema = registry.schema(&schema);
                let error = |unusable| UnusableTool::Schema(format!("`{member}`: {unusable}"));
                schema.map(Some).map_err(error)
            }
        };
        let input = compiled("inputSchema")?;
        let no_input =
            || not_a_tool("the tool must have an `inputSchema`, as `tools/list` gives it");
        let input = input.ok_or_else(no_input)?;
        Ok(Tool { name: name.into_owned(), input, output: compiled("outputSchema")? })
    }
}

/// A tool whose input and output cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableTool {
    /// It is not an object, or a required member is missing or invalid.
    #[error("{0}")]
    NotATool(String),
    /// One of its schemas cannot be used.
    #[error("{0}")]
    Schema(String),
}

fn not_a_tool(why: impl Into<String>) -> UnusableTool {
    UnusableTool::NotATool(why.into())
}

/// Q3: checks a document with the name of the tool and its input, its output, or both.
///
/// Each member has its own rule, and other members are allowed. Without a tool, only this structure
/// is checked.
pub(super) fn check(value: &RawJson, tool: Option<&Tool>, findings: &mut Findings) {
    let root = &Path::ROOT;
    let (mut has_tool, mut has_either) = (false, false);
    let is_object = findings.object(value, root, "Q3", |findings, name, value, at| match name {
        "tool" => {
            has_tool = true;
            let named = findings.text_within(&value, at, "Q3", (1, usize::MAX));
            let is_other = |tool: &Tool| named.as_ref().is_some_and(|named| *named != tool.name);
            if tool.is_some_and(is_other) {
                findings.reject(at, "const", "Q3", "must be the name of the given tool");
            }
        }
        "input" => {
            has_either = true;
            check_against_schema(&value, tool.map(|tool| &*tool.input), at, findings);
        }
        "output" => {
            has_either = true;
            let schema = tool.and_then(|tool| tool.output.as_deref());
            check_against_schema(&value, schema, at, findings);
        }
        _ => {}
    });
    if is_object {
        findings.require(has_tool, root, "tool", "Q3");
        if !has_either {
            findings.reject(root, "anyOf", "Q3", "must have an `input` or an `output`");
        }
    }
}

/// Checks that a value is an object and conforms to the tool's schema, if it has one.
fn check_against_schema(
    value: &RawJson,
    schema: Option<&Schema>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    if !findings.expect_kind(value, Kind::Object, path, "Q3") {
        return;
    }
    let Some(schema) = schema else { return };
    for violation in schema.check(value).unwrap_or_else(|stopped| vec![stopped.violation()]) {
        let rule = keyword(&violation.rule);
        findings.reject_below(path, &violation.pointer, rule, "Q3", violation.message);
    }
}

/// The JSON Schema keywords that a value can violate.
const KEYWORDS: [&str; 31] = [
    "additionalItems",
    "additionalProperties",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "falseSchema",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maxSteps",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "propertyNames",
    "required",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Returns the keyword with this name, or `schema` for one that is not listed.
fn keyword(rule: &str) -> &'static str {
    KEYWORDS.into_iter().find(|known| *known == rule).unwrap_or("schema")
}

#[cfg(test)]
mod tests;
