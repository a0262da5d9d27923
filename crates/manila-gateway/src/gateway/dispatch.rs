//! What a request of an open conversation is answered with, whatever carries it.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use super::record::{Over, record};
use super::{hello, listen};
use crate::downstream::encode::{self, Voice, Written};
use crate::gateway::Gateway;
use crate::protocol::caller::Caller;
use crate::protocol::era::{self, Era};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::modern;
use crate::protocol::presentation::Placement;
use crate::rt::clock;
use crate::upstream::Down;

/// The answer to a request, of which a record is kept.
pub(crate) async fn answered(
    gateway: &Gateway,
    request: &Request,
    caller: &Arc<Caller>,
) -> Written {
    let started = clock::now();
    let written = answer_to(gateway, request, caller).await;
    let over = Over::asked(request, caller, started, written.frame.len(), &written.fate);
    record(gateway, &over);
    written
}

async fn answer_to(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Written {
    let era = caller.era();
    if era == Era::Modern && modern::is_removed(&request.method) {
        return Written::fault(&request.id, &Fault::new(Code::MethodNotFound));
    }
    match (request.method.as_str(), era) {
        ("tools/call", _) => {
            let answer = gateway.call_tool(request, caller).await;
            let mut voice = voice(gateway, caller);
            if let (Placement::Structured, Some(own)) =
                (voice.placement, gateway.placement_of(request))
            {
                voice.placement = own;
            }
            encode::tool_answer(request, &answer, &voice)
        }
        ("tasks/result", Era::Legacy(_)) => {
            let answer = gateway.task_result(request, caller).await;
            encode::tool_answer(request, &answer, &voice(gateway, caller))
        }
        ("tasks/get", Era::Modern) => {
            let details = gateway.task_details(request, caller).await;
            encode::task_details(request, &details, &voice(gateway, caller))
        }
        ("tools/list", _) => {
            let voice = voice(gateway, caller);
            let listed = gateway.list_tools(request, caller, voice.placement).await;
            encode::forwarded(request, &listed, &voice)
        }
        ("server/discover", Era::Modern) => match gateway.hello(era).await {
            Ok(hello) => Written::result(jsonrpc::result(&request.id, &hello::discovered(&hello))),
            Err(down) => Written::fault(&request.id, &not_available(&down)),
        },
        ("subscriptions/listen", Era::Modern) => listen::listen(gateway, request, caller).await,
        ("ping", Era::Legacy(_)) => nothing(request),
        ("resources/subscribe" | "resources/unsubscribe" | "logging/setLevel", Era::Legacy(_)) => {
            standing(gateway, request, caller).await
        }
        _ => {
            let answer = gateway.forward(request, caller).await;
            encode::forwarded(request, &answer, &voice(gateway, caller))
        }
    }
}

/// A wish that holds for all that comes later. Which resources are watched is kept here: many may
/// watch the same, and a server that is started again must be told.
async fn standing(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Written {
    let params = request.params.as_ref().map(JsonObject::as_raw);
    match (request.method.as_str(), text_of(params, "uri")) {
        ("resources/subscribe", Some(uri)) => {
            if gateway.audience.n_watches(&caller.client) >= listen::RESOURCES_MAX {
                let message = format!("at most {} resources may be watched", listen::RESOURCES_MAX);
                return Written::fault(
                    &request.id,
                    &Fault::new(Code::RateLimited).message(message),
                );
            }
            match gateway.watch(&uri).await {
                Ok(watch) => {
                    gateway.audience.watch(&caller.client, uri, watch);
                    nothing(request)
                }
                Err(error) => {
                    let error = gateway.settings().hiding.part(error);
                    Written::error(jsonrpc::error(Some(&request.id), &error), &error)
                }
            }
        }
        ("resources/unsubscribe", Some(uri)) => {
            if let Some(watch) = gateway.audience.unwatch(&caller.client, &uri) {
                watch.end().await;
            }
            nothing(request)
        }
        ("logging/setLevel", _)
            if gateway.speaks_modern(caller).await || gateway.set_level(request, caller).await =>
        {
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
            let answer = gateway.forward(request, caller).await;
            encode::forwarded(request, &answer, &voice(gateway, caller))
        }
    }
}

/// A result that says nothing.
fn nothing(request: &Request) -> Written {
    Written::result(jsonrpc::result(&request.id, &JsonObject::default()))
}

/// The server cannot be asked.
pub(crate) fn not_available(down: &Down) -> Fault {
    let message = format!("The server is not available: {}", down.reason);
    Fault::new(Code::UpstreamUnavailable).message(message)
}

/// The answer to a call that there is no room for.
pub(crate) fn turned_away(gateway: &Gateway, request: &Request, caller: &Arc<Caller>) -> Written {
    const MESSAGE: &str = "Too many or too large requests are open already";
    let started = clock::now();
    let written = if request.method == "tools/call" {
        let answer = gateway.turn_call_away(request, caller, MESSAGE);
        encode::tool_answer(request, &answer, &voice(gateway, caller))
    } else {
        Written::fault(&request.id, &Fault::new(Code::RateLimited).message(MESSAGE))
    };
    let over = Over::asked(request, caller, started, written.frame.len(), &written.fate);
    record(gateway, &over);
    written
}

/// How answers are written for whoever asks.
fn voice(gateway: &Gateway, caller: &Caller) -> Voice {
    let era = caller.era();
    let placement = match gateway.settings().placement {
        Placement::Structured if era.has_structured_results() => Placement::Structured,
        Placement::Structured | Placement::Text => Placement::Text,
    };
    let server = match era {
        Era::Modern => gateway.info(era),
        Era::Legacy(_) => None,
    };
    Voice { era, placement, server }
}

/// The text of a member of an object, if it is one.
pub(crate) fn text_of(object: Option<&RawJson>, name: &str) -> Option<String> {
    let value = object?.get(name)?;
    value.as_text().map(std::borrow::Cow::into_owned)
}
