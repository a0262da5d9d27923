//! State that affects later notifications: watched resources, and the log level.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use super::{Gateway, Servers};
use crate::backend::forward;
use crate::notifications::Watch;
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::{self, Fault};

impl Gateway {
    /// Subscribes to changes of this resource at a server that has it. Fails with the error object
    /// of the last server that refused.
    pub(crate) async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        self.servers().watch(uri).await
    }

    /// Returns whether a server's notification may be meant for another client: several clients
    /// share a server, or there are several servers.
    pub(crate) fn is_shared(&self) -> bool {
        self.notifications.is_shared() || self.servers().only().is_none()
    }

    /// Returns whether the gateway has only one server, and uses the modern era with it for this
    /// caller.
    pub(crate) async fn uses_modern_era(&self, caller: &Caller) -> bool {
        match self.servers().only() {
            Some(only) => only.uses_modern_era(caller).await,
            None => false,
        }
    }

    /// Sends the log level to all servers of the legacy era. Returns `false` if there is only one
    /// server, to which the request is forwarded like any other.
    pub(crate) async fn set_level(&self, request: &Request, caller: &Arc<Caller>) -> bool {
        let servers = self.servers();
        if servers.only().is_some() {
            return false;
        }
        let mut requests = tokio::task::JoinSet::new();
        for backend in servers.all() {
            let has_log_level = backend.upstream.ready_now(None).is_some_and(|ready| {
                ready.era != Era::Modern && ready.capabilities().get("logging").is_some()
            });
            if has_log_level {
                let (backend, request) = (Arc::clone(backend), request.clone());
                let caller = Arc::clone(caller);
                // A server that refuses keeps its log level.
                requests.spawn(async move { drop(forward(&backend, &request, &caller).await) });
            }
        }
        requests.join_all().await;
        true
    }
}

impl Servers {
    async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        let mut last_error = None;
        for (backend, backend_uri) in self.resolve_uri(uri) {
            match backend.watch(&backend_uri).await {
                Ok(watch) => return Ok(watch),
                Err(error) => last_error = Some(error),
            }
        }
        Err(last_error.unwrap_or_else(|| {
            let message = "Invalid params: no server has a resource with this URI";
            let fault = Fault::new(manila::Code::InvalidToolInput).message(message);
            let error: JsonObject = jsonrpc::encode_part(&fault);
            error.into()
        }))
    }
}
