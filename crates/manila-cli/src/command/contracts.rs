//! `manila contracts`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::Contract;
use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::output::Output;

/// List the contracts: what each one is, and when to pick it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    summary: &'static str,
    pick_when: &'static str,
    default: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let rows: Vec<Row> = Contract::ALL.into_iter().map(row).collect();
    if args.json {
        out.line(&serde_json::to_vec_pretty(&rows)?)?;
        return Ok(ExitStatus::Good);
    }
    for row in rows {
        let Row { id, summary, pick_when, default } = row;
        let mark = if default { " (default)" } else { "" };
        let text = format!("{id}{mark}\n  what  {summary}\n  when  {pick_when}\n");
        out.line(text.as_bytes())?;
    }
    out.line(b"Any of them, side by side: manila seal --contract all FILE")?;
    Ok(ExitStatus::Good)
}

fn row(contract: Contract) -> Row {
    let info = contract.info();
    Row {
        id: info.id,
        summary: info.summary,
        pick_when: info.pick_when,
        default: contract == Contract::default(),
    }
}

/// An argument that names a contract; a wrong one is told with a suggestion.
pub(crate) fn one_contract() -> impl TypedValueParser<Value = Contract> {
    PossibleValuesParser::new(Contract::ALL.map(Contract::id)).try_map(|id| Contract::from_id(&id))
}

/// Which contracts an answer is wanted in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Chosen {
    One(Contract),
    All,
}

/// An argument that names one contract, or all of them.
pub(crate) fn one_or_all() -> impl TypedValueParser<Value = Chosen> {
    let ids = Contract::ALL.map(Contract::id).into_iter().chain(["all"]);
    PossibleValuesParser::new(ids).try_map(|id| match id.as_str() {
        "all" => Ok(Chosen::All),
        id => Contract::from_id(id).map(Chosen::One),
    })
}
