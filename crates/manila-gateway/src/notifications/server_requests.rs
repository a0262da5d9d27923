//! Requests from servers to clients: sampling, elicitation, roots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::{Request, Response};
use manila::{Code, JsonObject, RawJson};

use crate::protocol::caller::{Client, Outbound, Undelivered};
use crate::protocol::jsonrpc::{self, Fault};

/// The error for a request to a client that has disconnected.
const CLIENT_DISCONNECTED: &str = "the client has disconnected";

/// The maximum number of open requests to one client.
const SERVER_REQUESTS_MAX: usize = 1_024;

/// The open requests of all servers, by client.
#[derive(Default)]
pub(crate) struct ServerRequests(Mutex<HashMap<u64, OpenRequests>>);

/// The open requests to one client, by the gateway's ids.
#[derive(Default)]
struct OpenRequests {
    by_id: HashMap<u64, ServerRequest>,
    n_sent: u64,
}

struct ServerRequest {
    /// The id as the server wrote it.
    id: RawJson,
    server: RequestingServer,
    client: Arc<Client>,
    outbound: Arc<dyn Outbound>,
}

/// The connection of a server that makes requests.
#[derive(Clone)]
pub(crate) struct RequestingServer {
    /// The number of the connection, which is unique.
    pub(crate) connection: u64,
    /// The receiver of the response.
    pub(crate) outbound: Arc<dyn Outbound>,
}

impl RequestingServer {
    /// Sends a response to the server.
    fn answer(&self, frame: Bytes) {
        // The server may have disconnected.
        let _ = self.outbound.put(frame);
    }
}

impl ServerRequests {
    /// Sends a request to a client. If that is impossible, the gateway responds with an error.
    pub(crate) fn forward(
        &self,
        request: &Request,
        server: &RequestingServer,
        client: &Arc<Client>,
        outbound: &Arc<dyn Outbound>,
    ) {
        match self.add(request, server, client, outbound) {
            Ok((gateway_id, frame)) => {
                if outbound.push_request(frame) == Err(Undelivered)
                    && let Some(ServerRequest { server, .. }) = self.take(client, gateway_id)
                {
                    server.answer(method_not_found_response(request));
                }
            }
            Err(fault) => server.answer(jsonrpc::error(Some(&request.id), &fault)),
        }
    }

    fn add(
        &self,
        request: &Request,
        server: &RequestingServer,
        client: &Arc<Client>,
        outbound: &Arc<dyn Outbound>,
    ) -> Result<(u64, Bytes), Fault> {
        let refuse = |message: &str| Fault::new(Code::RateLimited).message(message);
        let mut all = self.0.lock().map_err(|_| refuse("the request cannot be forwarded"))?;
        // Nothing would ever remove a request that is added after the client left.
        if client.is_disconnected() {
            return Err(Fault::new(Code::Cancelled).message(CLIENT_DISCONNECTED));
        }
        let open = all.entry(client.number).or_default();
        if open.by_id.len() >= SERVER_REQUESTS_MAX {
            return Err(refuse(&format!(
                "the client already has {SERVER_REQUESTS_MAX} open requests from servers; wait for \
                 a response first"
            )));
        }
        let gateway_id = open.n_sent;
        open.n_sent += 1;
        // A copy, because a slice would keep the whole frame.
        let id = RawJson::parse(request.id.as_str().to_owned())
            .map_err(|_| refuse("the request's id cannot be stored"))?;
        let (server, client) = (server.clone(), Arc::clone(client));
        client.add_server_request();
        let outbound = Arc::clone(outbound);
        open.by_id.insert(gateway_id, ServerRequest { id, server, client, outbound });
        let token = gateway_id.to_string();
        Ok((gateway_id, jsonrpc::replace_part(&request.frame, &request.id, token.as_bytes())))
    }

    /// Forwards the client's response to the server. Returns `false` if no request is open for it.
    pub(crate) fn answer(&self, client: &Client, response: &Response) -> bool {
        let Some(gateway_id) = &response.id else { return false };
        let request = number(gateway_id).and_then(|it| self.take(client, it));
        let Some(ServerRequest { id, server, .. }) = request else { return false };
        server.answer(jsonrpc::replace_part(&response.frame, gateway_id, id.as_bytes()));
        true
    }

    /// Sends the server an error, because the client's response is invalid.
    pub(crate) fn answer_invalid(&self, client: &Client, gateway_id: &RawJson, fault: &Fault) {
        let request = number(gateway_id).and_then(|it| self.take(client, it));
        if let Some(ServerRequest { id, server, .. }) = request {
            server.answer(jsonrpc::error(Some(&id), fault));
        }
    }

    /// Responds with the error `Cancelled` to all open requests to a client that has disconnected.
    pub(super) fn cancel_all(&self, client: &Client) {
        let open = self.0.lock().ok().and_then(|mut all| all.remove(&client.number));
        for (_, request) in open.into_iter().flat_map(|open| open.by_id) {
            request.client.end_server_request();
            let fault = Fault::new(Code::Cancelled).message(CLIENT_DISCONNECTED);
            request.server.answer(jsonrpc::error(Some(&request.id), &fault));
        }
    }

    /// Removes the request that the server sent with this id. Returns the gateway's id and the
    /// channel to the client.
    pub(crate) fn withdraw(
        &self,
        id: &RawJson,
        connection: u64,
    ) -> Option<(u64, Arc<dyn Outbound>)> {
        let mut all = self.0.lock().ok()?;
        all.values_mut().find_map(|open| {
            let mut requests = open.by_id.iter();
            let gateway_id = requests.find_map(|(gateway_id, request)| {
                let is_match = request.server.connection == connection && request.id == *id;
                is_match.then_some(*gateway_id)
            })?;
            let request = open.by_id.remove(&gateway_id)?;
            request.client.end_server_request();
            Some((gateway_id, request.outbound))
        })
    }

    /// Cancels all requests of a connection that has ended.
    pub(crate) fn cancel_from(&self, connection: u64) {
        let Ok(mut all) = self.0.lock() else { return };
        let mut ended = Vec::new();
        for open in all.values_mut() {
            ended.extend(open.by_id.extract_if(|_, it| it.server.connection == connection));
        }
        drop(all);
        for (gateway_id, request) in ended {
            request.client.end_server_request();
            let _ = request.client.outbound.put(cancellation(gateway_id));
        }
    }

    fn take(&self, client: &Client, gateway_id: u64) -> Option<ServerRequest> {
        let request = self.0.lock().ok()?.get_mut(&client.number)?.by_id.remove(&gateway_id)?;
        request.client.end_server_request();
        Some(request)
    }
}

/// Returns the error response to a server's request that cannot be forwarded.
pub(crate) fn method_not_found_response(request: &Request) -> Bytes {
    jsonrpc::error(Some(&request.id), &Fault::new(Code::MethodNotFound))
}

fn number(gateway_id: &RawJson) -> Option<u64> {
    gateway_id.as_str().parse().ok()
}

fn cancellation(gateway_id: u64) -> Bytes {
    let params = JsonObject::build(|object| {
        object.member("requestId", &gateway_id);
        object.member("reason", "the server has disconnected");
    });
    jsonrpc::notification("notifications/cancelled", &params)
}
