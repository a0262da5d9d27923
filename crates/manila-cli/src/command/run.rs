//! `manila run`

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::builder::{OsStringValueParser, TypedValueParser};
use manila::pipeline::{self, Redaction, Settings};
use manila::{Code, Context, Contract, Failed, Observation, Observed};
use manila_files::values::{bytes, duration};
use manila_gateway::ResultFormat;
use manila_pack::{BUILT_IN, Pack};
use manila_process::os::split_assignment;
use manila_process::os::stop::wait_for_stop;
use manila_process::run::{
    End, Input, MissingProgram, Program, ProgramRun, Stream, run as run_program,
};
use manila_process::{Command, Environment};
use manila_redact::Redactor;

mod tee;

use tee::Tee;

use super::contracts::one_contract;
use crate::config::ConfigArgs;
use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::{LayoutArgs, Output};
use crate::refusal::Refusal;
use crate::server;

/// Run one program and print its result as an envelope
///
/// Manila starts the program directly, without a shell, and kills the processes that it leaves
/// running. The envelope has the output without secrets and colours, and each compiler error.
///
///   manila run -- git status --short
///   manila run --contract machine-readable-v1 --timeout 5m -- cargo build
///
/// Ctrl-C stops the program and everything that it started.
///
/// Exit status: 0 the program succeeded; 1 it failed, was stopped or could not be
/// started, which the envelope explains; 2 Manila could not run the command.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(mut_arg("config", |it| it.long_help("Configuration file, e.g. manila.toml

Manila applies its redaction rules and its contract.")))]
pub(crate) struct Args {
    /// Contract for the result
    ///
    /// Defaults to the contract of the configuration, or response-v2.
    #[arg(long, short, value_name = "CONTRACT", value_parser = one_contract())]
    contract: Option<Contract>,

    /// Time limit for the program, e.g. 500ms, 30s, 5m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    timeout: Duration,

    /// Working directory of the program
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,

    /// Environment variable to add; repeatable
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable())]
    env: Vec<(OsString, OsString)>,

    /// File to use as stdin; `-` inherits stdin [default: empty]
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,

    /// Characters to keep of each output stream
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = characters)]
    max_output: usize,

    /// Exit with the program's exit code
    #[arg(long)]
    keep_exit: bool,

    /// Copy the program's output to stderr while it runs
    #[arg(long)]
    tee: bool,

    /// Pack whose rules parse the errors: a built-in pack or a file
    ///
    /// Defaults to the built-in pack for this program, if there is one.
    #[arg(long, value_name = "PACK")]
    pack: Option<OsString>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    layout: LayoutArgs,

    /// Program and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Parses `NAME=VALUE`. The value may be any bytes.
fn variable() -> impl TypedValueParser<Value = (OsString, OsString)> {
    OsStringValueParser::new().try_map(|text| match split_assignment(&text) {
        Some((name, value)) if !name.is_empty() => Ok((name.into(), value)),
        Some(_) | None => Err("must be NAME=VALUE"),
    })
}

/// Parses a number of characters, with the units and limits of a size.
fn characters(text: &str) -> Result<usize, String> {
    bytes(text).map_err(|_| "must be from 1024 to 4294967296 characters, e.g. 100000".to_owned())
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let config = args.config.read()?;
    let program = program(args)?;
    let pack = pack_for(args)?;
    let (observation, code) = if let Some(failed) = folder_failure(args) {
        (Observation::new(Observed::Failed(Box::new(failed))), None)
    } else {
        let ran = execute(&program, args.tee.then_some(&*config.redaction.redactor))?;
        let code = exit_code(&ran.end);
        (observe(ran, &program, pack.as_ref()), code)
    };
    let mut settings = Settings::default();
    settings.redaction = Redaction::Custom(&config.redaction.redactor);
    let context = Context::new(uuid::Uuid::new_v4().into_bytes());
    let default_contract = match config.contract {
        Some(ResultFormat::Contract(contract)) => contract,
        // A program's output has no envelope to pass through.
        Some(ResultFormat::Passthrough) | None => Contract::default(),
    };
    let contract = args.contract.unwrap_or(default_contract);
    let reply = pipeline::seal(observation, contract, &settings, &context);
    out.json(&reply.envelope, args.layout.layout(out))?;
    Ok(match code {
        Some(code) if args.keep_exit => ExitStatus::Other(code),
        Some(_) | None if reply.is_error => ExitStatus::Failure,
        Some(_) | None => ExitStatus::Success,
    })
}

/// Returns the pack whose rules parse the program's errors.
fn pack_for(args: &Args) -> anyhow::Result<Option<Pack>> {
    if let Some(name) = &args.pack {
        return Ok(Some(server::load_pack(name)?.pack));
    }
    let program = args.command.first().and_then(|it| Path::new(it).file_stem()?.to_str());
    let known = program.filter(|program| BUILT_IN.iter().any(|(name, _)| name == program));
    Ok(known.map(server::load_pack).transpose()?.map(|source| source.pack))
}

/// Builds the observation from the program's exit and output.
fn observe(ran: ProgramRun, program: &Program, pack: Option<&Pack>) -> Observation {
    let mut observation = ran.observation(missing_program(program));
    if let Some(pack) = pack {
        pack.diagnose(&mut observation);
    }
    observation
}

/// Builds the program from the arguments.
fn program(args: &Args) -> anyhow::Result<Program> {
    let (program, arguments) = args.command.split_first().context("COMMAND is missing")?;
    if program.is_empty() {
        let hint = "pass a program, e.g. manila run -- git status";
        return Err(Refusal::new("COMMAND is empty", hint).into());
    }
    let mut command = Command::new(program.clone(), arguments.to_vec());
    command.environment = Environment::InheritedAnd(args.env.clone());
    command.folder.clone_from(&args.cwd);
    let mut program = Program::new(command);
    if let Some(path) = &args.stdin {
        program.input = input(path)?;
    }
    program.timeout = args.timeout;
    program.stream_chars_max = args.max_output;
    Ok(program)
}

/// Returns the program's stdin. A file that cannot be read is reported before the program starts.
fn input(path: &Path) -> anyhow::Result<Input> {
    if path == Path::new("-") {
        return Ok(Input::Ours);
    }
    // Opening a named pipe blocks until it has a writer.
    if !path.exists() || path.is_file() || path.is_dir() {
        InputArgs::new(Some(path.to_path_buf()), u64::MAX).open()?;
    }
    Ok(Input::File(path.to_path_buf()))
}

/// Returns the failure if the working directory cannot be used.
fn folder_failure(args: &Args) -> Option<Failed> {
    let folder = args.cwd.as_ref()?;
    let fault = match folder.metadata() {
        Err(_) => "does not exist or is not accessible",
        Ok(it) if !it.is_dir() => "is not a folder",
        // Looking up `.` requires the permission to enter the folder.
        Ok(_) if folder.join(".").metadata().is_err() => "cannot be entered",
        Ok(_) => return None,
    };
    let message = format!("The working directory `{}` {fault}", folder.display());
    let mut failed = Failed::new(Code::InvalidPath, message);
    failed.remediation = Some("Use a folder that exists and can be entered".to_owned());
    Some(failed)
}

/// Runs the program, and copies its output to stderr if a redactor is given.
fn execute(program: &Program, tee: Option<&Redactor>) -> anyhow::Result<ProgramRun> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ran = match tee {
        None => {
            let discard = |_: Stream, _: &[u8]| ();
            runtime.block_on(run_program(program, &discard, wait_for_stop()))
        }
        Some(redactor) => {
            let tee = Tee::new(redactor)?;
            let ran = runtime.block_on(run_program(program, &tee, wait_for_stop()));
            tee.finish();
            ran
        }
    };
    // A thread that is blocked on input must not delay the exit.
    runtime.shutdown_background();
    Ok(ran)
}

/// Returns the program's exit code for scripts, if it had one.
fn exit_code(end: &End) -> Option<u8> {
    const BY_SIGNAL: i32 = 128;
    let code = match end {
        End::Exited(code) => *code,
        End::Signalled(signal) => BY_SIGNAL + signal,
        End::NotStarted(_) | End::TimedOut(_) | End::Cancelled | End::Lost => return None,
    };
    u8::try_from(code).ok()
}

/// Returns the failure for a program that could not be started.
fn missing_program(program: &Program) -> MissingProgram {
    MissingProgram::of_program(&program.command.program.to_string_lossy())
}
