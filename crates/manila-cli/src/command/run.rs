//! `manila run`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use manila::pipeline::{self, Redaction, Settings};
use manila::{Code, Context, Contract, Failed, Observation, Observed};
use manila_files::values::{bytes, duration};
use manila_gateway::Shape;
use manila_pack::{BUILT_IN, Pack};
use manila_process::os::stop::asked as asked_to_stop;
use manila_process::run::{End, Input, Missing, Program, Ran, Stream, run as run_program};
use manila_process::{Command, Environment};
use manila_redact::Redactor;

mod shown;

use shown::Shown;

use super::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{LayoutArgs, Output};
use crate::refusal::Refusal;
use crate::server;

/// Run one program, and print what became of it as an envelope
///
/// The program is run as it stands, without a shell; nothing that it starts outlives it. Its output
/// is captured, secrets are hidden, colours are taken out, and the errors of compilers are listed
/// one by one.
///
///   manila run -- git status --short
///   manila run --contract machine-readable-v1 --timeout 5m -- cargo build
///
/// Exit status 0: it ended with 0; 1: it failed, was stopped or is missing, and the envelope says
/// so; 2: it could not be tried. Ctrl-C stops the program and everything that it started.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The contract of the envelope
    #[arg(long, short, value_name = "CONTRACT", value_parser = one_contract())]
    contract: Option<Contract>,

    /// How long it may take, e.g. 500ms, 30s, 5m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,

    /// The folder in which it runs
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,

    /// A variable for its environment, beside those that are there. Repeatable
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(OsString, OsString)>,

    /// What it reads as its standard input; without it, that is empty. `-` hands ours on, as it
    /// comes
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,

    /// How many characters are kept of each of its streams
    #[arg(long, value_name = "SIZE", default_value = "1000000", value_parser = bytes)]
    max_output: usize,

    /// End with the exit code of the program
    #[arg(long)]
    keep_exit: bool,

    /// Show what it prints on standard error, while it runs
    #[arg(long)]
    tee: bool,

    /// Read its errors by the rules of this pack, built-in or a file; without it, by those of the
    /// pack whose program it is, if there is one
    #[arg(long, value_name = "PACK")]
    pack: Option<String>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    /// The program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// `NAME=VALUE`.
fn variable(text: &str) -> Result<(OsString, OsString), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value.into())),
        Some(_) | None => Err("must be NAME=VALUE".to_owned()),
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let config = args.config.read()?;
    let program = program(args)?;
    let pack = pack_for(args)?;
    let (observation, code) = if let Some(failed) = not_a_folder(args) {
        (Observation::new(Observed::Failed(Box::new(failed))), None)
    } else {
        let ran = ran(&program, args.tee.then_some(&*config.hiding.redactor))?;
        let code = kept(&ran.end);
        (seen(ran, &program, pack.as_ref()), code)
    };
    let mut settings = Settings::default();
    settings.redaction = Redaction::By(&config.hiding.redactor);
    let context = Context::new(uuid::Uuid::new_v4().into_bytes());
    let usual = match config.contract {
        Some(Shape::Contract(contract)) => contract,
        // A program's output has no shape of its own that could be passed on.
        Some(Shape::AsItCame) | None => Contract::default(),
    };
    let contract = args.contract.unwrap_or(usual);
    let reply = pipeline::seal(observation, contract, &settings, &context);
    out.json(&reply.envelope, args.layout.layout(out))?;
    Ok(match code {
        Some(code) if args.keep_exit => ExitStatus::Other(code),
        Some(_) | None if reply.is_error => ExitStatus::BadNews,
        Some(_) | None => ExitStatus::Good,
    })
}

/// The pack whose rules read the program's errors.
fn pack_for(args: &Args) -> anyhow::Result<Option<Pack>> {
    if let Some(name) = &args.pack {
        return Ok(Some(server::pack(name)?.pack));
    }
    let program = args.command.first().and_then(|it| Path::new(it).file_stem()?.to_str());
    let known = program.filter(|program| BUILT_IN.iter().any(|(name, _)| name == program));
    Ok(known.map(server::pack).transpose()?.map(|source| source.pack))
}

/// What was seen of the program, and what its output tells.
fn seen(ran: Ran, program: &Program, pack: Option<&Pack>) -> Observation {
    let mut observation = ran.observation(missing(program));
    if let Some(pack) = pack {
        pack.diagnose(&mut observation);
    }
    observation
}

fn program(args: &Args) -> anyhow::Result<Program> {
    let (program, arguments) = args.command.split_first().context("no COMMAND is given")?;
    if program.is_empty() {
        let hint = "name a program, e.g. manila run -- git status";
        return Err(Refusal::new("the COMMAND is empty", hint).into());
    }
    let mut command = Command::new(program.clone(), arguments.to_vec());
    command.environment = Environment::OursAnd(args.env.clone());
    command.folder.clone_from(&args.cwd);
    let mut program = Program::new(command);
    if let Some(path) = &args.stdin {
        program.input = input(path)?;
    }
    program.timeout = args.timeout;
    program.stream_chars_max = args.max_output;
    Ok(program)
}

/// What it reads. What can be told about a file is told before anything runs.
fn input(path: &Path) -> anyhow::Result<Input> {
    if path == Path::new("-") {
        return Ok(Input::Ours);
    }
    // To open a pipe is to wait for whoever writes.
    if !path.exists() || path.is_file() || path.is_dir() {
        InputArgs::new(Some(path.to_path_buf()), u64::MAX).open()?;
    }
    Ok(Input::File(path.to_path_buf()))
}

/// Why it cannot be run where it should be.
fn not_a_folder(args: &Args) -> Option<Failed> {
    let folder = args.cwd.as_ref()?;
    let fault = match folder.metadata() {
        Err(_) => "does not exist, or cannot be seen",
        Ok(it) if !it.is_dir() => "is no folder",
        // What is inside of a folder is seen only by those who may enter it.
        Ok(_) if folder.join(".").metadata().is_err() => "may not be entered",
        Ok(_) => return None,
    };
    let message = format!("The working directory `{}` {fault}", folder.display());
    let mut failed = Failed::new(Code::InvalidPath, message);
    failed.remediation = Some("Give a folder that exists and may be entered".to_owned());
    Some(failed)
}

fn ran(program: &Program, tee: Option<&Redactor>) -> anyhow::Result<Ran> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ran = match tee {
        None => {
            let unheard = |_: Stream, _: &[u8]| ();
            runtime.block_on(run_program(program, &unheard, asked_to_stop()))
        }
        Some(redactor) => {
            let shown = Shown::new(redactor)?;
            let ran = runtime.block_on(run_program(program, &shown, asked_to_stop()));
            shown.finish();
            ran
        }
    };
    // A thread that waits for input must not keep us.
    runtime.shutdown_background();
    Ok(ran)
}

/// The exit code that a script sees, if the program had one.
fn kept(end: &End) -> Option<u8> {
    const BY_SIGNAL: i32 = 128;
    let code = match end {
        End::Exited(code) => *code,
        End::Signalled(signal) => BY_SIGNAL + signal,
        End::NotStarted(_) | End::TimedOut(_) | End::Cancelled | End::Lost => return None,
    };
    u8::try_from(code).ok()
}

/// What is said of a program that could not be started.
fn missing(program: &Program) -> Missing {
    Missing::of_program(&program.command.program.to_string_lossy())
}
