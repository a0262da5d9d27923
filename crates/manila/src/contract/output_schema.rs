//! Output schemas: the schema of a contract with a tool's own schema for the payload.
//!
//! Every response must conform to the advertised `outputSchema`. The tool's own schema therefore
//! applies only under a condition, which each contract defines.

use std::sync::LazyLock;

use super::describes_envelope;
use crate::document_kind::Contract;
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::schema::dialect::Dialect;
use crate::schema::fragment::is_pointer;
use crate::schema::relocate::{Edit, EditedSchema};
use crate::schema::targets;
use crate::schema::{PayloadSchemaError, PayloadType};

/// The place of the tool's schema in a contract's schema: JSON around it, and the pointer to it.
pub(crate) struct Place {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) pointer: &'static str,
}

/// Returns the schema of a contract's envelopes, with `tool_schema` for the payload unless it
/// cannot be used.
///
/// The root has `type: object`, as every MCP client requires, and accepts failures too. References
/// in `tool_schema` are adjusted to their new place. Its dialect (`$schema`) applies to the whole
/// schema.
///
/// ```
/// use manila::{Contract, RawJson, output_schema};
///
/// let tool_schema = RawJson::parse(
///     r##"{"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
///     "$defs": {"n": {"type": "integer"}}}"##,
/// )?;
/// let schema = output_schema(Contract::ResponseV2, Some(&tool_schema)).to_string();
/// assert!(schema.contains(r##""$ref":"#/allOf/0/then/properties/data/$defs/n""##));
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn output_schema(contract: Contract, tool_schema: Option<&RawJson>) -> JsonObject {
    let combined =
        tool_schema.and_then(|tool_schema| try_output_schema(contract, tool_schema).ok());
    combined.unwrap_or_else(|| JsonObject::new(bare_schema(contract)).unwrap_or_default())
}

/// Like [`output_schema`], but fails if the tool's schema cannot be used for the payload.
///
/// ```
/// use manila::{Contract, RawJson, PayloadSchemaError, try_output_schema};
///
/// let tool_schema = RawJson::parse(r#"{"type": "object"}"#)?;
/// assert!(try_output_schema(Contract::ResponseV2, &tool_schema).is_ok());
/// let error = try_output_schema(Contract::MachineReadableV1, &tool_schema).unwrap_err();
/// assert_eq!(error, PayloadSchemaError::TextPayload(Contract::MachineReadableV1));
/// # Ok::<(), manila::ReadError>(())
/// ```
pub fn try_output_schema(
    contract: Contract,
    tool_schema: &RawJson,
) -> Result<JsonObject, PayloadSchemaError> {
    if !matches!(tool_schema.kind(), Kind::Object | Kind::Bool) {
        return Err(PayloadSchemaError::NotASchema(tool_schema.kind().name()));
    }
    if describes_envelope(tool_schema) {
        return Err(PayloadSchemaError::Envelope);
    }
    let dialect = Dialect::of(tool_schema)?;
    if !dialect.has_own_id(tool_schema) {
        targets::check(tool_schema, dialect)?;
    }
    let place = (contract.spec().payload_schema_place)(PayloadType::of(tool_schema, dialect))?;
    Ok(JsonObject::build(|object| {
        if let Some(dialect) = tool_schema.get("$schema") {
            object.member("$schema", &dialect);
        }
        for member in bare_schema(contract).members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("allOf", &[relocate_schema(tool_schema, dialect, &place)][..]);
    }))
}

/// Returns a contract's schema without `$schema`, ids, titles, descriptions and formats. It is
/// written once and shared, because every tool of a list has it.
///
/// Clients may store the schemas of all tools together, where an id must be unique. `format` is an
/// annotation in the dialect of our schemas, but a rule in others.
fn bare_schema(contract: Contract) -> RawJson {
    static SCHEMAS: LazyLock<Vec<(Contract, RawJson)>> = LazyLock::new(|| {
        Contract::ALL.into_iter().map(|contract| (contract, write_bare_schema(contract))).collect()
    });
    let known = SCHEMAS.iter().find(|(of, _)| *of == contract);
    known.map_or_else(|| write_bare_schema(contract), |(_, schema)| schema.clone())
}

fn write_bare_schema(contract: Contract) -> RawJson {
    let text = contract.info().schema;
    let Ok(schema) = RawJson::parse(text) else {
        return RawJson::literal(r#"{"type":"object"}"#);
    };
    let edit = |_: &RawJson, keyword: &str, _: &RawJson| match keyword {
        "$schema" | "$id" | "title" | "description" | "format" => Edit::Drop,
        _ => Edit::Keep,
    };
    let mut out = Vec::with_capacity(text.len());
    EditedSchema { schema: &schema, dialect: Dialect::Draft202012, edit: &edit }
        .emit_root(&mut out);
    RawJson::from_compact(out)
}

/// Returns the tool's schema with references adjusted to its new place.
fn relocate_schema(tool_schema: &RawJson, dialect: Dialect, place: &Place) -> RawJson {
    let Place { before, after, pointer } = place;
    let is_resource = dialect.has_own_id(tool_schema);
    let is_root = |schema: &RawJson| schema.as_bytes().as_ptr() == tool_schema.as_bytes().as_ptr();
    let edit = |schema: &RawJson, keyword: &str, value: &RawJson| match keyword {
        // FastMCP's clients would unwrap our envelope because of this keyword.
        "$schema" | "x-fastmcp-wrap-result" if is_root(schema) => Edit::Drop,
        // The id has no effect there, but not every client knows that.
        "$id" if dialect.is_lone_reference(schema) => Edit::Drop,
        "$ref" | "$dynamicRef" if !is_resource => {
            let target = value.as_text().unwrap_or_default();
            match target.strip_prefix('#').filter(|fragment| is_pointer(fragment)) {
                Some(path) => Edit::Replace(format!("{pointer}{path}")),
                None => Edit::Keep,
            }
        }
        _ => Edit::Keep,
    };
    let mut out = before.as_bytes().to_vec();
    match tool_schema.kind() {
        Kind::Object => {
            EditedSchema { schema: tool_schema, dialect, edit: &edit }.emit_root(&mut out);
        }
        Kind::Array | Kind::String | Kind::Number | Kind::Bool | Kind::Null => {
            tool_schema.emit(&mut out);
        }
    }
    out.extend_from_slice(after.as_bytes());
    RawJson::from_compact(out)
}

#[cfg(test)]
mod tests;
