//! The servers behind the gateway, and which of them has a given item.

use std::collections::HashMap;
use std::sync::Arc;

use manila::request_envelope::Request;

use crate::backend::Backend;
use crate::protocol::naming;

/// The servers behind the gateway, in the order of the configuration.
pub(crate) struct Servers {
    all: Vec<Arc<Backend>>,
    by_name: HashMap<String, usize>,
    names: Names,
}

/// How clients name the items of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// There is one server, and clients use its names.
    Unprefixed,
    /// Every name begins with the name of its server.
    Prefixed,
}

impl Servers {
    pub(super) fn new(servers: Vec<(String, Arc<Backend>)>, names: Names) -> Servers {
        let indices = servers.iter().enumerate().map(|(index, (name, _))| (name.clone(), index));
        let by_name = indices.collect();
        let all = servers.into_iter().map(|(_, backend)| backend).collect();
        Servers { all, by_name, names }
    }

    /// Returns all servers.
    pub(crate) fn all(&self) -> &[Arc<Backend>] {
        &self.all
    }

    /// Returns the only server, if names have no prefix: clients see that server and nothing else.
    pub(crate) fn only(&self) -> Option<&Arc<Backend>> {
        self.all.first().filter(|_| self.names == Names::Unprefixed)
    }

    /// Returns the server that has the item with this public name, and the server's name for it.
    pub(crate) fn resolve<'a>(&self, public: &'a str) -> Option<(&Arc<Backend>, &'a str)> {
        if let Some(only) = self.only() {
            return Some((only, public));
        }
        let (server, backend_name) = naming::split(public)?;
        Some((self.find_by_name(server)?, backend_name))
    }

    /// Returns the servers that may have a resource, and their URIs for it.
    pub(crate) fn resolve_uri(&self, public: &str) -> Vec<(&Arc<Backend>, String)> {
        if let Some(only) = self.only() {
            return vec![(only, public.to_owned())];
        }
        if let Some((server, backend_uri)) = public.split_once('+')
            && let Some(backend) = self.find_by_name(server)
        {
            return vec![(backend, backend_uri.to_owned())];
        }
        let owner = self.all.first().and_then(|any| any.uris.owner(public));
        if let Some(backend) = owner.and_then(|owner| self.find_by_name(&owner)) {
            return vec![(backend, public.to_owned())];
        }
        let has_resources = |backend: &&Arc<Backend>| {
            let ready = backend.upstream.ready_now(None);
            ready.is_some_and(|ready| ready.capabilities().get("resources").is_some())
        };
        self.all.iter().filter(has_resources).map(|it| (it, public.to_owned())).collect()
    }

    /// Returns the server that runs the task of a request. Also returns the request with the
    /// server's id of the task, if clients use another one.
    pub(crate) fn resolve_task(
        &self,
        request: &Request,
    ) -> Option<(&Arc<Backend>, Option<Request>)> {
        if let Some(only) = self.only() {
            return Some((only, None));
        }
        let part = request.params.as_ref()?.get("taskId")?;
        let public = part.as_text()?;
        let (backend, backend_id) = self.resolve(&public)?;
        Some((backend, Some(naming::with_text(request, &part, backend_id)?)))
    }

    /// Returns whether a tool with this public name is known and offered.
    pub(crate) fn lists_tool(&self, public: &str) -> bool {
        self.resolve(public).is_some_and(|(backend, name)| backend.lists_tool(name))
    }

    /// Returns the known tool whose name is most similar to this one, if any is.
    pub(crate) fn closest_tool(&self, name: &str) -> Option<String> {
        let known = self.all.iter().flat_map(|backend| {
            let names = backend.tools.names();
            names.into_iter().map(|name| backend.public_name(&name))
        });
        let known: Vec<String> = known.collect();
        manila::closest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }

    fn find_by_name(&self, name: &str) -> Option<&Arc<Backend>> {
        self.all.get(*self.by_name.get(name)?)
    }
}
