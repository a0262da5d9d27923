//! Wishes that hold for all that comes later: resources that are watched, and how much of a log is heard.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{JsonObject, RawJson};

use super::{Hub, Many, Servers};
use crate::caller::Caller;
use crate::era::Era;
use crate::handle::{Watch, forward};
use crate::jsonrpc::{self, Fault};

impl Hub {
    /// Asks whoever has this resource to tell when it changes. An error is what is said against it.
    pub(crate) async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        match &*self.servers() {
            Servers::One(gateway) => gateway.watch(uri).await,
            Servers::Many(many) => many.watch(uri).await,
        }
    }

    /// Whether what a server says may concern nobody here: many clients share a server, or there are
    /// many servers.
    pub(crate) fn is_shared(&self) -> bool {
        self.audience.is_shared() || matches!(&*self.servers(), Servers::Many(_))
    }

    /// Whether all are asked in the modern era for this caller.
    pub(crate) async fn speaks_modern(&self, caller: &Caller) -> bool {
        match &*self.servers() {
            Servers::One(gateway) => gateway.speaks_modern(caller).await,
            Servers::Many(_) => false,
        }
    }

    /// Tells all servers of the legacy era how much of their logs is to be heard. `false` if there
    /// is only one server, which is told as everything else is.
    pub(crate) async fn set_level(&self, request: &Request, caller: &Arc<Caller>) -> bool {
        let servers = self.servers();
        let Servers::Many(many) = &*servers else { return false };
        let mut asked = tokio::task::JoinSet::new();
        for gateway in &many.all {
            let is_asked = gateway.upstream.ready_now(None).is_some_and(|ready| {
                ready.era != Era::Modern && ready.capabilities().get("logging").is_some()
            });
            if is_asked {
                let (gateway, request) = (Arc::clone(gateway), request.clone());
                let caller = Arc::clone(caller);
                // One that does not want to hear it goes on as before.
                asked.spawn(async move { drop(forward(&gateway, &request, &caller).await) });
            }
        }
        asked.join_all().await;
        true
    }
}

impl Many {
    async fn watch(&self, uri: &str) -> Result<Watch, RawJson> {
        let mut refused = None;
        for (gateway, own) in self.owners_of_uri(uri) {
            match gateway.watch(&own).await {
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
