//! The kinds of backends: an MCP server, or a pack, which answers with observations.

use std::sync::Arc;

use manila::Contract;
use manila_pack::Pack;

use crate::config::Server;
use crate::protocol::presentation::ResultFormat;

/// The kind of a backend.
pub(crate) enum Kind {
    /// An MCP server.
    Server,
    /// A pack: programs that a file describes.
    Pack(Arc<Pack>),
}

impl Kind {
    pub(super) fn of(server: &Server) -> Kind {
        match server {
            Server::Command(_) | Server::Remote(_) => Kind::Server,
            Server::Pack(server) => Kind::Pack(Arc::new(server.pack.clone())),
        }
    }

    /// Returns whether callers may pass the gateway's own arguments among those of a tool (M11,
    /// M12). Packs always accept them: they are made for `machine-readable-v1`.
    pub(super) fn accepts_gateway_arguments(&self, format: ResultFormat) -> bool {
        match (self, format) {
            (_, ResultFormat::Passthrough) => false,
            (Kind::Server, ResultFormat::Contract(contract)) => {
                contract == Contract::MachineReadableV1
            }
            (Kind::Pack(_), ResultFormat::Contract(_)) => true,
        }
    }

    /// Returns whether the gateway checks arguments. A pack checks them itself and has its own
    /// messages (M7, M8).
    pub(super) fn checks_arguments(&self) -> bool {
        matches!(self, Kind::Server)
    }
}
