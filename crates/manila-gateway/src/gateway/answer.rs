//! The answer to each method, independent of the transport.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::response::Response;
use super::{Gateway, handshake, listen};
use crate::protocol::caller::Caller;
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc::{Fault, text_of};
use crate::protocol::method;
use crate::protocol::modern;
use crate::upstream::Unavailable;

/// Answers a request of any method except `initialize`.
pub(crate) async fn answer(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    let era = caller.era();
    if era == Era::Modern && modern::is_removed(&request.method) {
        return Response::Refused(Fault::new(Code::MethodNotFound));
    }
    match (request.method.as_str(), era) {
        ("tools/call", _) => Response::Tool(gateway.call_tool(request, caller).await),
        // Rare methods are boxed: the largest future here determines the size of every request's.
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
        ("server/discover", Era::Modern) => match gateway.handshake_info(era).await {
            Ok(info) => Response::Result(handshake::discover_result(&info)),
            Err(unavailable) => Response::Refused(unavailable_fault(&unavailable)),
        },
        ("subscriptions/listen", Era::Modern) => listen::listen(gateway, request, caller).await,
        ("ping", Era::Legacy(_)) => Response::empty(),
        ("resources/subscribe" | "resources/unsubscribe" | "logging/setLevel", Era::Legacy(_)) => {
            answer_subscription(gateway, request, caller).await
        }
        (method, _) if method::is_disguised_call(method) => {
            Response::Refused(Fault::new(Code::MethodNotFound))
        }
        _ => Response::Forwarded(gateway.forward(request, caller).await),
    }
}

/// Sets the level of a client's log messages, in the gateway or on the servers.
async fn set_level(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Response {
    // The request may go to all servers. A server may know other names, but no long ones.
    const BYTES_MAX: usize = 16 * 1024;
    let level = request.params.as_ref().and_then(|params| params.get("level"));
    let is_level = |it: &RawJson| it.as_text().is_some_and(|name| era::is_level(&name));
    let level = level.filter(is_level);
    let is_short = level.is_some() || request.frame.as_bytes().len() <= BYTES_MAX;
    let is_set = is_short
        && (gateway.uses_modern_era(caller).await || gateway.set_level(request, caller).await);
    match level {
        _ if is_short && !is_set => Response::Forwarded(gateway.forward(request, caller).await),
        Some(level) => {
            caller.client.set_log_level(level);
            Response::empty()
        }
        None => {
            let message = "Invalid params: `level` must be the name of a log level";
            Response::Refused(Fault::new(Code::InvalidToolInput).message(message))
        }
    }
}

/// Answers a request that affects later notifications. The gateway stores which resources are
/// watched: many clients may watch the same one, and a restarted server needs the subscriptions
/// again.
async fn answer_subscription(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
) -> Response {
    let params = request.params.as_ref().map(JsonObject::as_raw);
    match (request.method.as_str(), text_of(params, "uri")) {
        ("resources/subscribe", Some(uri)) => {
            if gateway.notifications.n_watches(&caller.client) >= listen::RESOURCES_MAX {
                let message = format!("At most {} resources may be watched", listen::RESOURCES_MAX);
                return Response::Refused(Fault::new(Code::RateLimited).message(message));
            }
            match gateway.watch(&uri).await {
                Ok(watch) => {
                    gateway.notifications.watch(&caller.client, uri, watch);
                    Response::empty()
                }
                Err(error) => {
                    Response::Error(gateway.settings().redaction.redact_part(error), None)
                }
            }
        }
        ("resources/unsubscribe", Some(uri)) => {
            if let Some(watch) = gateway.notifications.unwatch(&caller.client, &uri) {
                watch.end().await;
            }
            Response::empty()
        }
        ("logging/setLevel", _) => set_level(gateway, request, caller).await,
        _ => Response::Forwarded(gateway.forward(request, caller).await),
    }
}

/// Returns the fault for a request to a server that is unavailable.
pub(crate) fn unavailable_fault(unavailable: &Unavailable) -> Fault {
    let message = format!("The server is not available: {}", unavailable.reason);
    Fault::new(Code::UpstreamUnavailable).message(message)
}
