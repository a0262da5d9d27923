//! The keeper: a small process between Manila and a server, so that no process outlives Manila.
//!
//! The keeper is a second process of Manila's own executable. The server inherits its streams, so
//! the data does not pass through the keeper. On Linux, orphaned descendants become the keeper's
//! children. The keeper holds one end of a socket, the lifeline. When the lifeline closes, because
//! Manila exits, crashes or is killed, the keeper kills the server's group and then every
//! descendant until none is left.
//!
//! The guarantee does not cover three cases: the keeper is killed too, processes belong to other
//! users, or another daemon does the work.

use std::ffi::OsString;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
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
pub(super) const ARGUMENT: &str = "__keeper";

/// The first argument of a keeper whose second one is its working directory.
pub(super) const ARGUMENT_IN_FOLDER: &str = "__keeper-in";

/// The byte on the lifeline that requests the server's end.
pub(super) const TERMINATE: u8 = b'T';

/// Runs the keeper if this process was started as one, and returns its exit code.
pub fn run_if_keeper(arguments: impl Iterator<Item = OsString>) -> Option<u8> {
    let mut arguments = arguments.skip(1);
    let folder = match arguments.next()? {
        first if first == ARGUMENT => None,
        first if first == ARGUMENT_IN_FOLDER => Some(PathBuf::from(arguments.next()?)),
        _ => return None,
    };
    let program = arguments.next()?;
    Some(match run_keeper(program, arguments.collect(), folder.as_deref()) {
        Ok(()) => 0,
        Err(_) => 1,
    })
}

/// Sends the file descriptor of the server's standard input to the keeper.
pub(super) fn send_stdin(lifeline: &UnixStream, stdin: &impl AsFd) -> std::io::Result<()> {
    let fds = [stdin.as_fd()];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(&fds));
    sendmsg(lifeline, &[IoSlice::new(b"I")], &mut message, SendFlags::empty())?;
    Ok(())
}

fn receive_stdin(lifeline: &UnixStream) -> std::io::Result<OwnedFd> {
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

/// An event that the keeper waits for.
enum KeeperEvent {
    /// A child ended: the server itself, or an adopted orphan.
    Ended(Pid, WaitStatus),
    /// No child is left.
    NoneLeft,
    /// Manila requests that the server end.
    Terminate,
    /// The lifeline has closed.
    LifelineClosed,
}

fn run_keeper(
    program: OsString,
    arguments: Vec<OsString>,
    folder: Option<&Path>,
) -> std::io::Result<()> {
    let mut lifeline = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let stdin = receive_stdin(&lifeline)?;
    descendants::adopt()?;
    catch_signals()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::from(stdin)).process_group(0);
    let started = check_folder(folder).and_then(|()| command.spawn());
    // The copies of the streams are closed with it.
    drop(command);
    let child = match started {
        Ok(child) => child,
        Err(error) => {
            return writeln!(lifeline, "error {error}");
        }
    };
    let group = Pid::from_child(&child);
    release_streams()?;
    let (sender, events) = mpsc::channel();
    std::thread::spawn({
        let sender = sender.clone();
        move || reap(&sender)
    });
    std::thread::spawn({
        let lifeline = lifeline.try_clone()?;
        move || listen(lifeline, &sender)
    });
    handle_events(group, &events, &mut lifeline);
    Ok(())
}

/// Fails if this process is not in the folder in which it was started: a link may have replaced a
/// part of the path. From here on, nothing can lead the process elsewhere.
fn check_folder(expected: Option<&Path>) -> std::io::Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    if std::env::current_dir()? == expected {
        return Ok(());
    }
    let message = format!("the working directory `{}` was replaced", expected.display());
    Err(std::io::Error::other(message))
}

/// Closes the keeper's copies of the server's streams, so that the streams end when the server
/// ends.
fn release_streams() -> std::io::Result<()> {
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Makes the keeper survive termination signals, which may be sent to all processes at once.
///
/// The signals are caught, not ignored, because child processes inherit ignored signals.
fn catch_signals() -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    Ok(())
}

/// Waits for children until none is left.
fn reap(events: &mpsc::Sender<KeeperEvent>) {
    loop {
        let event = match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) => KeeperEvent::Ended(pid, status),
            Err(Errno::INTR) | Ok(None) => continue,
            Err(_) => KeeperEvent::NoneLeft,
        };
        let is_last = matches!(event, KeeperEvent::NoneLeft);
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

/// Sends an event for each termination request, and one when the lifeline closes.
fn listen(mut lifeline: UnixStream, events: &mpsc::Sender<KeeperEvent>) {
    let mut byte = [0];
    // `read_exact` retries after a signal.
    while lifeline.read_exact(&mut byte).is_ok() {
        if byte == [TERMINATE] && events.send(KeeperEvent::Terminate).is_err() {
            return;
        }
    }
    // If the receiver is closed, the keeper is already done.
    let _ = events.send(KeeperEvent::LifelineClosed);
}

/// Handles events until no process is left.
fn handle_events(group: Pid, events: &mpsc::Receiver<KeeperEvent>, lifeline: &mut UnixStream) {
    const RETRY_MIN: Duration = Duration::from_millis(5);
    const RETRY_MAX: Duration = Duration::from_secs(1);
    let mut is_killing = false;
    let mut retry_after = RETRY_MIN;
    // The system may reuse the id of a group that has ended.
    let mut has_group = true;
    loop {
        let next = if is_killing {
            // Attempts to kill a process that survives become ever rarer.
            retry_after = (retry_after * 2).min(RETRY_MAX);
            events.recv_timeout(retry_after).ok()
        } else {
            Some(events.recv().unwrap_or(KeeperEvent::LifelineClosed))
        };
        match next {
            Some(KeeperEvent::Ended(pid, status)) if pid == group => {
                // The server's remaining descendants are killed, too. If Manila has ended, the
                // write fails and does not matter.
                let _ = writeln!(lifeline, "{}", encode_status(status));
                is_killing = true;
            }
            // Each end of a process may leave new orphans, which are killed at once.
            Some(KeeperEvent::Ended(..)) => retry_after = RETRY_MIN,
            Some(KeeperEvent::NoneLeft) => return,
            Some(KeeperEvent::Terminate) if has_group => {
                // The group may have ended meanwhile.
                let _ = kill_process_group(group, Signal::TERM);
            }
            Some(KeeperEvent::Terminate) | None => {}
            Some(KeeperEvent::LifelineClosed) => is_killing = true,
        }
        if is_killing {
            if has_group {
                has_group = kill_process_group(group, Signal::KILL).is_ok();
            }
            descendants::kill_children();
        }
    }
}

fn encode_status(status: WaitStatus) -> String {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "exit -1".to_owned(),
    }
}

/// Parses a line from the keeper.
pub(super) fn parse_status(line: &str) -> Option<Status> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "exit" => rest.parse().ok().map(Status::Code),
        "signal" => rest.parse().ok().map(Status::Signal),
        "error" => Some(Status::NotStarted(rest.to_owned())),
        _ => None,
    }
}
