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
    /// Starts a program under a keeper. Whether the program itself could be started is told
    /// by the lifeline.
    pub fn start(command: &Command) -> io::Result<Process> {
        let (stdin_read, stdin_write) = io::pipe()?;
        let (stdout_read, stdout_write) = io::pipe()?;
        let (stderr_read, stderr_write) = io::pipe()?;
        widen(&stdin_write);
        widen(&stdout_read);
        let (ours, theirs) = BlockingStream::pair()?;
        let mut keeper = Program::new(this_program()?);
        match &command.environment {
            Environment::Ours => {}
            Environment::OursAnd(more) => {
                keeper.envs(more.iter().map(|(name, value)| (name, value)));
            }
            Environment::Only(variables) => {
                keeper.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
            }
        }
        if let Some(folder) = &command.folder {
            keeper.current_dir(folder);
        }
        let keeper = keeper
            .arg0("manila-keeper")
            .arg(keeper::MARK)
            .arg(&command.program)
            .args(&command.arguments)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(stdout_write)))
            .stderr(Stdio::from(OwnedFd::from(stderr_write)))
            // Keys pressed in our terminal are for us.
            .process_group(0)
            .spawn()?;
        let keeper = Keeper(Some(keeper));
        keeper::hand_over(&ours, &stdin_read)?;
        ours.set_nonblocking(true)?;
        Ok(Process {
            stdin: Box::new(pipe::Sender::from_owned_fd(stdin_write.into())?),
            stdout: Box::new(pipe::Receiver::from_owned_fd(stdout_read.into())?),
            stderr: Box::new(pipe::Receiver::from_owned_fd(stderr_read.into())?),
            lifeline: Lifeline { stream: UnixStream::from_std(ours)?, keeper, said: Vec::new() },
        })
    }
}

/// Gives a pipe room for a large message, so that it is not handed over in many small pieces.
/// Where that cannot be had, the pipe works all the same.
pub(super) fn widen(pipe: &impl AsFd) {
    #[cfg(target_os = "linux")]
    {
        const PIPE_BYTES: usize = 1024 * 1024;
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

/// Keeps a process alive as long as it is held. When it is dropped, or we die, the keeper
/// kills the process and all its descendants.
pub struct Lifeline {
    stream: UnixStream,
    keeper: Keeper,
    said: Vec<u8>,
}

/// The keeper's process, until its end was seen.
struct Keeper(Option<Child>);

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.0.take()
            && let Ok(None) = keeper.try_wait()
        {
            // Nobody waits for it any more, and whose end nobody sees stays in the list of
            // processes.
            let named = std::thread::Builder::new().name("manila-reaper".to_owned());
            let _ = named.spawn(move || keeper.wait());
        }
    }
}

/// So often a keeper is woken that does not do what it is told.
const BETWEEN_WAKING: Duration = Duration::from_millis(200);

impl Keeper {
    /// Lets it go on: what it keeps may have stopped it.
    fn wake(&self) {
        if let Some(keeper) = &self.0 {
            // One that has ended needs nothing. Its number is its own until we have seen its end.
            let _ = kill_process(Pid::from_child(keeper), Signal::CONT);
        }
    }
}

impl Lifeline {
    /// Waits for the process to end. `None` if the keeper itself is gone.
    pub async fn ended(&mut self) -> Option<Status> {
        const SAID_BYTES_MAX: usize = 4 * 1024;
        loop {
            if let Some(line) = self.said.split(|byte| *byte == b'\n').next()
                && line.len() < self.said.len()
            {
                return keeper::status(&String::from_utf8_lossy(line));
            }
            let mut piece = [0; 512];
            match self.stream.read(&mut piece).await {
                Ok(n_read @ 1..) if self.said.len() < SAID_BYTES_MAX => {
                    self.said.extend_from_slice(piece.get(..n_read).unwrap_or_default());
                }
                Ok(_) | Err(_) => return None,
            }
        }
    }

    /// Asks the process and its group to end.
    pub async fn terminate(&mut self) {
        // If the keeper is gone, there is nothing left to end.
        let _ = self.stream.write_all(&[TERMINATE]).await;
        self.keeper.wake();
    }

    /// Kills the process and its descendants, and waits until none is left.
    pub async fn cut(self) {
        let Lifeline { mut stream, mut keeper, said: _ } = self;
        // The keeper reads the end, kills, and closes its own end when it is done.
        let _ = stream.shutdown().await;
        let mut rest = [0; 512];
        let mut waking = tokio::time::interval(BETWEEN_WAKING);
        loop {
            tokio::select! {
                read = stream.read(&mut rest) => if !matches!(read, Ok(1..)) { break },
                _ = waking.tick() => keeper.wake(),
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
