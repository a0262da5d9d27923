//! Requests for what one server has: to that server, in its own words.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, RawJson};

use super::{Gateway, Servers};
use crate::backend::Backend;
use crate::backend::{Answered, Forwarded, Listed, UNKNOWN_TASK, forward};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::naming;
use crate::protocol::presentation::Placement;

impl Gateway {
    /// Hands a request on, and its answer back.
    pub(crate) async fn forward(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        let servers = self.servers();
        match servers.only() {
            Some(only) if request.method.starts_with("tasks/") => {
                only.about_task(request, caller).await
            }
            Some(only) => forward(only, request, caller).await,
            None => Box::pin(servers.forward(request, caller)).await,
        }
    }
}

impl Servers {
    async fn forward(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if let Some(kind) = Listed::listed_by(&request.method) {
            return self.list(kind, request, caller, Placement::Structured).await;
        }
        let params = request.params.as_ref();
        match request.method.as_str() {
            "prompts/get" => self.by_name(request, request.name.clone(), caller).await,
            "resources/read" => {
                self.by_uri(request, params.and_then(|it| it.get("uri")), caller).await
            }
            "completion/complete" => {
                let about = params.and_then(|params| params.get("ref"));
                let part = |name: &str| about.as_ref().and_then(|about| about.get(name));
                match part("name") {
                    Some(name) => self.by_name(request, Some(name), caller).await,
                    None => self.by_uri(request, part("uri"), caller).await,
                }
            }
            "tasks/list" => self.list_tasks(request, caller).await,
            method if method.starts_with("tasks/") => match self.resolve_task(request) {
                Some((backend, own)) => {
                    backend.about_task(own.as_ref().unwrap_or(request), caller).await
                }
                None => wrong(UNKNOWN_TASK),
            },
            _ => Forwarded::Fault(Fault::new(Code::MethodNotFound)),
        }
    }

    /// Asks the server whose name the name begins with.
    async fn by_name(
        &self,
        request: &Request,
        name: Option<RawJson>,
        caller: &Arc<Caller>,
    ) -> Forwarded {
        let Some((part, public)) = name.as_ref().and_then(|name| Some((name, name.as_text()?)))
        else {
            return wrong("Invalid params: `name` must be a text");
        };
        let owner = self.resolve(&public);
        let own = owner
            .and_then(|(backend, own)| Some((backend, naming::with_text(request, part, own)?)));
        match own {
            Some((backend, own)) => {
                backend.forwarded_with_public_links(forward(backend, &own, caller).await)
            }
            None => wrong("Invalid params: nothing has this name here"),
        }
    }

    /// Asks the server that has the resource. Where that is not known, those who have resources are
    /// asked in turn.
    async fn by_uri(
        &self,
        request: &Request,
        uri: Option<RawJson>,
        caller: &Arc<Caller>,
    ) -> Forwarded {
        let Some((part, public)) = uri.as_ref().and_then(|uri| Some((uri, uri.as_text()?))) else {
            return wrong("Invalid params: `uri` must be a text");
        };
        let mut last = None;
        for (backend, own) in self.resolve_uri(&public) {
            let changed = match &own {
                own if *own == public => None,
                own => naming::with_text(request, part, own),
            };
            let answer = forward(backend, changed.as_ref().unwrap_or(request), caller).await;
            if !is_refused(&answer) {
                return if changed.is_some() { with_uris(answer, backend) } else { answer };
            }
            last = Some(answer);
        }
        last.unwrap_or_else(|| wrong("Invalid params: nothing has this URI here"))
    }
}

/// Whether a server has said no, or could not be asked.
fn is_refused(answer: &Forwarded) -> bool {
    match answer {
        Forwarded::AsItCame(answered) => answered.answer().is_err(),
        Forwarded::Changed(..) => false,
        Forwarded::Fault(_) => true,
    }
}

/// What was read of a resource that has its server's name before its URI. So has all that came with
/// it.
fn with_uris(answer: Forwarded, backend: &Backend) -> Forwarded {
    let Forwarded::AsItCame(Answered { response, era }) = answer else { return answer };
    let Ok(result) = &response.answer else {
        return Forwarded::AsItCame(Answered { response, era });
    };
    let changed = manila::JsonObject::build(|object| {
        for member in result.members() {
            if !member.is("contents") {
                object.token_member(member.key_token(), &member.value());
                continue;
            }
            let all = member.value();
            let contents = all.items().map(|content| match naming::text(&content, "uri") {
                Some(own) => naming::with_member(&content, "uri", &backend.prefixed_uri(&own)),
                None => content,
            });
            object.token_member(member.key_token(), &contents.collect::<Vec<RawJson>>());
        }
    });
    Forwarded::Changed(changed.into(), era)
}

pub(super) fn wrong(message: &str) -> Forwarded {
    Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(message))
}
