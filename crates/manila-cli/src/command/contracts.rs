//! `manila contracts`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila::Contract;
use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::output::Output;

/// List the contracts and when to use each one
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A contract as JSON.
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
        return Ok(ExitStatus::Success);
    }
    for row in rows {
        let Row { id, summary, pick_when, default } = row;
        let mark = if default { " (default)" } else { "" };
        let text = format!("{id}{mark}\n  what  {summary}\n  when  {pick_when}\n");
        out.line(text.as_bytes())?;
    }
    out.line(b"All contracts side by side: manila seal --contract all FILE")?;
    Ok(ExitStatus::Success)
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

/// Parses the name of a contract; a wrong name gets a suggestion.
pub(crate) fn one_contract() -> impl TypedValueParser<Value = Contract> {
    PossibleValuesParser::new(Contract::ALL.map(Contract::id)).try_map(|id| Contract::from_id(&id))
}

/// One contract, or all of them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ContractChoice {
    One(Contract),
    All,
}

/// Parses the name of a contract, or `all`.
pub(crate) fn one_or_all() -> impl TypedValueParser<Value = ContractChoice> {
    let ids = Contract::ALL.map(Contract::id).into_iter().chain(["all"]);
    PossibleValuesParser::new(ids).try_map(|id| match id.as_str() {
        "all" => Ok(ContractChoice::All),
        id => Contract::from_id(id).map(ContractChoice::One),
    })
}
