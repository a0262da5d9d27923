//! Lists the items of all servers, in the order of the servers.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::{Gateway, Servers};
use crate::backend::{Backend, Forwarded, ItemsOnDemand, ToolPresentation};
use crate::protocol::caller::Caller;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::list_kind::ListKind;
use crate::protocol::presentation::Placement;
use crate::protocol::presentation::ResultFormat;
use crate::rt::offload::{Offloadable, Work, leave_reactor};
use crate::upstream::Unavailable;

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
            None => servers.list(ListKind::Tools, request, caller, placement).await,
        }
    }

    /// Returns all tools, as clients see them.
    pub async fn tools(&self, placement: Placement) -> Result<Vec<RawJson>, String> {
        self.tools_in_format(None, placement).await
    }

    /// Returns the tools of the server that has the tool of this name, or `None` if there is no
    /// such server. Only that server gets a request, and it is started if necessary.
    pub async fn tools_of_same_server(
        &self,
        tool: &str,
        placement: Placement,
    ) -> Result<Option<Vec<RawJson>>, Unavailable> {
        let Some((owner, _)) = self.resolve(tool) else { return Ok(None) };
        owner.perform_handshake().await?;
        let items = owner.list_items(ListKind::Tools).await;
        let presentation = ToolPresentation { format: None, placement };
        let mut tools = Vec::new();
        owner.each_presented(ListKind::Tools, &items, &presentation, |it| tools.push(it.clone()));
        Ok(Some(tools))
    }

    /// Like `tools`, for a caller that gets results in this format.
    pub(crate) async fn tools_in_format(
        &self,
        format: Option<ResultFormat>,
        placement: Placement,
    ) -> Result<Vec<RawJson>, String> {
        let (servers, presentation) = (self.servers(), ToolPresentation { format, placement });
        if let Some(only) = servers.only() {
            return only.tools_in_format(&presentation).await;
        }
        let lists = servers.fetch_lists(ListKind::Tools).await;
        leave_reactor(lists.work(&presentation)).await;
        let mut all = Vec::new();
        lists.each_presented(&presentation, |item| all.push(item.clone()));
        Ok(all)
    }
}

impl Servers {
    /// Answers a list request.
    pub(super) async fn list(
        &self,
        kind: ListKind,
        request: &Request,
        caller: &Arc<Caller>,
        placement: Placement,
    ) -> Forwarded {
        if let Some(refusal) = refuse_cursor(request) {
            return refusal;
        }
        let presentation = ToolPresentation { format: caller.preferences.format, placement };
        let lists = self.fetch_lists(kind).await;
        leave_reactor(lists.work(&presentation)).await;
        let items = ItemsOnDemand(|take: &mut dyn FnMut(&RawJson)| {
            lists.each_presented(&presentation, take);
        });
        let result = JsonObject::build(|object| object.member(kind.member(), &items));
        Forwarded::Rewritten(result.into(), Era::FALLBACK)
    }

    /// Lists the tasks that a client has created on any server. Servers on which it has created
    /// none get no request.
    pub(super) async fn list_tasks(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if let Some(refusal) = refuse_cursor(request) {
            return refusal;
        }
        let mut requests = tokio::task::JoinSet::new();
        for (index, backend) in self.all().iter().enumerate() {
            if backend.tasks.has_task_of(&caller.client) {
                let (backend, caller) = (Arc::clone(backend), Arc::clone(caller));
                let tasks = async move { (index, backend.tasks_of(&caller.client).await) };
                requests.spawn(Offloadable::new(tasks));
            }
        }
        let mut tasks = requests.join_all().await;
        tasks.sort_unstable_by_key(|(index, _)| *index);
        let tasks: Vec<RawJson> = tasks.into_iter().flat_map(|(_, tasks)| tasks).collect();
        let result = JsonObject::build(|object| object.member("tasks", &tasks));
        Forwarded::Rewritten(result.into(), Era::FALLBACK)
    }

    /// Returns the lists of all servers. The requests run concurrently, and no server delays the
    /// others for long.
    async fn fetch_lists(&self, kind: ListKind) -> Lists {
        let mut requests = tokio::task::JoinSet::new();
        for (index, backend) in self.all().iter().enumerate() {
            let backend = Arc::clone(backend);
            let items = async move { (index, backend.list_items(kind).await, backend) };
            requests.spawn(Offloadable::new(items));
        }
        let mut lists = requests.join_all().await;
        // If two servers list the same resource, the first one owns its URI, even if it was slower.
        lists.sort_unstable_by_key(|(index, ..)| *index);
        let lists = lists.into_iter().map(|(_, items, backend)| (items, backend)).collect();
        Lists { kind, lists }
    }
}

/// The lists of all servers, as the servers sent them.
struct Lists {
    kind: ListKind,
    lists: Vec<(Arc<Vec<RawJson>>, Arc<Backend>)>,
}

impl Lists {
    /// Returns the work of writing the lists. New tools have schemas to compile.
    fn work(&self, presentation: &ToolPresentation) -> Work {
        let n_bytes = self.lists.iter().try_fold(0, |n_bytes, (items, backend)| {
            let list = backend.list_cache.get_presented(self.kind, presentation, items)?;
            Some(n_bytes + list.iter().map(|item| item.as_bytes().len()).sum::<usize>())
        });
        // How many tools are new is not known.
        n_bytes.map_or(Work::Compile(usize::MAX), Work::Process)
    }

    /// Passes each item to `take`, as clients see it.
    fn each_presented(&self, presentation: &ToolPresentation, mut take: impl FnMut(&RawJson)) {
        for (items, backend) in &self.lists {
            backend.each_presented(self.kind, items, presentation, &mut take);
        }
    }
}

/// Refuses a request with a cursor, because the gateway returns none.
fn refuse_cursor(request: &Request) -> Option<Forwarded> {
    let cursor = request.params.as_ref().and_then(|params| params.get("cursor"));
    cursor.filter(|cursor| cursor.as_bytes() != b"null")?;
    let message = "Invalid params: `cursor` is unknown: every list has only one page";
    Some(Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(message)))
}
