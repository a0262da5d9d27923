//! What each method is answered with, whichever transport carries it.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::response::Response;
use super::{Gateway, hello, listen};
use crate::protocol::caller::Caller;
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::modern;
use crate::upstream::Down;

/// Answers a request of an open conversation.
pub(crate) async fn answer(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    let era = caller.era();
    if era == Era::Modern && modern::is_removed(&request.method) {
        return Response::Refused(Fault::new(Code::MethodNotFound));
    }
    match (request.method.as_str(), era) {
        ("tools/call", _) => Response::Tool(gateway.call_tool(request, caller).await),
        // Boxed because they are rare: the largest of these futures is part of every request.
        ("tasks/result", Era::Legacy(_)) => {
            Response::Tool(Box::pin(gateway.task_result(request, caller)).await)
        }
        ("tasks/get", Era::Modern) => {
            Response::Task(Box::pin(gateway.task_details(request, caller)).await)
        }
        ("tools/list", _) => {
            let placement = gateway.settings().placement.for_era(era);
            Response::Forwarded(gateway.list_tools(request, caller, placement).await)
        }
        ("server/discover", Era::Modern) => match gateway.hello(era).await {
            Ok(hello) => Response::Result(hello::discovered(&hello)),
            Err(down) => Response::Refused(not_available(&down)),
        },
        ("subscriptions/listen", Era::Modern) => listen::listen(gateway, request, caller).await,
        ("ping", Era::Legacy(_)) => Response::empty(),
        ("resources/subscribe" | "resources/unsubscribe" | "logging/setLevel", Era::Legacy(_)) => {
            standing(gateway, request, caller).await
        }
        _ => Response::Forwarded(gateway.forward(request, caller).await),
    }
}

/// A wish that holds for all that comes later. Which resources are watched is kept here: many may
/// watch the same, and a server that is started again must be told.
async fn standing(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    let params = request.params.as_ref().map(JsonObject::as_raw);
    match (request.method.as_str(), text_of(params, "uri")) {
        ("resources/subscribe", Some(uri)) => {
            if gateway.audience.n_watches(&caller.client) >= listen::RESOURCES_MAX {
                let message = format!("at most {} resources may be watched", listen::RESOURCES_MAX);
                return Response::Refused(Fault::new(Code::RateLimited).message(message));
            }
            match gateway.watch(&uri).await {
                Ok(watch) => {
                    gateway.audience.watch(&caller.client, uri, watch);
                    Response::empty()
                }
                Err(error) => Response::Error(gateway.settings().hiding.part(error), None),
            }
        }
        ("resources/unsubscribe", Some(uri)) => {
            if let Some(watch) = gateway.audience.unwatch(&caller.client, &uri) {
                watch.end().await;
            }
            Response::empty()
        }
        ("logging/setLevel", _)
            if gateway.speaks_modern(caller).await || gateway.set_level(request, caller).await =>
        {
            let level = params.and_then(|params| params.get("level"));
            let is_level = |it: &RawJson| it.as_text().is_some_and(|name| era::is_level(&name));
            let Some(level) = level.filter(is_level) else {
                let message = "Invalid params: `level` must be the name of a level";
                return Response::Refused(Fault::new(Code::InvalidToolInput).message(message));
            };
            caller.client.set_log_level(level);
            Response::empty()
        }
        _ => Response::Forwarded(gateway.forward(request, caller).await),
    }
}

/// The refusal where the server cannot be asked.
pub(crate) fn not_available(down: &Down) -> Fault {
    let message = format!("The server is not available: {}", down.reason);
    Fault::new(Code::UpstreamUnavailable).message(message)
}
