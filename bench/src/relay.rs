//! A relay that only copies bytes between a client and a server.
//!
//! It parses, checks and sends nothing, so its cost is that of one more process on this machine.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, Stdio};

/// The first argument that makes a benchmark a relay.
pub const MARK: &str = "__relay";

/// Runs a program and copies in both directions until its output ends.
pub fn run(arguments: &[String]) -> io::Result<ExitCode> {
    let (program, arguments) = arguments.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let to_server = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let from_server = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let from_client = File::open("/proc/self/fd/0")?;
    let to_client = OpenOptions::new().write(true).open("/proc/self/fd/1")?;
    std::thread::spawn(move || copy(from_client, to_server));
    copy(from_server, to_client)?;
    child.wait()?;
    Ok(ExitCode::SUCCESS)
}

fn copy(mut source: impl Read, mut target: impl Write) -> io::Result<()> {
    let mut piece = vec![0; 256 * 1024];
    loop {
        let n_read = source.read(&mut piece)?;
        if n_read == 0 {
            return Ok(());
        }
        target.write_all(piece.get(..n_read).unwrap_or_default())?;
    }
}
