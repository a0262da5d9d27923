//! `manila sample-server`

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use manila_sample_server::{ENDPOINT, Ending, Eras, Fault, Options};

use crate::exit_status::ExitStatus;
use crate::refusal::Refusal;

/// A small MCP server over standard input and output or HTTP, to try things with
///
/// Its tools succeed, fail in many ways, leak (fake) secrets, answer hugely, return images,
/// report progress, wait, crash, and ask back. `manila tools -- manila sample-server` lists them.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Serve HTTP at this address of this machine; port 0 takes a free one
    ///
    /// The endpoint is told on standard error. SIGTERM and SIGINT end the server.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,

    /// Which MCP it speaks: with a handshake, without one, or both
    #[arg(long, value_name = "ERA", default_value = Eras::Both.name(), value_parser = one_era())]
    era: Eras,

    /// How it misbehaves from the start
    #[arg(long, value_name = "FAULT", value_parser = one_fault())]
    fault: Option<Fault>,

    /// Wait, deaf to polite signals: what the tool `misbehave` starts to be left behind
    #[arg(long, hide = true, conflicts_with_all = ["fault", "http"])]
    linger: bool,
}

fn one_era() -> impl TypedValueParser<Value = Eras> {
    PossibleValuesParser::new(Eras::ALL.iter().map(|eras| eras.name()))
        .try_map(|name| Eras::from_name(&name).ok_or("there is no such era"))
}

fn one_fault() -> impl TypedValueParser<Value = Fault> {
    PossibleValuesParser::new(Fault::ALL.iter().map(|fault| fault.name()))
        .try_map(|name| Fault::from_name(&name).ok_or("there is no such fault"))
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let options = Options { fault: args.fault, eras: args.era };
    let served = if args.linger {
        manila_sample_server::linger().map(|()| 0)
    } else if let Some(address) = args.http {
        serve_http(address, options)?
    } else {
        unbuffered().and_then(|output| {
            let ending = manila_sample_server::serve(io::stdin().lock(), output, options)?;
            Ok(ending.exit_code())
        })
    };
    let code = served.map_err(|error| {
        Refusal::new(format!("the sample server failed: {error}"), "start it again")
    })?;
    Ok(if code == 0 { ExitStatus::Good } else { ExitStatus::Other(code) })
}

/// Whoever is told the address may ask the server to stop, so it listens to that first.
fn serve_http(address: SocketAddr, options: Options) -> anyhow::Result<io::Result<u8>> {
    let asked = manila_sample_server::asked_to_stop()?;
    let ending = manila_sample_server::serve_http(listen(address)?, options, asked);
    Ok(ending.map(Ending::exit_code))
}

/// Listens, and says where; only this machine can reach a server that asks nobody who they are.
fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    if !address.ip().is_loopback() {
        let message = format!("the address must be of this machine only, but is {}", address.ip());
        return Err(Refusal::new(message, "take 127.0.0.1 or [::1]").into());
    }
    let listening = TcpListener::bind(address).and_then(|listener| {
        let address = listener.local_addr()?;
        writeln!(io::stderr(), "manila-sample: listening on http://{address}{ENDPOINT}")?;
        Ok(listener)
    });
    let listener = listening.map_err(|error| {
        let message = format!("{address} cannot be listened on: {error}");
        Refusal::new(message, "take another port, or 0 for a free one")
    })?;
    Ok(listener)
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
