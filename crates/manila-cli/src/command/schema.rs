//! `manila schema`

use manila::Contract;

use crate::command::contracts::one_contract;
use crate::exit_status::ExitStatus;
use crate::output::Output;

/// Print a contract's JSON Schema (draft 2020-12)
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The contract
    #[arg(value_name = "CONTRACT", value_parser = one_contract())]
    contract: Contract,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    out.line(args.contract.info().schema.trim_end().as_bytes())?;
    Ok(ExitStatus::Good)
}
