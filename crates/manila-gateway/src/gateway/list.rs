//! Lists: what all servers offer, one after the other.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::{Gateway, Many, Servers};
use crate::backend::{Forwarded, Kind, Way};
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
        match &*self.servers() {
            Servers::One(backend) => backend.list_tools(request, caller, placement).await,
            Servers::Many(many) => many.list(Kind::Tools, request, caller, placement).await,
        }
    }

    /// All tools, as they are listed to clients.
    pub async fn tools(&self, placement: Placement) -> Result<Vec<RawJson>, String> {
        self.tools_shaped(None, placement).await
    }

    /// The tools of the server that has the tool of this name, if there is such a server; only that one
    /// is asked, and started if need be.
    pub async fn tools_beside(
        &self,
        tool: &str,
        placement: Placement,
    ) -> Result<Option<Vec<RawJson>>, Down> {
        let servers = self.servers();
        let owner = match &*servers {
            Servers::One(backend) => backend,
            Servers::Many(many) => match many.owner_of(tool) {
                Some((backend, _)) => backend,
                None => return Ok(None),
            },
        };
        owner.greet().await?;
        let offered = owner.offered(Kind::Tools).await;
        let way = Way { shape: None, placement };
        Ok(Some(owner.offers_shown(Kind::Tools, &offered, &way).to_vec()))
    }

    /// As `tools`, for somebody who wants results of this shape.
    pub(crate) async fn tools_shaped(
        &self,
        shape: Option<Shape>,
        placement: Placement,
    ) -> Result<Vec<RawJson>, String> {
        match &*self.servers() {
            Servers::One(backend) => backend.tools_shaped(&Way { shape, placement }).await,
            Servers::Many(many) => Ok(many.offered(Kind::Tools, &Way { shape, placement }).await),
        }
    }
}

impl Many {
    /// The answer to a request that lists something.
    pub(super) async fn list(
        &self,
        kind: Kind,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        if let Some(wrong) = wrong_cursor(request) {
            return wrong;
        }
        let way = Way { shape: caller.wishes.shape, placement };
        let items = self.offered(kind, &way).await;
        let result = JsonObject::build(|object| object.member(kind.member(), &items));
        Forwarded::Changed(result.into(), Era::PLAINEST)
    }

    /// The tasks that a client has made, of all servers. Those that it has made none of are not asked.
    pub(super) async fn list_tasks(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if let Some(wrong) = wrong_cursor(request) {
            return wrong;
        }
        let mut asked = tokio::task::JoinSet::new();
        for (at, backend) in self.all.iter().enumerate() {
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
    async fn offered(&self, kind: Kind, way: &Way) -> Vec<RawJson> {
        let mut asked = tokio::task::JoinSet::new();
        for (at, backend) in self.all.iter().enumerate() {
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
