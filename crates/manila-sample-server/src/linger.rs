//! Lingering: a process that keeps running after its parent has exited.

use std::env;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::LINGER_S;
use super::own_process;

/// The command-line arguments for which the program must call [`linger`].
pub const LINGER_ARGUMENTS: [&str; 2] = ["sample-server", "--linger"];

/// The line that a lingering process writes to stdout once it ignores the termination signals.
const READY: &str = "lingering\n";

/// Leaves the session, writes `lingering` to stdout, closes stdout, and sleeps for ten minutes.
pub fn linger() -> io::Result<()> {
    own_process::detach()?;
    // The parent may have exited without reading.
    let _ = io::stdout().write_all(READY.as_bytes());
    own_process::discard_stdout()?;
    thread::sleep(Duration::from_secs(LINGER_S));
    Ok(())
}

/// Starts this program again to [`linger`], and returns its process id once it does.
pub(super) fn start_grandchild() -> io::Result<u32> {
    let mut child = Command::new(env::current_exe()?)
        .args(LINGER_ARGUMENTS)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let pid = child.id();
    let ready = wait_until_ready(&mut child);
    if ready.is_err() {
        let _ = child.kill();
    }
    // A process that kills it may check that it has exited, so it must not stay a zombie.
    thread::Builder::new().name("grandchild".to_owned()).spawn(move || child.wait())?;
    ready.map(|()| pid)
}

/// Waits until the child lingers.
///
/// Its stdout ends only when the child has closed it, so the child keeps no pipe of this process.
fn wait_until_ready(child: &mut Child) -> io::Result<()> {
    let mut output = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut output)?;
    }
    if output == READY { Ok(()) } else { Err(io::Error::other("the grandchild is not ready")) }
}
