//! Gateways that serve a stdio server over HTTP: `manila wrap`, `manila serve` and the peer.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::clients::HttpTarget;
use crate::usage::Usage;

/// A running gateway and its server. Both are killed when this is dropped or when the benchmark is
/// killed.
pub struct Endpoint {
    child: Child,
    target: HttpTarget,
    /// The folder of its configuration and output, if it has one.
    folder: Option<PathBuf>,
}

impl Endpoint {
    /// Starts `manila wrap` with default options.
    ///
    /// # Panics
    /// If the program cannot be started.
    #[must_use]
    pub fn manila(manila: &Path, server: &[&str]) -> Endpoint {
        let mut command = Command::new(manila);
        command.args(["wrap", "--http", "127.0.0.1:0", "--"]).args(server);
        Endpoint::start_gateway(command, None)
    }

    /// Starts `manila serve` with one server and a journal.
    ///
    /// # Panics
    /// If the program cannot be started.
    #[must_use]
    pub fn serve_one(manila: &Path, server: &[&str]) -> Endpoint {
        Endpoint::serve(manila, &format!("[upstream.one]\ncommand = {server:?}\n"))
    }

    /// Starts `manila serve` with these tables of servers and a journal.
    ///
    /// # Panics
    /// If the program cannot be started.
    #[must_use]
    pub fn serve(manila: &Path, servers: &str) -> Endpoint {
        let folder = unique_folder(free_address());
        let config = folder.join("manila.toml");
        let journal = folder.join("runs");
        let text = format!(
            "{servers}[journal]\nfolder = \"{}\"\nfile_bytes_max = \"8MiB\"\n",
            journal.display()
        );
        std::fs::write(&config, text).expect("a file can be written");
        let mut command = Command::new(manila);
        command.args(["serve", "--http", "127.0.0.1:0", "--config"]).arg(&config);
        Endpoint::start_gateway(command, Some(folder))
    }

    /// Starts a gateway that prints its address to stderr.
    fn start_gateway(mut command: Command, folder: Option<PathBuf>) -> Endpoint {
        command.stderr(Stdio::piped());
        let mut child = spawn(command);
        let stderr = child.stderr.take().expect("its standard error is piped");
        let mut stderr = BufReader::new(stderr);
        let mut line = String::new();
        let address = loop {
            line.clear();
            let n_read = stderr.read_line(&mut line).unwrap_or(0);
            assert!(n_read > 0, "manila must print its address");
            if let Some(address) = served_address(&line) {
                break address;
            }
        };
        // The rest of stderr must be read, because the program would block.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Endpoint { child, target: HttpTarget { address, path: "/mcp" }, folder }
    }

    /// Starts the peer with one server and all optional features disabled.
    ///
    /// # Panics
    /// If the program cannot be started.
    #[must_use]
    pub fn peer(peer: &Path, server: &[&str]) -> Endpoint {
        let address = free_address();
        let folder = unique_folder(address);
        let config = folder.join("peer.toml");
        std::fs::write(&config, peer_config(address, server)).expect("a file can be written");
        let mut command = Command::new(peer);
        command.arg("--config").arg(&config).stderr(Stdio::null());
        let child = spawn(command);
        let endpoint =
            Endpoint { child, target: HttpTarget { address, path: "/" }, folder: Some(folder) };
        endpoint.wait_until_listening();
        endpoint
    }

    /// Returns the address of the endpoint.
    #[must_use]
    pub fn target(&self) -> HttpTarget {
        self.target
    }

    /// Returns the resource usage of the gateway's process, without its server.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage::of(self.child.id())
    }

    /// Waits until the peer listens. It prints no message when it is ready.
    fn wait_until_listening(&self) {
        const N_TRIES: usize = 600;
        const PAUSE: Duration = Duration::from_millis(50);
        let is_listening = (0..N_TRIES).any(|_| {
            let is_listening = TcpStream::connect(self.target.address).is_ok();
            if !is_listening {
                std::thread::sleep(PAUSE);
            }
            is_listening
        });
        assert!(is_listening, "the peer must listen");
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // Manila's keeper kills the server; the peer's server exits when its stdin closes.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Creates a folder for an endpoint. Its name is unique, because each port is assigned once.
fn unique_folder(address: SocketAddr) -> PathBuf {
    let name = format!("manila-bench-{}-{}", std::process::id(), address.port());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be created");
    folder
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    kill_with_parent(&mut command);
    command.spawn().expect("the program can be started")
}

/// Kills the child process when the benchmark is killed.
#[cfg(target_os = "linux")]
fn kill_with_parent(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Signal, set_parent_process_death_signal};
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
}

#[cfg(not(target_os = "linux"))]
fn kill_with_parent(_: &mut Command) {}

/// Parses the address in `... http://127.0.0.1:7300/mcp ...`.
fn served_address(line: &str) -> Option<SocketAddr> {
    line.split_once("http://")?.1.split_once("/mcp")?.0.parse().ok()
}

/// Returns a free local address.
fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0");
    listener.and_then(|it| it.local_addr()).expect("some port is free")
}

fn peer_config(address: SocketAddr, server: &[&str]) -> String {
    let (program, arguments) = server.split_first().expect("a server has a program");
    let (host, port) = (address.ip(), address.port());
    // Rust's debug format of a string is valid TOML if the path has no special characters.
    format!(
        "[proxy]\nname = \"bench\"\n\n[proxy.listen]\nhost = \"{host}\"\nport = {port}\n\n\
         [[backends]]\nname = \"up\"\ntransport = \"stdio\"\n\
         command = {program:?}\nargs = {arguments:?}\n\n\
         [observability]\naudit = false\nlog_level = \"error\"\n"
    )
}
