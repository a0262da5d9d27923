//! Resources of several servers behind one door: whose a URI is.
//!
//! Whoever lists a URI first has it. Another server's resource of the same URI is shown as
//! `NAME+URI`, which is a URI, too, and leads to the right one.

use std::collections::HashMap;
use std::sync::Mutex;

/// So many URIs are remembered; who owns others is found out by asking.
const URIS_MAX: usize = 100_000;

/// Which server has which URI, by the servers' names.
#[derive(Default)]
pub(crate) struct Uris(Mutex<HashMap<String, String>>);

impl Uris {
    /// The URI by which clients know a resource that this server only mentions. What it does not
    /// list does not become its own by that.
    pub(crate) fn mentioned(&self, server: &str, uri: &str) -> String {
        if self.owner(uri).is_some_and(|owner| owner == server) {
            uri.to_owned()
        } else {
            Uris::prefixed(server, uri)
        }
    }

    /// The URI by which clients know a resource that this server lists.
    pub(crate) fn public(&self, server: &str, uri: &str) -> String {
        let Ok(mut owners) = self.0.lock() else { return uri.to_owned() };
        match owners.get(uri) {
            Some(owner) if owner != server => return Uris::prefixed(server, uri),
            None if owners.len() < URIS_MAX => {
                owners.insert(uri.to_owned(), server.to_owned());
            }
            Some(_) | None => {}
        }
        uri.to_owned()
    }

    /// A resource of this server, whoever else has the same.
    pub(crate) fn prefixed(server: &str, uri: &str) -> String {
        format!("{server}+{uri}")
    }

    /// The server that has this URI, if that is known.
    pub(crate) fn owner(&self, uri: &str) -> Option<String> {
        self.0.lock().ok()?.get(uri).cloned()
    }

    /// Forgets what servers had that are no longer there.
    pub(crate) fn keep_only(&self, is_there: impl Fn(&str) -> bool) {
        if let Ok(mut owners) = self.0.lock() {
            owners.retain(|_, owner| is_there(owner));
        }
    }
}

#[cfg(test)]
mod tests;
