//! The keeper: a small process between us and a server, so that nothing outlives us.
//!
//! It is this program run again, with the server's streams inherited, so it is not in the way
//! of the data. Orphans below it become its children (on Linux), and it holds one end of a
//! socket, the lifeline. When the lifeline ends, because we exit, crash or are killed, it kills
//! the server's group and then every descendant until none is left.
//!
//! Not promised: that somebody kills the keeper too, processes of other users, and work that
//! was handed to another daemon.

use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, wait};

use super::Status;
use super::descendants;

/// The first argument of a keeper.
pub(super) const MARK: &str = "__keeper";

/// Sent over the lifeline to ask the server to end.
pub(super) const TERMINATE: u8 = b'T';

/// Takes over if this process was started as a keeper. `Some` is the exit code.
pub fn dispatch(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.skip(1);
    if arguments.next()? != MARK {
        return None;
    }
    let program = arguments.next()?;
    Some(match keep(program, arguments.collect()) {
        Ok(()) => 0,
        Err(_) => 1,
    })
}

/// Hands the server's standard input to the keeper.
pub(super) fn hand_over(lifeline: &UnixStream, stdin: &impl AsFd) -> std::io::Result<()> {
    let fds = [stdin.as_fd()];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(&fds));
    sendmsg(lifeline, &[IoSlice::new(b"I")], &mut message, SendFlags::empty())?;
    Ok(())
}

fn take_over(lifeline: &UnixStream) -> std::io::Result<OwnedFd> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(lifeline, &mut [IoSliceMut::new(&mut byte)], &mut message, RecvFlags::empty())?;
    for part in message.drain() {
        if let RecvAncillaryMessage::ScmRights(fds) = part
            && let Some(fd) = fds.into_iter().next()
        {
            fcntl_setfd(&fd, FdFlags::CLOEXEC)?;
            return Ok(fd);
        }
    }
    Err(std::io::ErrorKind::UnexpectedEof.into())
}

/// What the keeper waits for.
enum Heard {
    /// A child ended: the server itself, or an orphan that was left to us.
    Ended(Pid, WaitStatus),
    /// No child is left.
    NoneLeft,
    /// Manila asks the server to end.
    Terminate,
    /// Manila is gone.
    Cut,
}

fn keep(program: OsString, arguments: Vec<OsString>) -> std::io::Result<()> {
    let mut lifeline = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let stdin = take_over(&lifeline)?;
    descendants::adopt()?;
    stay()?;
    let started =
        Command::new(program).args(arguments).stdin(Stdio::from(stdin)).process_group(0).spawn();
    let child = match started {
        Ok(child) => child,
        Err(error) => {
            return writeln!(lifeline, "error {error}");
        }
    };
    let group = Pid::from_child(&child);
    let_go_of_streams()?;
    let (tell, heard) = mpsc::channel();
    std::thread::spawn({
        let tell = tell.clone();
        move || reap(&tell)
    });
    std::thread::spawn({
        let lifeline = lifeline.try_clone()?;
        move || listen(lifeline, &tell)
    });
    watch(group, &heard, &mut lifeline);
    Ok(())
}

/// The server's streams are the server's alone: their ends must be seen when it ends.
fn let_go_of_streams() -> std::io::Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Polite signals are for the server: whoever sends them to everybody must not take its keeper
/// away. They are caught, not ignored, since programs inherit what is ignored.
fn stay() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    Ok(())
}

/// Waits for children until none is left.
fn reap(tell: &mpsc::Sender<Heard>) {
    loop {
        let heard = match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => Heard::Ended(pid, status),
            Err(Errno::INTR) | Ok(None) => continue,
            Err(_) => Heard::NoneLeft,
        };
        let is_last = matches!(heard, Heard::NoneLeft);
        if tell.send(heard).is_err() || is_last {
            return;
        }
    }
}

fn listen(mut lifeline: UnixStream, tell: &mpsc::Sender<Heard>) {
    let mut byte = [0];
    // `read_exact` goes on after a signal.
    while lifeline.read_exact(&mut byte).is_ok() {
        if byte == [TERMINATE] && tell.send(Heard::Terminate).is_err() {
            return;
        }
    }
    // If nobody listens, everything is over.
    let _ = tell.send(Heard::Cut);
}

/// Until nothing is left to keep.
fn watch(group: Pid, heard: &mpsc::Receiver<Heard>, lifeline: &mut UnixStream) {
    const FIRST: Duration = Duration::from_millis(5);
    const LONGEST: Duration = Duration::from_secs(1);
    let mut is_killing = false;
    let mut again = FIRST;
    // The number of a group that is gone may be given to another.
    let mut has_group = true;
    loop {
        let next = if is_killing {
            // What cannot be killed is tried ever more rarely.
            again = (again * 2).min(LONGEST);
            heard.recv_timeout(again).ok()
        } else {
            Some(heard.recv().unwrap_or(Heard::Cut))
        };
        match next {
            Some(Heard::Ended(pid, status)) if pid == group => {
                // Whoever the server left behind ends with it. If Manila is gone, nobody
                // wants to know.
                let _ = writeln!(lifeline, "{}", spelled(status));
                is_killing = true;
            }
            // Each death may leave us new orphans, which are killed at once.
            Some(Heard::Ended(..)) => again = FIRST,
            Some(Heard::NoneLeft) => return,
            Some(Heard::Terminate) if has_group => {
                // A group that is gone needs no asking.
                let _ = kill_process_group(group, Signal::TERM);
            }
            Some(Heard::Terminate) | None => {}
            Some(Heard::Cut) => is_killing = true,
        }
        if is_killing {
            if has_group {
                has_group = kill_process_group(group, Signal::KILL).is_ok();
            }
            descendants::kill_children();
        }
    }
}

fn spelled(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "exit -1".to_owned(),
    }
}

/// What a keeper's line says.
pub(super) fn status(line: &str) -> Option<Status> {
    let (word, rest) = line.split_once(' ')?;
    match word {
        "exit" => rest.parse().ok().map(Status::Code),
        "signal" => rest.parse().ok().map(Status::Signal),
        "error" => Some(Status::NotStarted(rest.to_owned())),
        _ => None,
    }
}
