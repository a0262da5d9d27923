//! The public names and URIs of a server's items.

use super::Backend;
use super::uris::Uris;
use crate::protocol::naming::SEPARATOR;

impl Backend {
    /// Returns the public name of an item of this server.
    pub(crate) fn public_name(&self, name: &str) -> String {
        match &self.settings().name {
            Some(server) => format!("{server}{SEPARATOR}{name}"),
            None => name.to_owned(),
        }
    }

    /// Returns the public URI of a resource that this server lists.
    pub(crate) fn claim_uri(&self, uri: &str) -> String {
        match &self.settings().name {
            Some(server) => self.uris.claim_uri(server, uri),
            None => uri.to_owned(),
        }
    }

    /// Returns the public URI of a resource that this server only mentions.
    pub(crate) fn mentioned_uri(&self, uri: &str) -> String {
        match &self.settings().name {
            Some(server) => self.uris.mentioned_uri(server, uri),
            None => uri.to_owned(),
        }
    }

    /// Returns a URI that identifies this server's resource, even if another server owns the URI.
    pub(crate) fn prefixed_uri(&self, uri: &str) -> String {
        match &self.settings().name {
            Some(server) => Uris::prefixed_uri(server, uri),
            None => uri.to_owned(),
        }
    }
}
