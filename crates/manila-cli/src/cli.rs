//! The command line: arguments and help.

use std::fmt::Write;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};
use manila::Contract;

use crate::command::{
    call, check, completions, contracts, convert, doctor, errors, explain, import, log, pack,
    redact, run, sample_server, schema, seal, serve, tools, wrap,
};
use crate::exit_status::ExitStatus;
use crate::logging::LogFormat;
use crate::output::Output;

/// One envelope for every MCP tool
///
/// Tools return plain text, ad-hoc JSON, stack traces and exit codes. Manila turns every result
/// into one envelope, in the contract that the caller picks: one shape for every tool, and one
/// catalogue of failure codes. The tool's payload keeps its key order, number spelling and escapes.
#[derive(Parser)]
#[command(name = "manila", version, styles = STYLES, max_term_width = 100)]
#[command(arg_required_else_help = true)]
#[command(after_help = contracts_summary(), after_long_help = contracts_help())]
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
    /// Returns the command's log format; only commands that serve have an option for it.
    pub(crate) fn log_format(&self) -> LogFormat {
        if let Command::Serve(serve::Args { log, .. }) | Command::Wrap(wrap::Args { log, .. }) =
            self
        {
            log.format
        } else {
            LogFormat::Text
        }
    }

    /// Runs the command.
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

/// Lists the contracts for `-h`.
fn contracts_summary() -> String {
    let mut text = String::from("Contracts:\n");
    for contract in Contract::ALL {
        let (id, mark) = (contract.id(), default_mark(contract));
        let when = contract.info().pick_when;
        let _ = writeln!(text, "  {id}{mark}\n      pick it when {when}");
    }
    text + "\nTry: manila tools -- manila sample-server"
}

/// Returns the mark after the id of the default contract.
fn default_mark(contract: Contract) -> &'static str {
    if contract == Contract::default() { " (default)" } else { "" }
}

/// Describes contracts, exit status and examples for `--help`.
fn contracts_help() -> String {
    let mut text = String::from("The contracts:\n");
    for contract in Contract::ALL {
        let (info, mark) = (contract.info(), default_mark(contract));
        let (id, summary, when) = (info.id, info.summary, info.pick_when);
        let _ = writeln!(text, "  {id}{mark}\n      {summary}.\n      Pick it when {when}.");
    }
    text + "\n\
        Exit status: 0 success; 1 the check or the tool failed (see each command); 2 Manila could\n\
        not run the command; the hint names the next step.\n\
        Data goes to stdout, everything else to stderr.\n\n\
        Try:\n  \
        manila tools -- manila sample-server\n  \
        manila call echo --arg message=hello -- manila sample-server\n  \
        echo '{\"observed\": {\"said\": \"hello\"}}' | manila seal --contract all -\n  \
        manila call image -- manila sample-server | manila check\n  \
        manila explain RATE_LIMITED\n  \
        manila contracts"
}
