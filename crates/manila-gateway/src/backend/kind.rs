//! The kinds of backends: a server that speaks MCP, or a pack, whose answers are observations.

use std::sync::Arc;

use manila::Contract;
use manila_pack::Pack;

use crate::config::Server;

/// What kind of backend it is.
pub(crate) enum Kind {
    /// A server.
    Server,
    /// A pack: programs that a file describes.
    Pack(Arc<Pack>),
}

impl Kind {
    pub(super) fn of(server: &Server) -> Kind {
        match server {
            Server::Command(_) | Server::At(_) => Kind::Server,
            Server::Pack(own) => Kind::Pack(Arc::new(own.pack.clone())),
        }
    }

    /// Whether callers may write our own arguments among those of a tool (M11, M12). A pack is made
    /// for `machine-readable-v1`, and its callers may have learned to ask so.
    pub(super) fn has_own_arguments(&self, contract: Contract) -> bool {
        match self {
            Kind::Server => contract == Contract::MachineReadableV1,
            Kind::Pack(_) => true,
        }
    }

    /// Whether the gateway checks arguments. A pack has its own words for what is wrong with them
    /// (M7, M8).
    pub(super) fn checks_arguments(&self) -> bool {
        matches!(self, Kind::Server)
    }
}
