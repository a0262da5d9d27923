//! Resource URIs of several servers behind one gateway: which server owns which URI.
//!
//! The first server that lists a URI owns it. Another server's resource with the same URI is
//! presented as `NAME+URI`, which identifies that server. So is a URI that a server mentions but
//! does not own.

use std::collections::HashMap;
use std::sync::Mutex;

/// The number of URIs that are remembered. For any other URI, the gateway tries the servers one
/// after the other.
const URIS_MAX: usize = 100_000;

/// The name of the server that owns each URI.
#[derive(Default)]
pub(crate) struct Uris(Mutex<HashMap<String, String>>);

impl Uris {
    /// Returns the public URI of a resource that this server only mentions. A mention does not make
    /// the server its owner.
    pub(crate) fn mentioned_uri(&self, server: &str, uri: &str) -> String {
        if self.owner(uri).is_some_and(|owner| owner == server) {
            uri.to_owned()
        } else {
            Uris::prefixed_uri(server, uri)
        }
    }

    /// Makes a server the owner of a URI that it lists, unless another server owns it. Returns the
    /// public URI.
    pub(crate) fn claim_uri(&self, server: &str, uri: &str) -> String {
        let Ok(mut owners) = self.0.lock() else { return uri.to_owned() };
        match owners.get(uri) {
            Some(owner) if owner != server => return Uris::prefixed_uri(server, uri),
            None if owners.len() < URIS_MAX => {
                owners.insert(uri.to_owned(), server.to_owned());
            }
            Some(_) | None => {}
        }
        uri.to_owned()
    }

    /// Returns a URI that identifies this server's resource, even if another server owns the URI.
    pub(crate) fn prefixed_uri(server: &str, uri: &str) -> String {
        format!("{server}+{uri}")
    }

    /// Returns the server that owns this URI, if known.
    pub(crate) fn owner(&self, uri: &str) -> Option<String> {
        self.0.lock().ok()?.get(uri).cloned()
    }

    /// Removes the URIs of servers that no longer exist.
    pub(crate) fn keep_only(&self, is_kept: impl Fn(&str) -> bool) {
        if let Ok(mut owners) = self.0.lock() {
            owners.retain(|_, owner| is_kept(owner));
        }
    }
}

#[cfg(test)]
mod tests;
