//! `resources/subscribe` and `resources/unsubscribe`: subscriptions of legacy clients.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dispatch::Request;
use super::disposition::{Disposition, HandlerError};
use super::jsonrpc::push;
use super::resources::{self, UriParams};
use super::rpc_error::RpcError;

/// Handles `resources/subscribe`.
pub(super) fn subscribe(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let UriParams { uri } = request.params()?;
    if !resources::is_known(&request.session.server, &uri) {
        return Err(RpcError::resource_not_found(request.era, &uri).into());
    }
    request.session.resource_subscriptions.lock().insert(uri.into_owned());
    push(out, "{}");
    Ok(Disposition::Answer)
}

/// Handles `resources/unsubscribe`, which also succeeds without a subscription.
pub(super) fn unsubscribe(
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Disposition, HandlerError> {
    let UriParams { uri } = request.params()?;
    request.session.resource_subscriptions.lock().remove(&*uri);
    push(out, "{}");
    Ok(Disposition::Answer)
}

/// The resources that a client has subscribed to.
#[derive(Default)]
pub(super) struct ResourceSubscriptions(Mutex<BTreeSet<String>>);

impl ResourceSubscriptions {
    /// Returns whether a subscription covers the resource `uri`.
    pub(super) fn contains(&self, uri: &str) -> bool {
        self.lock().iter().any(|watched| is_part_of(uri, watched))
    }

    /// Returns the URIs of all subscriptions.
    pub(super) fn uris(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a resource is `parent` or below it: a subscription to a resource covers its
/// parts.
pub(super) fn is_part_of(uri: &str, parent: &str) -> bool {
    uri.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
