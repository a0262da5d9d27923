//! Running one program, with its process tree under a keeper and its output within limits.
//!
//! [`run`] always returns. It stops a program that hangs, reads endless output but truncates it,
//! and kills the processes that the program leaves behind.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::sync::SetOnce;

use crate::clock;
use crate::command::Command;
use crate::os::{Lifeline, Process, Status, Target};

mod capture;
mod context;
mod failure_lines;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod observe;
mod text;

use capture::Capture;
pub use capture::Stream;
pub use observe::MissingProgram;

/// A program to run once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Program {
    /// The command. No shell is involved.
    pub command: Command,
    /// Its standard input.
    pub input: Input,
    /// Time limit.
    pub timeout: Duration,
    /// Maximum number of characters to keep of each stream (M13).
    pub stream_chars_max: usize,
    /// Time between the request to end and the kill.
    pub grace: Duration,
}

impl Program {
    /// Creates a program without input and with the default limits.
    #[must_use]
    pub fn new(command: Command) -> Program {
        Program {
            command,
            input: Input::Nothing,
            timeout: Duration::from_secs(60),
            stream_chars_max: 1_000_000,
            grace: Duration::from_millis(700),
        }
    }
}

/// The standard input of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// No input.
    Nothing,
    /// The standard input of this process, copied as it arrives.
    Ours,
    /// The contents of this file, which may be a pipe. A file that cannot be read counts as empty.
    File(PathBuf),
}

/// The result of running a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProgramRun {
    /// The command line, quoted for a shell.
    pub command: String,
    /// How the program ended.
    pub end: End,
    /// Duration of the run.
    pub duration: Duration,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It did not start, for this reason.
    NotStarted(String),
    /// It was stopped after this time limit.
    TimedOut(Duration),
    /// It was stopped because the caller cancelled it.
    Cancelled,
    /// Unknown, because its keeper was killed.
    Lost,
}

/// The output of a program on one of its streams, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The text, without colours and without overwritten parts of lines.
    pub text: String,
    /// Number of bytes that the program wrote, including those that were not kept.
    pub n_bytes: u64,
    /// How the text differs from the output.
    pub changes: Changes,
}

/// How captured text differs from a program's output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "three facts that do not exclude each other")]
pub struct Changes {
    /// A part before the end is missing.
    pub is_cut: bool,
    /// Replacement characters stand for invalid UTF-8.
    pub is_lossy: bool,
    /// The output is binary, and is not shown.
    pub is_binary: bool,
}

/// Receives the output of a program while it runs.
pub trait OutputListener: Sync {
    /// Receives a piece of output.
    fn on_output(&self, stream: Stream, piece: &[u8]);

    /// Waits until there is room for more output.
    ///
    /// The program is blocked meanwhile, and its time limit keeps running.
    fn wait_for_room(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

impl<F: Fn(Stream, &[u8]) + Sync> OutputListener for F {
    fn on_output(&self, stream: Stream, piece: &[u8]) {
        self(stream, piece);
    }
}

/// Runs a program until it ends, reaches its time limit, or `cancelled` completes. `listener`
/// receives its output.
pub async fn run(
    program: &Program,
    listener: &impl OutputListener,
    cancelled: impl Future<Output = ()>,
) -> ProgramRun {
    let started = clock::now();
    let elapsed = || clock::now().saturating_duration_since(started);
    let mut cancelled = pin!(cancelled);
    let not_started = |end| {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        ProgramRun {
            command: program.command.to_command_line(),
            end,
            duration: elapsed(),
            stdout,
            stderr,
        }
    };
    // A signal handler is installed only when the future is first polled.
    tokio::select! {
        biased;
        () = &mut cancelled => return not_started(End::Cancelled),
        () = std::future::ready(()) => {}
    }
    let process = match Process::start(&program.command) {
        Ok(process) => process,
        Err(error) => return not_started(End::NotStarted(error.to_string())),
    };
    let Process { stdin, stdout, stderr, lifeline } = process;
    let writing = feed(stdin, &program.input);
    let mut stdout = Capture::new(Stream::Stdout, stdout, program.stream_chars_max);
    let mut stderr = Capture::new(Stream::Stderr, stderr, program.stream_chars_max);
    let has_ended = SetOnce::new();
    let end = {
        let streams = async {
            tokio::join!(stdout.read(listener, &has_ended), stderr.read(listener, &has_ended));
        };
        // The end of the input does not end the run.
        let writing = async {
            writing.await;
            std::future::pending::<End>().await
        };
        tokio::select! {
            end = wait_for_end(program, lifeline, streams, cancelled, &has_ended) => end,
            never = writing => never,
        }
    };
    let (command, duration) = (program.command.to_command_line(), elapsed());
    let (stdout, stderr) = (stdout.into_captured(&end), stderr.into_captured(&end));
    ProgramRun { command, end, duration, stdout, stderr }
}

/// Writes the program's input, and closes it.
async fn feed(mut stdin: Target, input: &Input) {
    // A failed write is ignored: a program need not read its input.
    let _ = match input {
        Input::Nothing => return,
        Input::Ours => tokio::io::copy(&mut tokio::io::stdin(), &mut stdin).await,
        Input::File(path) => match tokio::fs::File::open(path).await {
            Ok(mut file) => tokio::io::copy(&mut file, &mut stdin).await,
            Err(_) => return,
        },
    };
    let _ = stdin.shutdown().await;
}

/// Waits for the end of a program, and stops the program if necessary. `streams` reads its output.
async fn wait_for_end(
    program: &Program,
    mut lifeline: Lifeline,
    streams: impl Future<Output = ()>,
    cancelled: impl Future<Output = ()>,
    has_ended: &SetOnce<()>,
) -> End {
    /// The time to wait for the end of the process tree and its streams. A process of another user
    /// cannot be killed; the keeper continues to try on its own.
    const KILL_WAIT_MAX: Duration = Duration::from_secs(2);
    let mut streams = pin!(streams);
    let mut is_drained = false;
    let mut deadline = pin!(tokio::time::sleep(program.timeout));
    let mut cancelled = pin!(cancelled);
    let end = loop {
        tokio::select! {
            biased;
            () = &mut cancelled => break End::Cancelled,
            () = &mut deadline => break End::TimedOut(program.timeout),
            status = lifeline.wait() => break match status {
                Some(Status::Code(code)) => End::Exited(code),
                Some(Status::Signal(signal)) => End::Signalled(signal),
                Some(Status::NotStarted(reason)) => End::NotStarted(reason),
                None => End::Lost,
            },
            () = &mut streams, if !is_drained => is_drained = true,
        }
    };
    if matches!(end, End::Cancelled | End::TimedOut(_)) {
        lifeline.terminate().await;
        let mut grace = pin!(tokio::time::sleep(program.grace));
        loop {
            tokio::select! {
                _ = lifeline.wait() => break,
                () = &mut grace => break,
                () = &mut streams, if !is_drained => is_drained = true,
            }
        }
    }
    // Set once, here.
    let _ = has_ended.set(());
    // The rest of the process tree is killed, which also ends the streams.
    let mut kill = pin!(lifeline.cut());
    let mut is_killed = false;
    let mut limit = pin!(tokio::time::sleep(KILL_WAIT_MAX));
    while !(is_drained && is_killed) {
        tokio::select! {
            () = &mut kill, if !is_killed => is_killed = true,
            () = &mut limit => break,
            () = &mut streams, if !is_drained => is_drained = true,
        }
    }
    end
}

#[cfg(test)]
mod tests;
