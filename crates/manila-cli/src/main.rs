//! The command `manila`.
#![allow(clippy::doc_markdown, reason = "the documentation of an argument is its help text")]

use std::process::ExitCode;

use clap::Parser;

mod blocks;
mod by_line;
mod cli;
mod clock;
mod command;
mod config;
mod environment;
mod exit_status;
mod input;
mod narrator;
mod output;
mod parallel;
mod progress;
mod refusal;
mod row;
mod server;
mod words;

use cli::Cli;
use exit_status::ExitStatus;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = manila_gateway::dispatch(arguments.iter().cloned()) {
        return code.into();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return refusal::report_usage(&usage).into(),
    };
    let mut out = output::Output::stdout();
    let done = cli.command.run(&mut out).and_then(|status| out.finish().map(|()| status));
    match done {
        Ok(status) => status.into(),
        Err(error) => {
            narrator::report(&error, cli.command.log_format());
            ExitStatus::CouldNot.into()
        }
    }
}
