//! A tool's own schema at the payload's place of a contract's schema.
//!
//! The advertised `outputSchema` must be true of every answer: the tool's own schema binds the
//! payload only while nothing says otherwise, so each contract states its condition.

use super::describes_envelope;
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::schema::dialect::Dialect;
use crate::schema::fragment::is_pointer;
use crate::schema::relocate::{Edit, Edited};
use crate::schema::targets;
use crate::schema::{PayloadType, Unbound};
use crate::subject::Contract;

/// Where a contract binds the tool's own schema: JSON around it, and the pointer to it.
pub(crate) struct Place {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) pointer: &'static str,
}

/// The schema of a contract's envelopes around a payload of schema `own`, or without it where
/// it cannot bind.
///
/// Its root has `type: object`, as every MCP client wants it, and it accepts failures too.
/// References of `own` move with it; its dialect (`$schema`) is the whole's.
///
/// ```
/// use manila::{Contract, RawJson, output_schema};
///
/// let own = RawJson::parse(r##"{"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}},
///     "$defs": {"n": {"type": "integer"}}}"##)?;
/// let whole = output_schema(Contract::ResponseV2, Some(&own)).to_string();
/// assert!(whole.contains(r##""$ref":"#/allOf/0/then/properties/data/$defs/n""##));
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn output_schema(contract: Contract, own: Option<&RawJson>) -> JsonObject {
    let around = own.and_then(|own| schema_around(contract, own).ok());
    around.unwrap_or_else(|| {
        JsonObject::build(|object| {
            for member in bare(contract).members() {
                object.token_member(member.key_token(), &member.value());
            }
        })
    })
}

/// As [`output_schema`], but says why where the schema of the payload cannot bind.
///
/// ```
/// use manila::{Contract, RawJson, Unbound, schema_around};
///
/// let own = RawJson::parse(r#"{"type": "object"}"#)?;
/// assert!(schema_around(Contract::ResponseV2, &own).is_ok());
/// let unbound = schema_around(Contract::MachineReadableV1, &own).unwrap_err();
/// assert_eq!(unbound, Unbound::NoPlace(Contract::MachineReadableV1));
/// # Ok::<(), manila::ReadError>(())
/// ```
pub fn schema_around(contract: Contract, own: &RawJson) -> Result<JsonObject, Unbound> {
    if !matches!(own.kind(), Kind::Object | Kind::Bool) {
        return Err(Unbound::NoSchema(own.kind().name()));
    }
    if describes_envelope(own) {
        return Err(Unbound::Envelope);
    }
    let dialect = Dialect::of(own)?;
    if !dialect.has_own_id(own) {
        targets::check(own, dialect)?;
    }
    let place = (contract.row().place_of)(PayloadType::of(own, dialect))?;
    Ok(JsonObject::build(|object| {
        if let Some(dialect) = own.get("$schema") {
            object.member("$schema", &dialect);
        }
        for member in bare(contract).members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("allOf", &[moved(own, dialect, &place)][..]);
    }))
}

/// A contract's own schema without what only people read, and without an id: clients keep the
/// schemas of all tools in one place, where an id may stand once. A `format` is only a remark in
/// our dialect, but a rule in others.
fn bare(contract: Contract) -> RawJson {
    let text = contract.info().schema;
    let Ok(schema) = RawJson::parse(text) else {
        return RawJson::literal(r#"{"type":"object"}"#);
    };
    let edit = |_: &RawJson, keyword: &str, _: &RawJson| match keyword {
        "$schema" | "$id" | "title" | "description" | "format" => Edit::Drop,
        _ => Edit::Keep,
    };
    let mut out = Vec::with_capacity(text.len());
    Edited { schema: &schema, dialect: Dialect::Draft202012, edit: &edit }.emit_root(&mut out);
    RawJson::written(out)
}

/// The tool's schema in its new place.
fn moved(own: &RawJson, dialect: Dialect, place: &Place) -> RawJson {
    let Place { before, after, pointer } = place;
    let is_resource = dialect.has_own_id(own);
    let is_root = |schema: &RawJson| schema.as_bytes().as_ptr() == own.as_bytes().as_ptr();
    let edit = |schema: &RawJson, keyword: &str, value: &RawJson| match keyword {
        // A mark of FastMCP's by which its clients would unwrap our envelope.
        "$schema" | "x-fastmcp-wrap-result" if is_root(schema) => Edit::Drop,
        // There it means nothing, but not every client knows that.
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
    match own.kind() {
        Kind::Object => Edited { schema: own, dialect, edit: &edit }.emit_root(&mut out),
        Kind::Array | Kind::String | Kind::Number | Kind::Bool | Kind::Null => own.emit(&mut out),
    }
    out.extend_from_slice(after.as_bytes());
    RawJson::written(out)
}

#[cfg(test)]
mod tests;
