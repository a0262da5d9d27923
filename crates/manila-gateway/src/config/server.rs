//! A server as the configuration describes it.

use std::sync::Arc;

use manila_pack::{Source, Work};
use manila_process::Command;

use super::address::Address;
use super::settings::Settings;

/// A server, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// It is started, and spoken to through its standard streams.
    Command(Command),
    /// It runs somewhere, and is spoken to over HTTP.
    At(Address),
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
        settings.pack = Some(Arc::new(served.pack));
        Ok(Member::new(name, Server::Command(served.command), settings))
    }
}
