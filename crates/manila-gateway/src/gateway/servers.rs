//! The servers behind the gateway: which of them has what clients name.

use std::collections::HashMap;
use std::sync::Arc;

use manila::request_envelope::Request;

use crate::backend::Backend;
use crate::protocol::naming;

/// The servers behind the gateway, in the order in which they are listed.
pub(crate) struct Servers {
    all: Vec<Arc<Backend>>,
    by_name: HashMap<String, usize>,
    names: Names,
}

/// How clients name what servers have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    /// There is one server, and its names are its own.
    Own,
    /// Every name begins with that of its server.
    Prefixed,
}

impl Servers {
    pub(super) fn new(servers: Vec<(String, Arc<Backend>)>, names: Names) -> Servers {
        let places = servers.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
        let by_name = places.collect();
        let all = servers.into_iter().map(|(_, backend)| backend).collect();
        Servers { all, by_name, names }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Arc<Backend>] {
        &self.all
    }

    /// The only server, if its names are its own: clients see that server and nothing else.
    pub(crate) fn only(&self) -> Option<&Arc<Backend>> {
        self.all.first().filter(|_| self.names == Names::Own)
    }

    /// The server that has what clients call `public`, and its own name for it.
    pub(crate) fn resolve<'a>(&self, public: &'a str) -> Option<(&Arc<Backend>, &'a str)> {
        if let Some(only) = self.only() {
            return Some((only, public));
        }
        let (server, own) = naming::split(public)?;
        Some((self.named(server)?, own))
    }

    /// The servers that may have a resource, and their own URIs for it.
    pub(crate) fn resolve_uri(&self, public: &str) -> Vec<(&Arc<Backend>, String)> {
        if let Some(only) = self.only() {
            return vec![(only, public.to_owned())];
        }
        if let Some((server, own)) = public.split_once('+')
            && let Some(backend) = self.named(server)
        {
            return vec![(backend, own.to_owned())];
        }
        let owner = self.all.first().and_then(|any| any.uris.owner(public));
        if let Some(backend) = owner.and_then(|owner| self.named(&owner)) {
            return vec![(backend, public.to_owned())];
        }
        let has_resources = |backend: &&Arc<Backend>| {
            let ready = backend.upstream.ready_now(None);
            ready.is_some_and(|ready| ready.capabilities().get("resources").is_some())
        };
        self.all.iter().filter(has_resources).map(|it| (it, public.to_owned())).collect()
    }

    /// The server that works on the task of a request; and the request with its own id for it,
    /// where clients know another.
    pub(crate) fn resolve_task(
        &self,
        request: &Request,
    ) -> Option<(&Arc<Backend>, Option<Request>)> {
        if let Some(only) = self.only() {
            return Some((only, None));
        }
        let part = request.params.as_ref()?.get("taskId")?;
        let public = part.as_text()?;
        let (backend, own) = self.resolve(&public)?;
        Some((backend, Some(naming::with_text(request, &part, own)?)))
    }

    /// The known tool whose name is most like this one, if any is.
    pub(crate) fn closest_tool(&self, name: &str) -> Option<String> {
        let known = self.all.iter().flat_map(|backend| {
            let names = backend.tools.names();
            names.into_iter().map(|own| backend.public_name(&own))
        });
        let known: Vec<String> = known.collect();
        manila::closest(name, known.iter().map(String::as_str)).map(str::to_owned)
    }

    fn named(&self, name: &str) -> Option<&Arc<Backend>> {
        self.all.get(*self.by_name.get(name)?)
    }
}
