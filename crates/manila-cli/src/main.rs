//! The command `manila`.
#![allow(clippy::doc_markdown, reason = "the documentation of an argument is its help text")]

use std::process::ExitCode;

use clap::Parser;

mod blocks;
mod cli;
mod clock;
mod command;
mod config;
mod environment;
mod exit_status;
mod input;
mod jsonl;
mod logging;
mod output;
mod parallel;
mod plural;
mod progress;
mod refusal;
mod row;
mod server;

use cli::Cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = manila_gateway::run_if_helper(arguments.iter().cloned()) {
        return code.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return refusal::report_usage(&usage).into(),
    };
    let mut out = output::Output::stdout();
    let result = cli.command.run(&mut out).and_then(|status| out.finish().map(|()| status));
    match result {
        Ok(status) => status.into(),
        Err(error) => {
            logging::report(&error, cli.command.log_format());
            refusal::exit_status(&error).into()
        }
    }
}
