//! Clients over HTTP: MCP of both eras at `/mcp`, and plain HTTP at `/tools`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use manila::Code;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use self::body::{Arriving, NotRead};
use self::head::Head;
use self::reply::{Refused, Reply};
use self::sessions::Sessions;
use crate::config::{self, Limits};
use crate::downstream::malformed::{self, Malformed};
use crate::gateway::Gateway;
use crate::protocol::host;
use crate::protocol::presentation::Shape;
use crate::telemetry::event::Event;
use manila_process::os::{self, stop};

mod accept;
mod batch;
mod body;
mod envelope;
mod exchange;
mod head;
mod host_check;
mod legacy;
mod mcp;
mod modern;
mod patience;
mod plain;
mod reply;
mod route;
mod sessions;
mod stream;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotServed {
    /// Whoever can reach the machine could use the server behind it.
    #[error("{}", config::not_local(.0))]
    NotLocal(SocketAddr),
    /// Nothing can listen there.
    #[error("cannot listen at {0}: {1}")]
    NotBound(SocketAddr, io::Error),
}

/// All who serve clients share this.
struct Front {
    gateway: Arc<Gateway>,
    sessions: Sessions,
    limits: Limits,
}

/// A place where clients are listened for.
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
}

impl Door {
    /// Listens at an address of this machine; port 0 is any that is free.
    #[expect(clippy::unused_async, reason = "sockets need the runtime")]
    pub async fn open(address: SocketAddr) -> Result<Door, NotServed> {
        if !host::is_local(&address) {
            return Err(NotServed::NotLocal(address));
        }
        let not_bound = |error| NotServed::NotBound(address, error);
        let listener = listen(address).map_err(not_bound)?;
        let address = listener.local_addr().map_err(not_bound)?;
        Ok(Door { listener, address })
    }

    /// Where it is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    // Many clients may come at once, and should not have to knock twice.
    const BACKLOG: u32 = 1_024;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port is free again as soon as whoever had it is gone.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves clients until we are asked to stop. What is open then is finished within the grace
/// period; in the end the server is gone.
pub async fn serve(gateway: Arc<Gateway>, door: Door, limits: Limits) {
    const MOMENT: Duration = Duration::from_millis(200);
    os::raise_file_limit();
    let grace = gateway.settings().grace;
    let front =
        Arc::new(Front { gateway: Arc::clone(&gateway), sessions: Sessions::default(), limits });
    let stopping = watch::Sender::new(false);
    let accepting =
        tokio::spawn(accept::all(Arc::clone(&front), door.listener, stopping.subscribe()));
    let forgetting = tokio::spawn(forget_idle(Arc::clone(&front)));
    tokio::select! {
        () = stop::asked() => {}
        // Whoever came through another door may have been the one we serve.
        () = gateway.stopping() => {}
    }
    accepting.abort();
    forgetting.abort();
    let in_flight = gateway.limits.in_flight.clone();
    let n_open = in_flight.n_requests();
    gateway.report_stopping(n_open, grace);
    gateway.begin_to_stop();
    // Connections end with what is open on them.
    stopping.send_replace(true);
    tokio::select! {
        () = in_flight.drained() => {}
        () = tokio::time::sleep(grace) => {}
        // Who asks twice does not want to wait.
        () = stop::asked() => {}
    }
    gateway.close_door().await;
    tokio::select! {
        () = gateway.stop() => {}
        () = stop::asked() => {
            gateway.hurry();
            gateway.stop().await;
        }
    }
    // What was still open has been answered by the server's end.
    let _ = tokio::time::timeout(MOMENT, in_flight.drained()).await;
    front.sessions.end_all();
    // Replies that are being written are written to their end.
    let _ = tokio::time::timeout(MOMENT, stopping.closed()).await;
}

async fn forget_idle(front: Arc<Front>) {
    let longest = front.limits.session_idle;
    loop {
        tokio::time::sleep(longest / 8).await;
        front.sessions.forget_idle(longest);
    }
}

impl Front {
    /// Reads a body, within the limits.
    async fn read(&self, body: Arriving) -> Result<Bytes, Refused> {
        let bytes_max = self.gateway.settings().frame_bytes_max;
        let read = body::whole(body, bytes_max, self.limits.body_timeout).await;
        read.map_err(|why| Box::new(refuse_body(self, why)))
    }
}

/// A body that was not read.
fn refuse_body(front: &Front, why: NotRead) -> Reply {
    let limit = front.gateway.settings().frame_bytes_max;
    let (status, code, message) = match why {
        NotRead::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            Code::TooLarge,
            format!("the body has more than {limit} bytes, the most that is read"),
        ),
        NotRead::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            Code::Timeout,
            format!("the body did not come within {:?}", front.limits.body_timeout),
        ),
        NotRead::BrokenOff => {
            (StatusCode::BAD_REQUEST, Code::ParseError, "the body broke off".to_owned())
        }
    };
    front.gateway.tell(Event::Refused(message.clone()));
    let refused = reply::refused(status, code, &message);
    match why {
        NotRead::TooLarge => {
            let refused = reply::because(refused, malformed::too_large(limit));
            reply::about(refused, Malformed::unread(None, limit))
        }
        NotRead::TooSlow | NotRead::BrokenOff => refused,
    }
}

/// The contract that a header asks for, if one does.
fn wanted_shape(head: &Head) -> Result<Option<Shape>, Refused> {
    let Some(id) = head.headers.get("manila-contract") else { return Ok(None) };
    let shape = id.to_str().ok().and_then(Shape::from_id);
    shape.map(Some).ok_or_else(|| {
        let ids: Vec<&str> = Shape::ids().collect();
        let message = format!("the header Manila-Contract must be one of {}", ids.join(", "));
        Box::new(reply::refused(StatusCode::BAD_REQUEST, Code::InvalidEnvelope, &message))
    })
}
