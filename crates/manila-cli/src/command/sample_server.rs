//! `manila sample-server`

use std::io;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila_gateway::sample_server::{self, Fault};

use crate::exit_status::ExitStatus;
use crate::refusal::Refusal;

/// A small MCP server over standard input and output, to try things with
///
/// Its tools succeed, fail in many ways, leak (fake) secrets, answer hugely, return images,
/// report progress, wait, crash, and ask back. `manila tools -- manila sample-server` lists them.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// How it misbehaves from the start
    #[arg(long, value_name = "FAULT", value_parser = one_fault())]
    fault: Option<Fault>,

    /// Wait, deaf to polite signals: what the tool `misbehave` starts to be left behind
    #[arg(long, hide = true, conflicts_with = "fault")]
    linger: bool,
}

fn one_fault() -> impl TypedValueParser<Value = Fault> {
    PossibleValuesParser::new(Fault::ALL.iter().map(|fault| fault.name()))
        .try_map(|name| Fault::from_name(&name).ok_or("there is no such fault"))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let served = if args.linger {
        sample_server::linger().map(|()| 0)
    } else {
        unbuffered().and_then(|output| {
            let ending = sample_server::serve(io::stdin().lock(), output, args.fault)?;
            Ok(ending.exit_code())
        })
    };
    let code = served.map_err(|error| {
        Refusal::new(format!("the sample server failed: {error}"), "start it again")
    })?;
    Ok(if code == 0 { ExitStatus::Good } else { ExitStatus::Other(code) })
}

/// Standard output with one write for each answer.
fn unbuffered() -> io::Result<std::fs::File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
    }
}
