//! `manila sample-server`

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use manila_sample_server::{ENDPOINT, Ending, Eras, Fault, Options};

use crate::exit_status::ExitStatus;
use crate::refusal::Refusal;

/// Run a small MCP server for experiments, over stdio or HTTP
///
/// Its tools succeed, fail in many ways, leak fake secrets, return huge results and images, report
/// progress, wait, crash, and send requests to the client. `manila tools -- manila sample-server`
/// lists them.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Listen for HTTP on this local address; port 0 picks a free port
    ///
    /// The server prints its endpoint to stderr. SIGTERM and SIGINT stop it.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,

    /// MCP era: legacy (with a handshake), modern (without), or both
    #[arg(long, value_name = "ERA", default_value = Eras::Both.name(), value_parser = one_era())]
    era: Eras,

    /// Fault to simulate
    #[arg(long, value_name = "FAULT", value_parser = one_fault())]
    fault: Option<Fault>,

    /// Ignore SIGTERM and wait; the tool `misbehave` starts this as an orphan
    #[arg(long, hide = true, conflicts_with_all = ["fault", "http"])]
    linger: bool,
}

fn one_era() -> impl TypedValueParser<Value = Eras> {
    PossibleValuesParser::new(Eras::ALL.iter().map(|eras| eras.name()))
        .try_map(|name| Eras::from_name(&name).ok_or("unknown era"))
}

fn one_fault() -> impl TypedValueParser<Value = Fault> {
    let faults = Fault::ALL.iter().copied();
    PossibleValuesParser::new(
        faults.map(|fault| PossibleValue::new(fault.name()).help(describe_fault(fault))),
    )
    .try_map(|name| Fault::from_name(&name).ok_or("unknown fault"))
}

fn describe_fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Exit => "Write two lines to stderr and exit with code 3",
        Fault::Silent => "Read all messages and never respond",
        Fault::Noise => "Write lines that are not messages, then serve as usual",
        Fault::Stubborn => "Keep running for ten minutes after the end of the input",
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let options = Options { fault: args.fault, eras: args.era };
    let served = if args.linger {
        manila_sample_server::linger().map(|()| 0)
    } else if let Some(address) = args.http {
        serve_http(address, options)?
    } else {
        unbuffered_stdout().and_then(|output| {
            let ending = manila_sample_server::serve(io::stdin().lock(), output, options)?;
            Ok(ending.exit_code())
        })
    };
    let code = served.map_err(|error| {
        Refusal::new(format!("the sample server failed: {error}"), "restart it")
    })?;
    Ok(if code == 0 { ExitStatus::Success } else { ExitStatus::Other(code) })
}

/// Serves HTTP. Signal handlers are installed before the address is printed, because a client that
/// knows the address may stop the server.
fn serve_http(address: SocketAddr, options: Options) -> anyhow::Result<io::Result<u8>> {
    let stopped = manila_sample_server::listen_for_stop()?;
    let ending = manila_sample_server::serve_http(listen(address)?, options, stopped);
    Ok(ending.map(Ending::exit_code))
}

/// Listens and prints the address. The server has no authentication, so only local addresses are
/// allowed.
fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    if !address.ip().is_loopback() {
        let message = format!("refusing to listen on {address}: not a loopback address");
        return Err(Refusal::new(message, "use 127.0.0.1 or [::1]").into());
    }
    let listening = TcpListener::bind(address).and_then(|listener| {
        let address = listener.local_addr()?;
        writeln!(io::stderr(), "manila-sample: listening on http://{address}{ENDPOINT}")?;
        Ok(listener)
    });
    let listener = listening.map_err(|error| {
        let message = format!("cannot listen on {address}: {error}");
        Refusal::new(message, "choose another port, or 0 for a free one")
    })?;
    Ok(listener)
}

/// Returns stdout without buffering, so that each response is one write.
fn unbuffered_stdout() -> io::Result<std::fs::File> {
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
