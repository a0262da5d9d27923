//! `manila schema`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use manila::json::Kind;
use manila::{
    Contract, DocumentKind, PayloadSchemaError, RawJson, Schema, UnusableSchema, try_output_schema,
};
use manila_gateway::config;
use manila_pack as pack;

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{Layout, Output};
use crate::refusal::{Refusal, print_note};

/// Print the JSON Schema of a contract, a document, manila.toml or a pack
///
/// Schemas use draft 2020-12; those of TOML files use draft-07, which editors support. They have no
/// external references. --around combines a contract's schema with the schema of your payload, in
/// the dialect of your schema.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Schema to print
    #[arg(value_name = "NAME", value_parser = one_document())]
    document: Document,

    /// Insert the payload schema of FILE into the contract's schema; `-` is stdin
    ///
    /// FILE contains a schema in draft-07, 2019-09 or 2020-12, or a tool of `tools/list`, whose
    /// `outputSchema` is used. The result accepts every failure, and every envelope whose payload
    /// matches your schema. If the contract cannot use your schema, Manila prints the contract's
    /// schema without it, and a note.
    #[arg(long, value_name = "FILE")]
    around: Option<PathBuf>,
}

/// A document that has a schema.
#[derive(Debug, Clone, Copy)]
enum Document {
    Kind(DocumentKind),
    Config,
    Pack,
}

/// Name of the configuration's schema.
const CONFIG: &str = "config";

/// Name of the packs' schema.
const PACK: &str = "pack";

/// Parses the name of a document; a wrong name gets a suggestion.
fn one_document() -> impl TypedValueParser<Value = Document> {
    let kinds = DocumentKind::ALL.map(|it| PossibleValue::new(it.id()).help(it.summary()));
    let config = PossibleValue::new(CONFIG)
        .help("manila.toml; editors find it by the first line `#:schema FILE`");
    let pack = PossibleValue::new(PACK).help("a pack file");
    PossibleValuesParser::new(kinds.into_iter().chain([config, pack])).try_map(|id| {
        match id.as_str() {
            CONFIG => Ok(Document::Config),
            PACK => Ok(Document::Pack),
            id => DocumentKind::from_id(id).map(Document::Kind),
        }
    })
}

/// Far more than the largest schema in use.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    match (&args.around, args.document) {
        (None, Document::Kind(kind)) => out.line(kind.schema().trim_end().as_bytes())?,
        (None, Document::Config) => out.json(config::schema().as_raw(), Layout::Pretty)?,
        (None, Document::Pack) => out.json(pack::schema().as_raw(), Layout::Pretty)?,
        (Some(file), Document::Kind(DocumentKind::Envelope(contract))) => {
            print_bound_schema(contract, file, out)?;
        }
        (Some(_), Document::Kind(kind)) => return Err(not_an_envelope(kind.id()).into()),
        (Some(_), Document::Config) => return Err(not_an_envelope(CONFIG).into()),
        (Some(_), Document::Pack) => return Err(not_an_envelope(PACK).into()),
    }
    Ok(ExitStatus::Success)
}

/// Prints the contract's schema with the payload schema of a file inserted.
fn print_bound_schema(contract: Contract, file: &Path, out: &mut Output) -> anyhow::Result<()> {
    let input = InputArgs::new(Some(file.to_owned()), BYTES_MAX);
    let name = input.name();
    let given = RawJson::parse_payload(input.read()?)
        .map_err(|error| Refusal::new(format!("{name}: {error}"), error.hint()))?;
    let schema = payload_schema(&given, &name)?;
    let bound = try_output_schema(contract, &schema);
    if let Err(unbound) = &bound
        && let Some(hint) = hint(unbound)
    {
        let message = format!("{name}: the schema cannot be used: {unbound}");
        return Err(Refusal::new(message, hint).into());
    }
    Schema::compile(&schema).map_err(|unusable| unusable_schema(&unusable, &name))?;
    match bound {
        Ok(combined) => out.json(combined.as_raw(), Layout::Pretty),
        Err(unbound) => {
            print_note(&format!("{name} is left out: {unbound}"));
            out.line(contract.info().schema.trim_end().as_bytes())
        }
    }
}

/// Returns the given schema, or that of a tool's output.
fn payload_schema(given: &RawJson, name: &str) -> Result<RawJson, Refusal> {
    let is_schema =
        ["$schema", "$ref", "type", "properties"].iter().any(|it| given.get(it).is_some());
    let object = |name: &str| given.get(name).filter(|schema| schema.kind() == Kind::Object);
    if is_schema {
        return Ok(given.clone());
    }
    match (object("inputSchema"), object("outputSchema")) {
        (_, Some(schema)) => Ok(schema),
        (None, None) => Ok(given.clone()),
        (Some(_), None) => Err(Refusal::new(
            format!("{name} is a tool without an `outputSchema`"),
            "pass the schema of its payload; `true` accepts any payload",
        )),
    }
}

/// Returns the hint for a schema that cannot be used, or `None` if only this contract cannot use
/// it.
fn hint(unbound: &PayloadSchemaError) -> Option<&'static str> {
    match unbound {
        PayloadSchemaError::NotASchema(_) => {
            Some("pass one schema, or a tool that has an `outputSchema`")
        }
        PayloadSchemaError::Dialect(_) => {
            Some("rewrite it for https://json-schema.org/draft/2020-12/schema, the current dialect")
        }
        PayloadSchemaError::Reference(_) => {
            Some("move the target to `$defs`, and refer to `#/$defs/NAME`")
        }
        PayloadSchemaError::TextPayload(_) | PayloadSchemaError::TypeUnspecified | _ => None,
    }
}

/// Hint for a schema that cannot be compiled.
pub(crate) const SCHEMA_HINT: &str = "a schema must be valid in its dialect, without external \
                                      references or endless reference cycles";

fn unusable_schema(unusable: &UnusableSchema, name: &str) -> Refusal {
    Refusal::new(format!("{name}: {unusable}"), SCHEMA_HINT)
}

fn not_an_envelope(name: &str) -> Refusal {
    Refusal::new(
        format!("{name} is not an envelope and has no payload"),
        format!("use `--around` with one of: {}", Contract::ALL.map(Contract::id).join(", ")),
    )
}
