//! A server as the configuration describes it.

use manila_pack::{Served, Source, Work};
use manila_process::Command;

use super::address::Address;
use super::settings::Settings;

/// A server, and how it is reached.
#[derive(Debug, Clone)]
pub enum Server {
    /// It is started, and spoken to through its standard streams.
    Command(Command),
    /// It runs somewhere, and is reached at a URL.
    At(Address),
    /// It works for a pack: this program run again, whose answers are observations.
    Pack(Box<Served>),
}

impl PartialEq for Server {
    fn eq(&self, other: &Server) -> bool {
        match (self, other) {
            (Server::Command(one), Server::Command(other)) => one == other,
            (Server::At(one), Server::At(other)) => one == other,
            // The command names the digest of the pack's file.
            (Server::Pack(one), Server::Pack(other)) => one.command == other.command,
            (Server::Command(_) | Server::At(_) | Server::Pack(_), _) => false,
        }
    }
}

impl Eq for Server {}

impl Server {
    /// Whether it works for a pack.
    #[must_use]
    pub fn is_pack(&self) -> bool {
        matches!(self, Server::Pack(_))
    }
}

/// One of several servers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Member {
    /// What its names begin with: letters, digits and `-`.
    pub name: String,
    /// The server.
    pub server: Server,
    /// How it is served.
    pub settings: Settings,
}

impl Member {
    /// A server of this name.
    #[must_use]
    pub fn new(name: impl Into<String>, server: Server, settings: Settings) -> Member {
        Member { name: name.into(), server, settings }
    }

    /// Returns a pack as a server of this name.
    pub fn of_pack(
        source: Source,
        name: &str,
        work: Work,
        mut settings: Settings,
    ) -> std::io::Result<Member> {
        let served = source.served(name, work, settings.frame_bytes_max)?;
        settings.timeout = served.timeout;
        Ok(Member::new(name, Server::Pack(Box::new(served)), settings))
    }
}
