//! Lingering: a process that stays when everybody thinks that it is gone.

use std::env;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::OVERTIME_S;
use super::own_process;

/// The arguments with which the program must call [`linger`].
pub const LINGER_ARGUMENTS: [&str; 2] = ["sample-server", "--linger"];

/// What a lingering process says on stdout once no polite signal can end it.
const READY: &str = "lingering\n";

/// Leaves the session, says `lingering` on stdout, gives stdout up, and sleeps for ten minutes.
pub fn linger() -> io::Result<()> {
    own_process::detach()?;
    // The starter may have gone without listening.
    let _ = io::stdout().write_all(READY.as_bytes());
    own_process::discard_stdout()?;
    thread::sleep(Duration::from_secs(OVERTIME_S));
    Ok(())
}

/// Starts this program once more, to [`linger`], and returns its process id when it does.
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
    // Whoever ends it may look whether it is gone, so it must not stay as a zombie.
    thread::Builder::new().name("grandchild".to_owned()).spawn(move || child.wait())?;
    ready.map(|()| pid)
}

/// Its stdout ends only when it has been given up, so that nothing of ours stays open in it.
fn wait_until_ready(child: &mut Child) -> io::Result<()> {
    let mut said = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut said)?;
    }
    if said == READY { Ok(()) } else { Err(io::Error::other("the grandchild did not linger")) }
}
