//! The handshake of a client over a pipe.

use std::sync::Arc;

use manila::request_envelope::Request;
use manila::{Code, JsonObject};

use super::Session;
use crate::backend::Backend;
use crate::gateway::answer::unavailable_fault;
use crate::gateway::response::Response;
use crate::gateway::{HandshakeInfo, handshake};
use crate::notifications::{NotificationFilter, Resources, Subscriber};
use crate::protocol::caller::ClientInfo;
use crate::protocol::era::{Era, Revision};
use crate::protocol::jsonrpc::text_of;
use crate::upstream::{Handshake, HandshakeMethod, PendingHandshake};

/// The state of the client's handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandshakeState {
    /// The client has not sent `initialize`, or its handshake has failed.
    NotStarted,
    /// The client has sent `initialize` and waits for the response.
    Pending,
    /// The handshake has succeeded.
    Done,
}

/// A client's handshake in progress.
pub(super) struct ClientHandshake {
    /// The handshake with a dedicated server, which gets the client's parameters.
    upstream: Option<(PendingHandshake, Arc<Backend>)>,
    revision: Revision,
}

impl Session {
    /// Starts the client's handshake without waiting, so that its next message finds it pending.
    pub(super) fn begin_handshake(&self, request: &Request) -> ClientHandshake {
        self.handshake.send_replace(HandshakeState::Pending);
        let params = request.params.clone().unwrap_or_default();
        let date = text_of(Some(params.as_raw()), "protocolVersion").unwrap_or_default();
        let revision = Revision::negotiate(&date);
        let implementation = params.get("clientInfo");
        // A dedicated server gets the client's parameters, and knows its capabilities.
        let servers = self.gateway.servers();
        let dedicated = self.gateway.dedicated_child(&servers);
        let capabilities = match dedicated {
            Some(_) => None,
            None => Some(params.get("capabilities").and_then(JsonObject::new).unwrap_or_default()),
        };
        self.client.set_info(ClientInfo {
            capabilities,
            implementation,
            ..ClientInfo::of(Era::Legacy(revision))
        });
        self.subscription.get_or_init(|| {
            let (client, outbound) = (Arc::clone(&self.client), Arc::clone(&self.client.outbound));
            // Resources that only other clients watch are left out.
            let is_shared = self.gateway.is_shared();
            let resources = if is_shared { Resources::Watched } else { Resources::All };
            let filter = NotificationFilter { resources, ..NotificationFilter::everything() };
            self.gateway.notifications.add(Subscriber { client, outbound, filter })
        });
        let handshake =
            Handshake { method: HandshakeMethod::Initialize, params, initialized_frame: None };
        let upstream = dedicated
            .map(|backend| (backend.upstream.start_handshake(handshake), Arc::clone(backend)));
        ClientHandshake { upstream, revision }
    }

    /// Completes the client's handshake, and returns the response to `initialize`.
    pub(super) async fn finish_handshake(&self, handshake: ClientHandshake) -> Response {
        let ClientHandshake { upstream, revision } = handshake;
        let info = match upstream {
            Some((pending, backend)) => {
                pending.wait(&backend.upstream).await.map(HandshakeInfo::Single)
            }
            None => self.gateway.handshake_info(Era::Legacy(revision)).await,
        };
        let unavailable = match info {
            Ok(info) => {
                self.handshake.send_replace(HandshakeState::Done);
                return Response::Result(handshake::initialize_result(&info, revision));
            }
            Err(unavailable) => unavailable,
        };
        // The client may send `initialize` again.
        self.handshake.send_replace(HandshakeState::NotStarted);
        match &unavailable.refusal {
            Some(error) => {
                let error = self.gateway.settings().redaction.redact_part(error.clone());
                Response::Error(error, Some(Code::UpstreamUnavailable))
            }
            None => Response::Refused(unavailable_fault(&unavailable)),
        }
    }

    /// Returns whether the client still waits for the response to `initialize`.
    pub(in crate::downstream) fn is_handshake_pending(&self) -> bool {
        *self.handshake.borrow() == HandshakeState::Pending
    }

    /// Waits until the handshake is no longer pending, and returns whether it has succeeded.
    pub(in crate::downstream) async fn wait_for_handshake(&self) -> bool {
        if *self.handshake.borrow() == HandshakeState::Done {
            return true;
        }
        let mut state = self.handshake.subscribe();
        let state = state.wait_for(|state| *state != HandshakeState::Pending).await;
        state.is_ok_and(|state| *state == HandshakeState::Done)
    }
}
