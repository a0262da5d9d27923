//! Lists: what all servers offer, one after the other.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::{Gateway, Servers};
use crate::backend::{Forwarded, Listed, Way};
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::Shape;
use crate::upstream::Down;

impl Gateway {
    /// Lists tools, as the client sees them.
    pub(crate) async fn list_tools(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        let servers = self.servers();
        match servers.only() {
            Some(only) => only.list_tools(request, caller, placement).await,
            None => servers.list(Listed::Tools, request, caller, placement).await,
        }
    }

    /// All tools, as they are listed to clients.
    pub async fn tools(&self, placement: Placement) -> Result<Vec<RawJson>, String> {
        self.tools_shaped(None, placement).await
    }

    /// The tools of the server that has the tool of this name, if there is such a server; only that
    /// one is asked, and started if need be.
    pub async fn tools_beside(
        &self,
        tool: &str,
        placement: Placement,
    ) -> Result<Option<Vec<RawJson>>, Down> {
        let Some((owner, _)) = self.resolve(tool) else { return Ok(None) };
        owner.greet().await?;
        let offered = owner.offered(Listed::Tools).await;
        let way = Way { shape: None, placement };
        Ok(Some(owner.offers_shown(Listed::Tools, &offered, &way).to_vec()))
    }

    /// As `tools`, for somebody who wants results of this shape.
    pub(crate) async fn tools_shaped(
        &self,
        shape: Option<Shape>,
        placement: Placement,
    ) -> Result<Vec<RawJson>, String> {
        let (servers, way) = (self.servers(), Way { shape, placement });
        match servers.only() {
            Some(only) => only.tools_shaped(&way).await,
            None => Ok(servers.offered(Listed::Tools, &way).await),
        }
    }
}

impl Servers {
    /// The answer to a request that lists something.
    pub(super) async fn list(
        &self,
        kind: Listed,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        if let Some(wrong) = wrong_cursor(request) {
            return wrong;
        }
        let way = Way { shape: caller.preferences.shape, placement };
        let items = self.offered(kind, &way).await;
        let result = JsonObject::build(|object| object.member(kind.member(), &items));
        Forwarded::Changed(result.into(), Era::PLAINEST)
    }

    /// The tasks that a client has made, of all servers. Those that it has made none of are not
    /// asked.
    pub(super) async fn list_tasks(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if let Some(wrong) = wrong_cursor(request) {
            return wrong;
        }
        let mut asked = tokio::task::JoinSet::new();
        for (at, backend) in self.all().iter().enumerate() {
            if backend.tasks.has_any_of(&caller.client) {
                let (backend, caller) = (Arc::clone(backend), Arc::clone(caller));
                asked.spawn(async move { (at, backend.tasks_of(&caller.client).await) });
            }
        }
        let mut tasks = asked.join_all().await;
        tasks.sort_unstable_by_key(|(at, _)| *at);
        let tasks: Vec<RawJson> = tasks.into_iter().flat_map(|(_, tasks)| tasks).collect();
        let result = JsonObject::build(|object| object.member("tasks", &tasks));
        Forwarded::Changed(result.into(), Era::PLAINEST)
    }

    /// What all servers offer. All are asked at once, and none holds up the others for long.
    async fn offered(&self, kind: Listed, way: &Way) -> Vec<RawJson> {
        let mut asked = tokio::task::JoinSet::new();
        for (at, backend) in self.all().iter().enumerate() {
            let backend = Arc::clone(backend);
            asked.spawn(async move { (at, backend.offered(kind).await, backend) });
        }
        let mut offers = asked.join_all().await;
        // Of two that have the same, the first one keeps the name, whoever was quicker.
        offers.sort_unstable_by_key(|(at, ..)| *at);
        let mut all = Vec::new();
        for (_, offered, backend) in &offers {
            all.extend(backend.offers_shown(kind, offered, way).iter().cloned());
        }
        all
    }
}

/// What is said against a cursor, which we never give out.
fn wrong_cursor(request: &Request) -> Option<Forwarded> {
    let cursor = request.params.as_ref().and_then(|params| params.get("cursor"));
    cursor.filter(|cursor| cursor.as_bytes() != b"null")?;
    let message = "Invalid params: `cursor` is of no list here: lists come in one page";
    Some(Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(message)))
}
