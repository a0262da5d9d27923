//! Lists: what all servers offer, one after the other.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::{Hub, Many, Servers};
use crate::caller::Caller;
use crate::era::Era;
use crate::gateway::Shape;
use crate::handle::{Forwarded, Kind, Placement, Way};
use crate::jsonrpc::Fault;
use crate::upstream::Down;

impl Hub {
    /// Lists tools, as the client sees them.
    pub(crate) async fn list_tools(
        &self,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        match &*self.servers() {
            Servers::One(gateway) => gateway.list_tools(request, caller, placement).await,
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
            Servers::One(gateway) => gateway,
            Servers::Many(many) => match many.owner_of(tool) {
                Some((gateway, _)) => gateway,
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
            Servers::One(gateway) => gateway.tools_shaped(&Way { shape, placement }).await,
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
        let cursor = request.params.as_ref().and_then(|params| params.get("cursor"));
        if cursor.is_some_and(|cursor| cursor.as_bytes() != b"null") {
            let message = "Invalid params: `cursor` is of no list here: lists come in one page";
            return Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(message));
        }
        let way = Way { shape: caller.wishes.shape, placement };
        let items = self.offered(kind, &way).await;
        let result = JsonObject::build(|object| object.member(kind.member(), &items));
        Forwarded::Changed(result.into(), Era::PLAINEST)
    }

    /// What all servers offer. All are asked at once, and none holds up the others for long.
    async fn offered(&self, kind: Kind, way: &Way) -> Vec<RawJson> {
        let mut asked = tokio::task::JoinSet::new();
        for (at, gateway) in self.all.iter().enumerate() {
            let gateway = Arc::clone(gateway);
            asked.spawn(async move { (at, gateway.offered(kind).await, gateway) });
        }
        let mut offers = asked.join_all().await;
        // Of two that have the same, the first one keeps the name, whoever was quicker.
        offers.sort_unstable_by_key(|(at, ..)| *at);
        let mut all = Vec::new();
        for (_, offered, gateway) in &offers {
            all.extend(gateway.offers_shown(kind, offered, way).iter().cloned());
        }
        all
    }
}
