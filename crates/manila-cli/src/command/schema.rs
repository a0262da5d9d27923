//! `manila schema`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use manila::json::Kind;
use manila::{Contract, RawJson, Schema, Subject, Unbound, UnusableSchema, schema_around};
use manila_gateway::config;
use manila_pack as pack;

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{Layout, Output};
use crate::refusal::{Refusal, note};

/// Print the JSON Schema of a contract, of another document, of manila.toml, or of a pack
///
/// It is in draft 2020-12 (those of TOML files in draft-07, which editors know) and refers to
/// nothing outside. With --around, it is that of a contract's envelopes with a payload of your own
/// schema, in that schema's dialect.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Whose schema
    #[arg(value_name = "NAME", value_parser = one_document())]
    document: Document,

    /// Put the schema of a payload into that of a contract; `-` reads standard input
    ///
    /// FILE has a schema in draft-07, 2019-09 or 2020-12, or a tool as `tools/list` gives it, of
    /// which the `outputSchema` is meant. What comes out accepts every envelope with a payload
    /// of that schema, and every failure. Where a contract says whether a payload was changed, it
    /// accepts no other payload, unless warnings stand beside it; where it does not, the schema is
    /// one of two alternatives. A schema that the contract has no place for, or cannot place
    /// because it does not say whether the payload is an object, is left out, and a note says so.
    #[arg(long, value_name = "FILE")]
    around: Option<PathBuf>,
}

/// What has a schema.
#[derive(Debug, Clone, Copy)]
enum Document {
    Subject(Subject),
    Config,
    Pack,
}

/// The name of the configuration.
const CONFIG: &str = "config";

/// The name of a pack.
const PACK: &str = "pack";

/// An argument that names a document; a wrong one is told with a suggestion.
fn one_document() -> impl TypedValueParser<Value = Document> {
    let subjects = Subject::ALL.map(|it| PossibleValue::new(it.id()).help(it.summary()));
    let config = PossibleValue::new(CONFIG)
        .help("manila.toml, so that an editor knows its keys: `#:schema FILE` as its first line");
    let pack = PossibleValue::new(PACK).help("a pack, so that an editor knows its keys");
    PossibleValuesParser::new(subjects.into_iter().chain([config, pack])).try_map(|id| {
        match id.as_str() {
            CONFIG => Ok(Document::Config),
            PACK => Ok(Document::Pack),
            id => Subject::from_id(id).map(Document::Subject),
        }
    })
}

/// Far more than the largest schema that is used.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    match (&args.around, args.document) {
        (None, Document::Subject(subject)) => out.line(subject.schema().trim_end().as_bytes())?,
        (None, Document::Config) => out.json(config::schema().as_raw(), Layout::Pretty)?,
        (None, Document::Pack) => out.json(pack::schema().as_raw(), Layout::Pretty)?,
        (Some(file), Document::Subject(Subject::Envelope(contract))) => {
            around(contract, file, out)?;
        }
        (Some(_), Document::Subject(subject)) => return Err(no_envelope(subject.id()).into()),
        (Some(_), Document::Config) => return Err(no_envelope(CONFIG).into()),
        (Some(_), Document::Pack) => return Err(no_envelope(PACK).into()),
    }
    Ok(ExitStatus::Good)
}

fn around(contract: Contract, file: &Path, out: &mut Output) -> anyhow::Result<()> {
    let input = InputArgs::new(Some(file.to_owned()), BYTES_MAX);
    let name = input.name();
    let given = RawJson::parse_payload(input.read()?)
        .map_err(|error| Refusal::new(format!("{name}: {error}"), error.hint()))?;
    let own = payload_schema(&given, &name)?;
    let bound = schema_around(contract, &own);
    if let Err(unbound) = &bound
        && let Some(hint) = hint(unbound)
    {
        let message = format!("{name}: the schema cannot be used: {unbound}");
        return Err(Refusal::new(message, hint).into());
    }
    Schema::compile(&own).map_err(|unusable| unfit(&unusable, &name))?;
    match bound {
        Ok(whole) => out.json(whole.as_raw(), Layout::Pretty),
        Err(unbound) => {
            note(&format!("{name} is left out: {unbound}"));
            out.line(contract.info().schema.trim_end().as_bytes())
        }
    }
}

/// The schema that was given, or that of a tool's output.
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
            "give the schema of its payload; any payload at all has the schema `true`",
        )),
    }
}

/// The next step where a schema cannot be used; none where only the contract cannot use it.
fn hint(unbound: &Unbound) -> Option<&'static str> {
    match unbound {
        Unbound::NoSchema(_) => Some("give one schema, or a tool that has an `outputSchema`"),
        Unbound::Dialect(_) => {
            Some("rewrite it for https://json-schema.org/draft/2020-12/schema, the current dialect")
        }
        Unbound::Reference(_) => {
            Some("move what it refers to below `$defs`, and refer to `#/$defs/NAME`")
        }
        Unbound::NoPlace(_) | Unbound::TypeUnsaid | _ => None,
    }
}

/// The next step where a schema cannot be compiled.
pub(crate) const SCHEMA_HINT: &str = "a schema must be valid in its dialect and refer to nothing \
                                      outside, and its references must come to an end";

fn unfit(unusable: &UnusableSchema, name: &str) -> Refusal {
    Refusal::new(format!("{name}: {unusable}"), SCHEMA_HINT)
}

fn no_envelope(name: &str) -> Refusal {
    Refusal::new(
        format!("{name} is no envelope, so no payload stands in it"),
        format!("`--around` takes one of: {}", Contract::ALL.map(Contract::id).join(", ")),
    )
}
