//! Wishes that hold for all that comes later: resources that are watched, and how much of a log is
//! heard.

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
    /// Asks whoever has this resource to tell when it changes. An error is what is said against it.
    pub(crate) async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        self.servers().watch(uri).await
    }

    /// Whether what a server says may concern nobody here: many clients share a server, or there
    /// are many servers.
    pub(crate) fn is_shared(&self) -> bool {
        self.audience.is_shared() || self.servers().only().is_none()
    }

    /// Whether all are asked in the modern era for this caller.
    pub(crate) async fn speaks_modern(&self, caller: &Caller) -> bool {
        match self.servers().only() {
            Some(only) => only.speaks_modern(caller).await,
            None => false,
        }
    }

    /// Tells all servers of the legacy era how much of their logs is to be heard. `false` if there
    /// is only one server, which is told as everything else is.
    pub(crate) async fn set_level(&self, request: &Request, caller: &Arc<Caller>) -> bool {
        let servers = self.servers();
        if servers.only().is_some() {
            return false;
        }
        let mut asked = tokio::task::JoinSet::new();
        for backend in servers.all() {
            let is_asked = backend.upstream.ready_now(None).is_some_and(|ready| {
                ready.era != Era::Modern && ready.capabilities().get("logging").is_some()
            });
            if is_asked {
                let (backend, request) = (Arc::clone(backend), request.clone());
                let caller = Arc::clone(caller);
                // One that does not want to hear it goes on as before.
                asked.spawn(async move { drop(forward(&backend, &request, &caller).await) });
            }
        }
        asked.join_all().await;
        true
    }
}

impl Servers {
    async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        let mut refused = None;
        for (backend, own) in self.resolve_uri(uri) {
            match backend.watch(&own).await {
                Ok(watch) => return Ok(watch),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.unwrap_or_else(|| {
            let message = "Invalid params: nothing has this URI here";
            let fault = Fault::new(manila::Code::InvalidToolInput).message(message);
            let written: JsonObject = jsonrpc::written(&fault);
            written.into()
        }))
    }
}
