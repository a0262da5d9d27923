//! Tool I/O (Q3): what goes into a tool and what comes out of it.

use std::sync::Arc;

use crate::raw_json::{Kind, RawJson};
use crate::report::look::Look;
use crate::report::path::Path;
use crate::schema::{Registry, Schema};

/// A tool and its compiled schemas.
#[derive(Debug)]
pub(super) struct Tool {
    name: String,
    input: Arc<Schema>,
    /// Without one, any object fits.
    output: Option<Arc<Schema>>,
}

impl Tool {
    /// The tool as `tools/list` tells it.
    pub(super) fn read(tool: &RawJson) -> Result<Tool, UnusableTool> {
        let kind = tool.kind();
        if kind != Kind::Object {
            return Err(no_tool(format!("the tool must be an object, but is {}", kind.name())));
        }
        let name = tool.get("name");
        let name = name.as_ref().and_then(RawJson::as_text).filter(|name| !name.is_empty());
        let no_name = || no_tool("the tool must have a `name`, a string that is not empty");
        let name = name.ok_or_else(no_name)?;
        let mut registry = Registry::default();
        let mut compiled = |member: &str| match tool.get(member) {
            None => Ok(None),
            Some(schema) if schema.kind() != Kind::Object => {
                let found = schema.kind().name();
                Err(no_tool(format!("the tool's `{member}` must be an object, but is {found}")))
            }
            Some(schema) => {
                let schema = registry.schema(&schema);
                let told = |unusable| UnusableTool::Schema(format!("`{member}`: {unusable}"));
                schema.map(Some).map_err(told)
            }
        };
        let input = compiled("inputSchema")?;
        let no_input = || no_tool("the tool must have an `inputSchema`, as `tools/list` gives it");
        let input = input.ok_or_else(no_input)?;
        Ok(Tool { name: name.into_owned(), input, output: compiled("outputSchema")? })
    }
}

/// A tool whose input and output cannot be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableTool {
    /// It is no tool, or lacks what a tool must have.
    #[error("{0}")]
    NoTool(String),
    /// One of its schemas cannot be used.
    #[error("{0}")]
    Schema(String),
}

fn no_tool(why: impl Into<String>) -> UnusableTool {
    UnusableTool::NoTool(why.into())
}

/// Q3: the tool's name with its input, its output, or both of one call; each has its own rule, and
/// none forbids the other, or further members. Without a tool only that much is checked.
pub(super) fn look(value: &RawJson, tool: Option<&Tool>, look: &mut Look) {
    let root = &Path::ROOT;
    let (mut has_tool, mut has_either) = (false, false);
    let is_object = look.object(value, root, "Q3", |look, name, value, at| match name {
        "tool" => {
            has_tool = true;
            let named = look.text_within(&value, at, "Q3", (1, usize::MAX));
            let is_other = |tool: &Tool| named.as_ref().is_some_and(|named| *named != tool.name);
            if tool.is_some_and(is_other) {
                look.refuse(at, "const", "Q3", "must be the name of the tool that was asked for");
            }
        }
        "input" => {
            has_either = true;
            fits(&value, tool.map(|tool| &*tool.input), at, look);
        }
        "output" => {
            has_either = true;
            fits(&value, tool.and_then(|tool| tool.output.as_deref()), at, look);
        }
        _ => {}
    });
    if is_object {
        look.need(has_tool, root, "tool", "Q3");
        if !has_either {
            look.refuse(root, "anyOf", "Q3", "must have an `input` or an `output`");
        }
    }
}

/// An object that fits the tool's own schema, if it has one.
fn fits(value: &RawJson, schema: Option<&Schema>, path: &Path<'_>, look: &mut Look) {
    if !look.is(value, Kind::Object, path, "Q3") {
        return;
    }
    for violation in schema.map(|schema| schema.check(value)).unwrap_or_default() {
        let rule = keyword(&violation.rule);
        look.refuse_below(path, &violation.pointer, rule, "Q3", violation.message);
    }
}

/// The keywords of JSON Schema that a value can break.
const KEYWORDS: [&str; 30] = [
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

/// The rule of this name; one that is not listed is the schema's.
fn keyword(rule: &str) -> &'static str {
    KEYWORDS.into_iter().find(|known| *known == rule).unwrap_or("schema")
}

#[cfg(test)]
mod tests;
