//! A server as a child process of the gateway, which restarts it when it exits.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

use super::handshake::HandshakeMethod;
use super::supervise::Supervisor;
use manila_process::Command;

use super::{Handshake, Inbox, Ready, SupervisorConfig, Unavailable};
use crate::protocol::era::Era;
use crate::rt::queue::queue;
use crate::telemetry::event::Events;

/// The state of the server.
#[derive(Clone)]
pub(super) enum State {
    /// The server is being started, or waits for a handshake.
    Starting,
    /// The server accepts requests.
    Ready(Arc<Ready>),
    /// The server exited and will be restarted, or it refused the handshake.
    Unavailable(Arc<Unavailable>),
}

/// A handle to the server. The server runs until `stop`.
pub(crate) struct Child {
    state: watch::Receiver<State>,
    controls: Arc<Controls>,
}

/// The inputs of the supervisor.
pub(super) struct Controls {
    /// The handshake to perform. A new one also starts a server that is unavailable.
    pub(super) handshake: watch::Sender<Option<Handshake>>,
    pub(super) stop: watch::Sender<Stop>,
}

/// Whether, and how, the server should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// Not at all.
    No,
    /// Step by step: close its input, then terminate it, then kill it.
    Orderly,
    /// Immediately.
    Now,
}

impl Child {
    /// Starts the server. Its notifications and requests go to the inbox.
    pub(super) fn start(
        command: Command,
        config: SupervisorConfig,
        events: Events,
    ) -> (Child, Inbox) {
        let (inbox, items) = queue(config.queue_bytes_max);
        let (state_sender, state) = watch::channel(State::Starting);
        let controls = Arc::new(Controls {
            handshake: watch::Sender::new(None),
            stop: watch::Sender::new(Stop::No),
        });
        let supervisor = Supervisor {
            command,
            config,
            events,
            inbox,
            state: state_sender,
            controls: Arc::clone(&controls),
            was_ready: false.into(),
        };
        tokio::spawn(supervisor.run());
        (Child { state, controls }, Inbox::new(items))
    }

    /// Waits until the server is ready, or fails with the reason why it is not. Performs the first
    /// handshake if necessary, in the preferred era.
    pub(super) async fn ready(
        &self,
        preferred: Option<Era>,
    ) -> Result<Arc<Ready>, Arc<Unavailable>> {
        let is_refused = match &*self.state.borrow() {
            State::Unavailable(unavailable) => unavailable.refusal.is_some(),
            State::Starting | State::Ready(_) => false,
        };
        // A server that refused a handshake may accept another one.
        if is_refused || self.controls.handshake.borrow().is_none() {
            let handshake = Handshake::own(HandshakeMethod::for_client(preferred));
            return self.start_handshake(handshake).wait(self).await;
        }
        self.wait_settled().await
    }

    /// Waits until the server is either ready or unavailable.
    async fn wait_settled(&self) -> Result<Arc<Ready>, Arc<Unavailable>> {
        let mut state = self.state.clone();
        loop {
            match &*state.borrow_and_update() {
                State::Starting => {}
                State::Ready(ready) => return Ok(Arc::clone(ready)),
                State::Unavailable(unavailable) => return Err(Arc::clone(unavailable)),
            }
            if state.changed().await.is_err() {
                return Err(Arc::new(Unavailable::on_stop()));
            }
        }
    }

    /// Returns the server, if it is ready now.
    pub(super) fn ready_now(&self) -> Option<Arc<Ready>> {
        match &*self.state.borrow() {
            State::Ready(ready) => Some(Arc::clone(ready)),
            State::Starting | State::Unavailable(_) => None,
        }
    }

    /// Returns why the server is unavailable, if it is.
    pub(super) fn unavailable_reason(&self) -> Option<String> {
        match &*self.state.borrow() {
            State::Ready(_) => None,
            State::Unavailable(unavailable) => Some(unavailable.reason.clone()),
            State::Starting if self.controls.handshake.borrow().is_none() => None,
            State::Starting => Some("it is still starting".to_owned()),
        }
    }

    /// Stores the handshake for the server, which is started at once if it is unavailable.
    pub(super) fn start_handshake(&self, handshake: Handshake) -> PendingHandshake {
        let mut state = self.state.clone();
        let is_unavailable = matches!(&*state.borrow_and_update(), State::Unavailable(_));
        self.controls.handshake.send_replace(Some(handshake));
        PendingHandshake { outdated: is_unavailable.then_some(state) }
    }

    /// Stores the client's `notifications/initialized`. The gateway sends it to this server, and to
    /// each restarted one.
    pub(super) fn send_initialized(&self, initialized_frame: &Bytes) {
        self.controls.handshake.send_if_modified(|handshake| {
            if let Some(handshake) = handshake {
                handshake.initialized_frame = Some(initialized_frame.clone());
            }
            // It is not a new handshake.
            false
        });
        if let Some(ready) = self.ready_now()
            && ready.era != Era::Modern
        {
            ready.connection.send_initialized(initialized_frame.clone());
        }
    }

    /// Stops the server: closes its input, then terminates it, then kills it.
    pub(super) async fn stop(&self) {
        self.signal_stop(Stop::Orderly);
        // The supervisor has the only sender, and drops it when it is done. If it panicked, the
        // lifeline would be dropped and the server killed.
        let mut state = self.state.clone();
        while state.changed().await.is_ok() {}
    }

    /// Kills the server without waiting any longer.
    pub(super) fn kill_now(&self) {
        self.signal_stop(Stop::Now);
    }

    fn signal_stop(&self, stop: Stop) {
        self.controls.stop.send_if_modified(|current| {
            let is_stronger = stop > *current;
            *current = stop.max(*current);
            is_stronger
        });
    }
}

/// A handshake in progress.
pub(crate) struct PendingHandshake {
    /// Set if the server was unavailable: until it changes, the state is that of the last start.
    outdated: Option<watch::Receiver<State>>,
}

impl PendingHandshake {
    /// Waits for the server's response.
    pub(super) async fn wait(self, child: &Child) -> Result<Arc<Ready>, Arc<Unavailable>> {
        if let Some(mut outdated) = self.outdated
            && outdated.changed().await.is_err()
        {
            return Err(Arc::new(Unavailable::on_stop()));
        }
        child.wait_settled().await
    }
}
