//! What a request of an open conversation is answered with, whatever carries it.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::encode::{self, Voice, Written};
use super::{hello, listen, modern};
use crate::caller::Caller;
use crate::era::{self, Era};
use crate::gateway::Gateway;
use crate::handle::{Placement, forward};
use crate::jsonrpc::{self, Fault};
use crate::upstream::Down;

/// The answer to a request.
pub(super) async fn answered(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
) -> Written {
    let era = caller.era();
    if era == Era::Modern && modern::is_removed(&request.method) {
        return Written::fault(&request.id, &Fault::new(Code::MethodNotFound));
    }
    match (request.method.as_str(), era) {
        ("tools/call", _) => {
            let answer = gateway.call_tool(request, caller).await;
            encode::tool_answer(request, &answer, &voice(gateway, caller))
        }
        ("tasks/result", Era::Legacy(_)) => {
            let answer = gateway.task_result(request, caller).await;
            encode::tool_answer(request, &answer, &voice(gateway, caller))
        }
        ("tools/list", _) => {
            let voice = voice(gateway, caller);
            let listed = gateway.list_tools(request, caller, voice.placement).await;
            encode::forwarded(request, &listed, &voice)
        }
        ("server/discover", Era::Modern) => match gateway.upstream.ready(Some(era)).await {
            Ok(ready) => Written::result(jsonrpc::result(&request.id, &hello::discovered(&ready))),
            Err(down) => Written::fault(&request.id, &not_available(&down)),
        },
        ("subscriptions/listen", Era::Modern) => listen::listen(gateway, request, caller).await,
        ("ping", Era::Legacy(_)) => nothing(request),
        ("resources/subscribe" | "resources/unsubscribe" | "logging/setLevel", Era::Legacy(_)) => {
            standing(gateway, request, caller).await
        }
        _ => {
            let answer = forward(gateway, request, caller).await;
            encode::forwarded(request, &answer, &voice(gateway, caller))
        }
    }
}

/// A wish that holds for all that comes later. Where it knows no such wishes, or many watch the
/// same resources of a server, they are kept here.
async fn standing(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Written {
    let params = request.params.as_ref().map(JsonObject::as_raw);
    let is_modern = gateway.speaks_modern(caller).await;
    let is_shared = gateway.audience.is_shared();
    match (request.method.as_str(), text_of(params, "uri")) {
        ("resources/subscribe", Some(uri)) if is_modern || is_shared => {
            if caller.client.watches().len() >= listen::RESOURCES_MAX {
                let message = format!("at most {} resources may be watched", listen::RESOURCES_MAX);
                return Written::fault(
                    &request.id,
                    &Fault::new(Code::RateLimited).message(message),
                );
            }
            match gateway.watch(&uri).await {
                Ok(watch) => {
                    caller.client.watch(uri, watch);
                    nothing(request)
                }
                Err(error) => {
                    let error = gateway.settings.hiding.part(error);
                    Written::error(jsonrpc::error(Some(&request.id), &error), &error)
                }
            }
        }
        ("resources/unsubscribe", Some(uri)) if is_modern || is_shared => {
            caller.client.unwatch(&uri);
            nothing(request)
        }
        ("logging/setLevel", _) if is_modern => {
            let level = params.and_then(|params| params.get("level"));
            let is_level = |it: &RawJson| it.as_text().is_some_and(|name| era::is_level(&name));
            let Some(level) = level.filter(is_level) else {
                let message = "Invalid params: `level` must be the name of a level";
                let fault = Fault::new(Code::InvalidToolInput).message(message);
                return Written::fault(&request.id, &fault);
            };
            caller.client.set_log_level(level);
            nothing(request)
        }
        _ => {
            let answer = forward(gateway, request, caller).await;
            encode::forwarded(request, &answer, &voice(gateway, caller))
        }
    }
}

/// A result that says nothing.
fn nothing(request: &Request) -> Written {
    Written::result(jsonrpc::result(&request.id, &JsonObject::default()))
}

/// The server cannot be asked.
pub(super) fn not_available(down: &Down) -> Fault {
    let message = format!("The server is not available: {}", down.reason);
    Fault::new(Code::UpstreamUnavailable).message(message)
}

/// The answer to a call that there is no room for.
pub(super) fn turned_away(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Written {
    const MESSAGE: &str = "Too many or too large requests are open already";
    if request.method == "tools/call" {
        let answer = gateway.turn_call_away(request, caller, MESSAGE);
        return encode::tool_answer(request, &answer, &voice(gateway, caller));
    }
    Written::fault(&request.id, &Fault::new(Code::RateLimited).message(MESSAGE))
}

/// How answers are written for whoever asks.
fn voice(gateway: &Gateway, caller: &Caller) -> Voice {
    let era = caller.era();
    let placement = match gateway.settings.placement {
        Placement::Structured if era.has_structured_results() => Placement::Structured,
        Placement::Structured | Placement::Text => Placement::Text,
    };
    let server = match era {
        Era::Modern => gateway.upstream.ready_now(Some(era)).and_then(|ready| ready.info.clone()),
        Era::Legacy(_) => None,
    };
    Voice { era, placement, server }
}

/// The text of a member of an object, if it is one.
pub(super) fn text_of(object: Option<&RawJson>, name: &str) -> Option<String> {
    let value = object?.get(name)?;
    value.as_text().map(std::borrow::Cow::into_owned)
}
