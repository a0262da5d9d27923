//! The configuration of one server.

use manila_pack::{LoadedPack, PackServer, PackSettings};
use manila_process::Command;

use super::address::Address;
use super::settings::Settings;

/// A server, by how the gateway connects to it.
#[derive(Debug, Clone)]
pub enum Server {
    /// A program that the gateway starts and connects to through its standard streams.
    Command(Command),
    /// A running server with a URL.
    Remote(Address),
    /// A pack: another process of this program, whose results are observations.
    Pack(Box<PackServer>),
}

impl PartialEq for Server {
    fn eq(&self, other: &Server) -> bool {
        match (self, other) {
            (Server::Command(one), Server::Command(other)) => one == other,
            (Server::Remote(one), Server::Remote(other)) => one == other,
            // The command contains the digest of the pack's file.
            (Server::Pack(one), Server::Pack(other)) => one.command == other.command,
            (Server::Command(_) | Server::Remote(_) | Server::Pack(_), _) => false,
        }
    }
}

impl Eq for Server {}

impl Server {
    /// Returns whether the server is a pack.
    #[must_use]
    pub fn is_pack(&self) -> bool {
        matches!(self, Server::Pack(_))
    }
}

/// A named server with its settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedServer {
    /// The prefix of its tools' names: letters, digits and `-`.
    pub name: String,
    /// The server.
    pub server: Server,
    /// The settings for this server.
    pub settings: Settings,
}

impl NamedServer {
    /// Creates a server with this name.
    #[must_use]
    pub fn new(name: impl Into<String>, server: Server, settings: Settings) -> NamedServer {
        NamedServer { name: name.into(), server, settings }
    }

    /// Creates a server with this name from a pack.
    pub fn of_pack(
        source: LoadedPack,
        name: &str,
        pack_settings: PackSettings,
        mut settings: Settings,
    ) -> std::io::Result<NamedServer> {
        let server = source.into_server(name, pack_settings, settings.message_bytes_max)?;
        settings.timeout = server.timeout;
        Ok(NamedServer::new(name, Server::Pack(Box::new(server)), settings))
    }
}
