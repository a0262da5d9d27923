//! Forwards a request for one server's item to that server, with the server's name for the item.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, RawJson};

use super::{Gateway, Servers};
use crate::backend::Backend;
use crate::backend::{Forwarded, ServerResponse, UNKNOWN_TASK, forward};
use crate::protocol::caller::Caller;
use crate::protocol::jsonrpc::Fault;
use crate::protocol::list_kind::ListKind;
use crate::protocol::naming;
use crate::protocol::presentation::Placement;

impl Gateway {
    /// Forwards a request, and returns the response.
    pub(crate) async fn forward(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        let servers = self.servers();
        match servers.only() {
            Some(only) if request.method.starts_with("tasks/") => {
                only.forward_task_request(request, caller).await
            }
            Some(only) => forward(only, request, caller).await,
            None => Box::pin(servers.forward(request, caller)).await,
        }
    }
}

impl Servers {
    async fn forward(&self, request: &Request, caller: &Arc<Caller>) -> Forwarded {
        if let Some(kind) = ListKind::from_method(&request.method) {
            return self.list(kind, request, caller, Placement::Structured).await;
        }
        let params = request.params.as_ref();
        match request.method.as_str() {
            "prompts/get" => self.forward_by_name(request, request.name.clone(), caller).await,
            "resources/read" => {
                self.forward_by_uri(request, params.and_then(|it| it.get("uri")), caller).await
            }
            "completion/complete" => {
                let reference = params.and_then(|params| params.get("ref"));
                let part = |key: &str| reference.as_ref().and_then(|it| it.get(key));
                match part("name") {
                    Some(name) => self.forward_by_name(request, Some(name), caller).await,
                    None => self.forward_by_uri(request, part("uri"), caller).await,
                }
            }
            "tasks/list" => self.list_tasks(request, caller).await,
            method if method.starts_with("tasks/") => match self.resolve_task(request) {
                Some((backend, rewritten)) => {
                    let request = rewritten.as_ref().unwrap_or(request);
                    backend.forward_task_request(request, caller).await
                }
                None => invalid_params(UNKNOWN_TASK),
            },
            _ => Forwarded::Fault(Fault::new(Code::MethodNotFound)),
        }
    }

    /// Forwards a request to the server whose name is the prefix of `name`.
    async fn forward_by_name(
        &self,
        request: &Request,
        name: Option<RawJson>,
        caller: &Arc<Caller>,
    ) -> Forwarded {
        let Some((part, public)) = name.as_ref().and_then(|name| Some((name, name.as_text()?)))
        else {
            return invalid_params("Invalid params: `name` must be a string");
        };
        let owner = self.resolve(&public);
        let rewritten = owner
            .and_then(|(backend, name)| Some((backend, naming::with_text(request, part, name)?)));
        match rewritten {
            Some((backend, rewritten)) => {
                backend.forwarded_with_public_links(forward(backend, &rewritten, caller).await)
            }
            None => invalid_params("Invalid params: no server has an item with this name"),
        }
    }

    /// Forwards a request to the server that has the resource. If that server is unknown, tries all
    /// servers that have resources, one after the other.
    async fn forward_by_uri(
        &self,
        request: &Request,
        uri: Option<RawJson>,
        caller: &Arc<Caller>,
    ) -> Forwarded {
        let Some((part, public)) = uri.as_ref().and_then(|uri| Some((uri, uri.as_text()?))) else {
            return invalid_params("Invalid params: `uri` must be a string");
        };
        let mut last = None;
        for (backend, backend_uri) in self.resolve_uri(&public) {
            let rewritten = match &backend_uri {
                uri if *uri == public => None,
                uri => naming::with_text(request, part, uri),
            };
            let forwarded = forward(backend, rewritten.as_ref().unwrap_or(request), caller).await;
            if !is_refused(&forwarded) {
                return if rewritten.is_some() {
                    with_prefixed_uris(forwarded, backend)
                } else {
                    forwarded
                };
            }
            last = Some(forwarded);
        }
        last.unwrap_or_else(|| {
            invalid_params("Invalid params: no server has a resource with this URI")
        })
    }
}

/// Returns whether a server has responded with an error, or was not available.
fn is_refused(forwarded: &Forwarded) -> bool {
    match forwarded {
        Forwarded::Passthrough(response) => response.answer().is_err(),
        Forwarded::Rewritten(..) => false,
        Forwarded::Fault(_) => true,
    }
}

/// Prefixes the URIs of a resource's contents with the server's name. The client requested the
/// resource with this prefix.
fn with_prefixed_uris(forwarded: Forwarded, backend: &Backend) -> Forwarded {
    let Forwarded::Passthrough(ServerResponse { response, era }) = forwarded else {
        return forwarded;
    };
    let Ok(result) = &response.answer else {
        return Forwarded::Passthrough(ServerResponse { response, era });
    };
    let rewritten = manila::JsonObject::build(|object| {
        for member in result.members() {
            if !member.is("contents") {
                object.token_member(member.key_token(), &member.value());
                continue;
            }
            let all = member.value();
            let contents = all.items().map(|content| match naming::text(&content, "uri") {
                Some(uri) => naming::with_member(&content, "uri", &backend.prefixed_uri(&uri)),
                None => content,
            });
            object.token_member(member.key_token(), &contents.collect::<Vec<RawJson>>());
        }
    });
    Forwarded::Rewritten(rewritten.into(), era)
}

pub(super) fn invalid_params(message: &str) -> Forwarded {
    Forwarded::Fault(Fault::new(Code::InvalidToolInput).message(message))
}
