//! The arguments, and the help that teaches them.

use std::fmt::Write;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};
use manila::Contract;

use crate::command::{
    call, check, completions, contracts, convert, doctor, errors, explain, import, log, pack,
    redact, run, sample_server, schema, seal, serve, tools, wrap,
};
use crate::exit_status::ExitStatus;
use crate::narrator::LogFormat;
use crate::output::Output;

/// One envelope for every MCP tool.
///
/// Tools answer in every shape there is: text, JSON of their own, stack traces, exit codes.
/// Manila puts what was seen of a tool call into one envelope, in the contract that the
/// caller picks. A contract has one shape for every tool, and one catalogue names every way
/// in which a call can fail. The tool's own payload keeps its order, numbers and escapes.
#[derive(Parser)]
#[command(name = "manila", version, styles = STYLES, max_term_width = 100)]
#[command(arg_required_else_help = true)]
#[command(after_help = contracts_in_short(), after_long_help = contracts_at_length())]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Serve(serve::Args),
    Wrap(wrap::Args),
    Call(call::Args),
    Tools(tools::Args),
    Run(run::Args),
    Pack(pack::Args),
    Import(import::Args),
    SampleServer(sample_server::Args),
    Seal(seal::Args),
    Check(check::Args),
    Convert(convert::Args),
    Redact(redact::Args),
    Log(log::Args),
    Contracts(contracts::Args),
    Errors(errors::Args),
    Explain(explain::Args),
    Schema(schema::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
}

impl Command {
    /// How everything is written that this command tells.
    pub(crate) fn log_format(&self) -> LogFormat {
        if let Command::Serve(serve::Args { log, .. }) | Command::Wrap(wrap::Args { log, .. }) =
            self
        {
            log.format
        } else {
            LogFormat::Text
        }
    }

    pub(crate) fn run(&self, out: &mut Output) -> anyhow::Result<ExitStatus> {
        match self {
            Command::Serve(args) => serve::run(args, out),
            Command::Wrap(args) => wrap::run(args),
            Command::Call(args) => call::run(args, out),
            Command::Tools(args) => tools::run(args, out),
            Command::Run(args) => run::run(args, out),
            Command::Pack(args) => pack::run(args, out),
            Command::Import(args) => import::run(args, out),
            Command::SampleServer(args) => sample_server::run(args),
            Command::Seal(args) => seal::run(args, out),
            Command::Check(args) => check::run(args, out),
            Command::Convert(args) => convert::run(args, out),
            Command::Redact(args) => redact::run(args, out),
            Command::Log(args) => log::run(args, out),
            Command::Contracts(args) => contracts::run(args, out),
            Command::Errors(args) => errors::run(args, out),
            Command::Explain(args) => explain::run(args, out),
            Command::Schema(args) => schema::run(args, out),
            Command::Doctor(args) => doctor::run(args, out),
            Command::Completions(args) => completions::run(args, out),
        }
    }
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

fn contracts_in_short() -> String {
    let mut text = String::from("Contracts:\n");
    for contract in Contract::ALL {
        let (id, when) = (contract.id(), contract.info().pick_when);
        let _ = writeln!(text, "  {id}\n      pick it when {when}");
    }
    text + "\nTry: manila tools -- manila sample-server"
}

fn contracts_at_length() -> String {
    let mut text = String::from("The contracts:\n");
    for contract in Contract::ALL {
        let info = contract.info();
        let (id, summary, when) = (info.id, info.summary, info.pick_when);
        let _ = writeln!(text, "  {id}\n      {summary}.\n      Pick it when {when}.");
    }
    text + "\n\
        Exit status: 0 it was done, 1 it was done in part (see each command), 2 it could not be\n\
        done, and a hint says what to try.\n\
        Data goes to standard output, everything else to standard error.\n\n\
        Try:\n  \
        manila tools -- manila sample-server\n  \
        manila call echo --arg message=hello -- manila sample-server\n  \
        echo '{\"observed\": {\"said\": \"hello\"}}' | manila seal --contract all -\n  \
        manila call image -- manila sample-server | manila check\n  \
        manila explain RATE_LIMITED\n  \
        manila contracts"
}
