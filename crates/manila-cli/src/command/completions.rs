//! `manila completions`

use clap::CommandFactory;

use crate::cli::Cli;
use crate::exit_status::ExitStatus;
use crate::output::Output;

/// Print a shell completion script
///
/// For bash: manila completions bash > ~/.local/share/bash-completion/completions/manila
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shell to generate the script for
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "manila", &mut script);
    out.line(script.trim_ascii_end())?;
    Ok(ExitStatus::Success)
}
