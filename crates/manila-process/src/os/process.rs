//! Starting a server under its keeper.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as BlockingStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command as Program, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use super::keeper::{self, TERMINATE};
use super::{Process, Status, this_program};
use crate::command::{Command, Environment};

impl Process {
    /// Starts a program under a keeper.
    ///
    /// The lifeline reports whether the program itself could be started.
    pub fn start(command: &Command) -> io::Result<Process> {
        let (stdin_read, stdin_write) = io::pipe()?;
        let (stdout_read, stdout_write) = io::pipe()?;
        let (stderr_read, stderr_write) = io::pipe()?;
        enlarge(&stdin_write);
        enlarge(&stdout_read);
        let (ours, theirs) = BlockingStream::pair()?;
        let mut keeper = Program::new(this_program()?);
        match &command.environment {
            Environment::Inherited => {}
            Environment::InheritedAnd(more) => {
                keeper.envs(more.iter().map(|(name, value)| (name, value)));
            }
            Environment::Only(variables) => {
                keeper.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
            }
        }
        if let Some(folder) = &command.folder {
            keeper.current_dir(folder);
        }
        match &command.folder {
            Some(folder) if command.has_real_folder => {
                keeper.arg(keeper::ARGUMENT_IN_FOLDER).arg(folder)
            }
            Some(_) | None => keeper.arg(keeper::ARGUMENT),
        };
        let keeper = keeper
            .arg0("manila-keeper")
            .arg(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(stdout_write)))
            .stderr(Stdio::from(OwnedFd::from(stderr_write)))
            // Signals from the terminal's keys are for this process only.
            .process_group(0)
            .spawn()?;
        let keeper = Keeper(Some(keeper));
        keeper::send_stdin(&ours, &stdin_read)?;
        ours.set_nonblocking(true)?;
        Ok(Process {
            stdin: Box::new(pipe::Sender::from_owned_fd(stdin_write.into())?),
            stdout: Box::new(pipe::Receiver::from_owned_fd(stdout_read.into())?),
            stderr: Box::new(pipe::Receiver::from_owned_fd(stderr_read.into())?),
            lifeline: Lifeline {
                stream: UnixStream::from_std(ours)?,
                keeper,
                received: Vec::new(),
            },
        })
    }
}

/// Enlarges the buffer of a pipe, so that a large message does not pass in many small pieces.
///
/// A failure is ignored, because the pipe works without it.
pub(super) fn enlarge(pipe: &impl AsFd) {
    #[cfg(target_os = "linux")]
    {
        const PIPE_BYTES: usize = 1024 * 1024;
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Keeps a process alive. When this is dropped, or our process ends, the keeper kills the process
/// and all of its descendants.
pub struct Lifeline {
    stream: UnixStream,
    keeper: Keeper,
    /// The bytes that the keeper has sent.
    received: Vec<u8>,
}

/// The keeper's process, until it has been waited for.
struct Keeper(Option<Child>);

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.0.take()
            && let Ok(None) = keeper.try_wait()
        {
            // A process that is not waited for remains as a zombie.
            let named = std::thread::Builder::new().name("manila-reaper".to_owned());
            let _ = named.spawn(move || keeper.wait());
        }
    }
}

/// The interval between attempts to wake a keeper that does not end.
const WAKE_INTERVAL: Duration = Duration::from_millis(200);

impl Keeper {
    /// Resumes the keeper, which its own descendants may have stopped.
    fn wake(&self) {
        if let Some(keeper) = &self.0 {
            // The keeper may have ended. Its process id is not reused until we wait for it.
            let _ = kill_process(Pid::from_child(keeper), Signal::CONT);
        }
    }
}

impl Lifeline {
    /// Waits for the process to end. Returns `None` if the keeper itself has ended.
    pub async fn wait(&mut self) -> Option<Status> {
        const RECEIVED_BYTES_MAX: usize = 4 * 1024;
        loop {
            if let Some(line) = self.received.split(|byte| *byte == b'\n').next()
                && line.len() < self.received.len()
            {
                return keeper::parse_status(&String::from_utf8_lossy(line));
            }
            let mut piece = [0; 512];
            match self.stream.read(&mut piece).await {
                Ok(n_read @ 1..) if self.received.len() < RECEIVED_BYTES_MAX => {
                    self.received.extend_from_slice(piece.get(..n_read).unwrap_or_default());
                }
                Ok(_) | Err(_) => return None,
            }
        }
    }

    /// Requests that the process and its group end.
    pub async fn terminate(&mut self) {
        // If the keeper has ended, there is nothing left to end.
        let _ = self.stream.write_all(&[TERMINATE]).await;
        self.keeper.wake();
    }

    /// Kills the process and its descendants, and waits until none is left.
    pub async fn cut(self) {
        let Lifeline { mut stream, mut keeper, received: _ } = self;
        // The keeper reads the end of the stream, kills, and closes its own end when it is done.
        let _ = stream.shutdown().await;
        let mut rest = [0; 512];
        let mut wake = tokio::time::interval(WAKE_INTERVAL);
        loop {
            tokio::select! {
                read = stream.read(&mut rest) => if !matches!(read, Ok(1..)) { break },
                _ = wake.tick() => keeper.wake(),
            }
        }
        if let Some(mut keeper) = keeper.0.take()
            && let Ok(None) = keeper.try_wait()
        {
            // It has closed its streams and is about to end; only its exit status is awaited.
            let _ = tokio::task::spawn_blocking(move || keeper.wait()).await;
        }
    }
}
