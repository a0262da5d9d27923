//! `resources/subscribe` and `resources/unsubscribe`: how a legacy client hears of changes.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::answer::push;
use super::conduct::{Conduct, Stop};
use super::dispatch::Request;
use super::resources::{self, UriParams};
use super::rpc_error::RpcError;

/// `resources/subscribe`.
pub(super) fn subscribe(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let UriParams { uri } = request.params()?;
    if !resources::is_there(&request.session.server, &uri) {
        return Err(RpcError::resource_not_found(request.era, &uri).into());
    }
    request.session.subscribed.uris_now().insert(uri.into_owned());
    push(out, "{}");
    Ok(Conduct::Answer)
}

/// `resources/unsubscribe`; what was not subscribed to is not missed.
pub(super) fn unsubscribe(request: &Request<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    let UriParams { uri } = request.params()?;
    request.session.subscribed.uris_now().remove(&*uri);
    push(out, "{}");
    Ok(Conduct::Answer)
}

/// The resources that a client wants to hear of.
#[derive(Default)]
pub(super) struct Subscribed(Mutex<BTreeSet<String>>);

impl Subscribed {
    /// Whether it wants to hear that the resource `uri` has changed.
    pub(super) fn wants(&self, uri: &str) -> bool {
        self.uris_now().iter().any(|watched| is_part_of(uri, watched))
    }

    /// All of them.
    pub(super) fn uris(&self) -> Vec<String> {
        self.uris_now().iter().cloned().collect()
    }

    fn uris_now(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a resource is `whole` itself or below it: who wants to hear of the whole hears of its
/// parts.
pub(super) fn is_part_of(uri: &str, whole: &str) -> bool {
    uri.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
