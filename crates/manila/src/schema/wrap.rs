//! A tool's own schema at the payload's place of a contract's schema.
//!
//! The advertised `outputSchema` must be true of every answer: the tool's own schema binds the
//! payload only while nothing says otherwise, so each contract states its condition.

use crate::contract::Contract;
use crate::raw_json::{JsonObject, Kind, RawJson};
use crate::schema::relocate::{Edit, Edited, has_own_id};

/// Where a contract binds the tool's own schema: JSON around it, and the pointer to it.
pub(crate) struct Place {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) pointer: &'static str,
}

/// The schema of a contract's envelopes around a payload of schema `own`.
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
    let own = own.filter(|own| own.kind() == Kind::Object);
    let bound = own.and_then(|own| Some((own, contract.place_of(own)?)));
    JsonObject::build(|object| {
        if let Some(dialect) = bound.as_ref().and_then(|(own, _)| own.get("$schema")) {
            object.member("$schema", &dialect);
        }
        for member in bare(contract).members() {
            object.token_member(member.key_token(), &member.value());
        }
        if let Some((own, place)) = bound {
            object.member("allOf", &[moved(own, &place)][..]);
        }
    })
}

/// A contract's own schema without what only people read, and without an id: clients keep the
/// schemas of all tools in one place, where an id may stand once.
fn bare(contract: Contract) -> RawJson {
    let text = contract.info().schema;
    let Ok(schema) = RawJson::parse(text) else {
        return RawJson::literal(r#"{"type":"object"}"#);
    };
    let edit = |_: &RawJson, keyword: &str, _: &RawJson| match keyword {
        "$schema" | "$id" | "title" | "description" => Edit::Drop,
        _ => Edit::Keep,
    };
    let mut out = Vec::with_capacity(text.len());
    Edited { schema: &schema, edit: &edit }.emit_root(&mut out);
    RawJson::written(out)
}

/// The tool's schema in its new place.
fn moved(own: &RawJson, place: &Place) -> RawJson {
    let Place { before, after, pointer } = place;
    let is_resource = has_own_id(own);
    let is_root = |schema: &RawJson| schema.as_bytes().as_ptr() == own.as_bytes().as_ptr();
    let edit = |schema: &RawJson, keyword: &str, value: &RawJson| match keyword {
        // A mark of FastMCP's by which its clients would unwrap our envelope.
        "$schema" | "x-fastmcp-wrap-result" if is_root(schema) => Edit::Drop,
        "$ref" | "$dynamicRef" if !is_resource => match value.as_text() {
            Some(target) if target == "#" => Edit::Replace((*pointer).to_owned()),
            Some(target) if target.starts_with("#/") => {
                let path = target.get(1..).unwrap_or_default();
                Edit::Replace(format!("{pointer}{path}"))
            }
            Some(_) | None => Edit::Keep,
        },
        _ => Edit::Keep,
    };
    let mut out = before.as_bytes().to_vec();
    Edited { schema: own, edit: &edit }.emit_root(&mut out);
    out.extend_from_slice(after.as_bytes());
    RawJson::written(out)
}

#[cfg(test)]
mod tests;
