//! Running one program: its whole tree under the keeper, its output within limits.
//!
//! Whatever a program does, `run` comes back: one that hangs is stopped, one that prints without
//! end is read to the end and cut, and what it leaves behind ends with it.

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
mod observe;
mod sift;
mod text;

use capture::Capture;
pub use capture::Stream;
pub use observe::Missing;

/// A program that is to be run once.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Program {
    /// What is run. No shell is involved.
    pub command: Command,
    /// What it reads.
    pub input: Input,
    /// How long it may take.
    pub timeout: Duration,
    /// How many characters are kept of each of its streams (M13).
    pub stream_chars_max: usize,
    /// How long it has to end by itself when it is asked to.
    pub grace: Duration,
}

impl Program {
    /// A program without input, that may take as long and print as much as is usual.
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

/// What a program reads as its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Its input is at its end.
    Nothing,
    /// What we are given ourselves, as it comes.
    Ours,
    /// What is in this file, or comes out of it. Where it cannot be read, that is nothing.
    File(PathBuf),
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// The command line, as people would type it.
    pub command: String,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub duration: Duration,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It never ran, and why.
    NotStarted(String),
    /// It was stopped: it took longer than this.
    TimedOut(Duration),
    /// It was stopped: its caller does not want it any more.
    Cancelled,
    /// Nobody knows: somebody has killed the keeper that watched over it.
    Lost,
}

/// What a program wrote to one of its streams, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The text, without colours and without what was overwritten.
    pub text: String,
    /// How many bytes it wrote, whether they were kept or not.
    pub n_bytes: u64,
    /// What was changed about it.
    pub changes: Changes,
}

/// What was changed about what a program wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "three facts that do not exclude each other")]
pub struct Changes {
    /// Some of it is missing, before the end.
    pub is_cut: bool,
    /// Some of it was no UTF-8, and is shown as replacement characters.
    pub is_mended: bool,
    /// It is no text at all, and not shown.
    pub is_binary: bool,
}

/// Whoever hears what a program writes, as it comes.
pub trait Hear: Sync {
    /// Hears a piece.
    fn hear(&self, stream: Stream, piece: &[u8]);

    /// Waits until there is room for more. As long as it runs, the program has to wait, too; its
    /// time goes on.
    fn room(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

impl<F: Fn(Stream, &[u8]) + Sync> Hear for F {
    fn hear(&self, stream: Stream, piece: &[u8]) {
        self(stream, piece);
    }
}

/// Runs a program until it ends, takes too long, or `cancelled` does. `heard` is told what it
/// writes.
pub async fn run(program: &Program, heard: &impl Hear, cancelled: impl Future<Output = ()>) -> Ran {
    let started = clock::now();
    let taken = || clock::now().saturating_duration_since(started);
    let mut cancelled = pin!(cancelled);
    let never_ran = |end| {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        Ran { command: program.command.typed(), end, duration: taken(), stdout, stderr }
    };
    // Whoever waits for signals hears them only once it was asked for the first time.
    tokio::select! {
        biased;
        () = &mut cancelled => return never_ran(End::Cancelled),
        () = std::future::ready(()) => {}
    }
    let process = match Process::start(&program.command) {
        Ok(process) => process,
        Err(error) => return never_ran(End::NotStarted(error.to_string())),
    };
    let Process { stdin, stdout, stderr, lifeline } = process;
    let writing = feed(stdin, &program.input);
    let mut stdout = Capture::new(Stream::Stdout, stdout, program.stream_chars_max);
    let mut stderr = Capture::new(Stream::Stderr, stderr, program.stream_chars_max);
    let has_ended = SetOnce::new();
    let end = {
        let streams = async {
            tokio::join!(stdout.read(heard, &has_ended), stderr.read(heard, &has_ended));
        };
        // What it is given ends with it, and not the other way round.
        let writing = async {
            writing.await;
            std::future::pending::<End>().await
        };
        tokio::select! {
            end = watched(program, lifeline, streams, cancelled, &has_ended) => end,
            never = writing => never,
        }
    };
    let (command, duration) = (program.command.typed(), taken());
    Ran { command, end, duration, stdout: stdout.captured(), stderr: stderr.captured() }
}

/// Writes what the program is to read, and closes its input.
async fn feed(mut stdin: Target, input: &Input) {
    // A program need not read what it is given.
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

/// Waits for the end of a program whose streams are served by `streams`, and ends it if need be.
async fn watched(
    program: &Program,
    mut lifeline: Lifeline,
    streams: impl Future<Output = ()>,
    cancelled: impl Future<Output = ()>,
    has_ended: &SetOnce<()>,
) -> End {
    /// So long a tree and its streams may take to end. What belongs to another user cannot be
    /// killed; its keeper goes on trying by itself.
    const ENDING: Duration = Duration::from_secs(2);
    let mut streams = pin!(streams);
    let mut is_silent = false;
    let mut deadline = pin!(tokio::time::sleep(program.timeout));
    let mut cancelled = pin!(cancelled);
    let end = loop {
        tokio::select! {
            biased;
            () = &mut cancelled => break End::Cancelled,
            () = &mut deadline => break End::TimedOut(program.timeout),
            status = lifeline.ended() => break match status {
                Some(Status::Code(code)) => End::Exited(code),
                Some(Status::Signal(signal)) => End::Signalled(signal),
                Some(Status::NotStarted(reason)) => End::NotStarted(reason),
                None => End::Lost,
            },
            () = &mut streams, if !is_silent => is_silent = true,
        }
    };
    if matches!(end, End::Cancelled | End::TimedOut(_)) {
        lifeline.terminate().await;
        let mut grace = pin!(tokio::time::sleep(program.grace));
        loop {
            tokio::select! {
                _ = lifeline.ended() => break,
                () = &mut grace => break,
                () = &mut streams, if !is_silent => is_silent = true,
            }
        }
    }
    // Set once, here.
    let _ = has_ended.set(());
    // The tree ends now, whatever is left of it, and with it the streams.
    let mut ending = pin!(lifeline.cut());
    let mut is_ended = false;
    let mut patience = pin!(tokio::time::sleep(ENDING));
    while !(is_silent && is_ended) {
        tokio::select! {
            () = &mut ending, if !is_ended => is_ended = true,
            () = &mut patience => break,
            () = &mut streams, if !is_silent => is_silent = true,
        }
    }
    end
}

#[cfg(test)]
mod tests;
