//! Programs that serve MCP over HTTP in front of a stdio server: `manila wrap --http`, and the
//! peer.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::clients::Place;
use crate::usage::Usage;

/// A gateway that runs, with the server behind it. Both end when this is dropped, or when this
/// program is killed.
pub struct Endpoint {
    child: Child,
    place: Place,
    /// Its configuration, and what it writes, if it has any.
    folder: Option<PathBuf>,
}

impl Endpoint {
    /// `manila wrap` as it is without further options: everything that it does by default.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn manila(manila: &Path, server: &[&str]) -> Endpoint {
        let mut command = Command::new(manila);
        command.args(["wrap", "--http", "127.0.0.1:0", "--"]).args(server);
        Endpoint::heard(command, None)
    }

    /// `manila serve` with this server, and a journal.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn manila_serving(manila: &Path, server: &[&str]) -> Endpoint {
        Endpoint::serving(manila, &format!("[upstream.one]\ncommand = {server:?}\n"))
    }

    /// `manila serve` with these tables of servers, and a journal.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn serving(manila: &Path, servers: &str) -> Endpoint {
        let folder = own_folder(free_address());
        let config = folder.join("manila.toml");
        let journal = folder.join("runs");
        let text = format!(
            "{servers}[journal]\nfolder = \"{}\"\nfile_bytes_max = \"8MiB\"\n",
            journal.display()
        );
        std::fs::write(&config, text).expect("a file can be written");
        let mut command = Command::new(manila);
        command.args(["serve", "--http", "127.0.0.1:0", "--config"]).arg(&config);
        Endpoint::heard(command, Some(folder))
    }

    /// A gateway that says on standard error where it is.
    fn heard(mut command: Command, folder: Option<PathBuf>) -> Endpoint {
        command.stderr(Stdio::piped());
        let mut child = started(command);
        let stderr = child.stderr.take().expect("its standard error is piped");
        let mut stderr = BufReader::new(stderr);
        let mut said = String::new();
        let address = loop {
            said.clear();
            let n_read = stderr.read_line(&mut said).unwrap_or(0);
            assert!(n_read > 0, "manila must say where it serves");
            if let Some(address) = served_address(&said) {
                break address;
            }
        };
        // What else it says must go somewhere, or it would have to wait.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Endpoint { child, place: Place { address, path: "/mcp" }, folder }
    }

    /// The peer with one server, and everything off that can be.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn peer(peer: &Path, server: &[&str]) -> Endpoint {
        let address = free_address();
        let folder = own_folder(address);
        let config = folder.join("peer.toml");
        std::fs::write(&config, peer_config(address, server)).expect("a file can be written");
        let mut command = Command::new(peer);
        command.arg("--config").arg(&config).stderr(Stdio::null());
        let child = started(command);
        let endpoint =
            Endpoint { child, place: Place { address, path: "/" }, folder: Some(folder) };
        endpoint.wait_until_it_listens();
        endpoint
    }

    /// Where it serves.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// What the gateway's own process has used so far.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage::of(self.child.id())
    }

    /// The peer listens as soon as its server has been greeted, and does not say so.
    fn wait_until_it_listens(&self) {
        const N_TRIES: usize = 600;
        const PAUSE: Duration = Duration::from_millis(50);
        let is_there = (0..N_TRIES).any(|_| {
            let is_there = TcpStream::connect(self.place.address).is_ok();
            if !is_there {
                std::thread::sleep(PAUSE);
            }
            is_there
        });
        assert!(is_there, "the peer must listen");
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // Manila's keeper ends the server, and the peer's server ends with its input.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// A folder that no other endpoint has: ports are given out once.
fn own_folder(address: SocketAddr) -> PathBuf {
    let name = format!("manila-bench-{}-{}", std::process::id(), address.port());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn started(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    end_with_us(&mut command);
    command.spawn().expect("the program can be started")
}

/// Nothing that was started may be left when somebody kills the benchmark.
#[cfg(target_os = "linux")]
fn end_with_us(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Signal, set_parent_process_death_signal};
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
}

#[cfg(not(target_os = "linux"))]
fn end_with_us(_: &mut Command) {}

/// The address in `... http://127.0.0.1:7300/mcp ...`.
fn served_address(said: &str) -> Option<SocketAddr> {
    said.split_once("http://")?.1.split_once("/mcp")?.0.parse().ok()
}

/// An address at which nobody listens at the moment.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0");
    listener.and_then(|it| it.local_addr()).expect("some port is free")
}

fn peer_config(address: SocketAddr, server: &[&str]) -> String {
    let (program, arguments) = server.split_first().expect("a server has a program");
    let (host, port) = (address.ip(), address.port());
    // Strings of Rust are strings of TOML, as long as paths are plain.
    format!(
        "[proxy]\nname = \"bench\"\n\n[proxy.listen]\nhost = \"{host}\"\nport = {port}\n\n\
         [[backends]]\nname = \"up\"\ntransport = \"stdio\"\n\
         command = {program:?}\nargs = {arguments:?}\n\n\
         [observability]\naudit = false\nlog_level = \"error\"\n"
    )
}
