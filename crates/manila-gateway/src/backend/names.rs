//! The names and URIs by which clients know what a server offers.

use super::Backend;
use super::uris::Uris;
use crate::protocol::naming::BETWEEN;

impl Backend {
    /// The name by which clients know something of this server.
    pub(crate) fn public_name(&self, own: &str) -> String {
        match &self.settings().name {
            Some(server) => format!("{server}{BETWEEN}{own}"),
            None => own.to_owned(),
        }
    }

    /// The URI by which clients know a resource of this server.
    pub(crate) fn public_uri(&self, own: &str) -> String {
        match &self.settings().name {
            Some(server) => self.uris.public(server, own),
            None => own.to_owned(),
        }
    }

    /// The same for one that it only mentions.
    pub(crate) fn mentioned_uri(&self, own: &str) -> String {
        match &self.settings().name {
            Some(server) => self.uris.mentioned(server, own),
            None => own.to_owned(),
        }
    }

    /// A URI of this server's that leads to it whoever else has the same.
    pub(crate) fn prefixed_uri(&self, own: &str) -> String {
        match &self.settings().name {
            Some(server) => Uris::prefixed(server, own),
            None => own.to_owned(),
        }
    }
}
