//! A server that runs as our child: kept running, started again when it dies.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

use super::handshake::Opening;
use super::supervise::Supervisor;
use manila_process::Command;

use super::{Down, Greeting, Inbox, Keeping, Ready};
use crate::protocol::era::Era;
use crate::rt::queue::queue;
use crate::telemetry::event::Events;

/// What state the server is in.
#[derive(Clone)]
pub(super) enum State {
    /// It is being started, or waits to be greeted.
    Starting,
    /// It can be asked.
    Ready(Arc<Ready>),
    /// It is gone and will be started again, or it refused the greeting.
    Down(Arc<Down>),
}

/// A handle to the server. The server runs until `stop`.
pub(crate) struct Child {
    state: watch::Receiver<State>,
    controls: Arc<Controls>,
}

/// What the supervisor is told.
pub(super) struct Controls {
    /// A new one also starts a server that is down.
    pub(super) greeting: watch::Sender<Option<Greeting>>,
    pub(super) stop: watch::Sender<Stop>,
}

/// Whether the server is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stop {
    /// It is to go on.
    No,
    /// It is to end, in order.
    Orderly,
    /// It is to end now.
    Now,
}

impl Child {
    /// Starts the server. What it says on its own comes out of the inbox.
    pub(super) fn start(command: Command, keeping: Keeping, events: Events) -> (Child, Inbox) {
        let (inbox, items) = queue(keeping.queue_bytes_max);
        let (tell_state, state) = watch::channel(State::Starting);
        let controls = Arc::new(Controls {
            greeting: watch::Sender::new(None),
            stop: watch::Sender::new(Stop::No),
        });
        let supervisor = Supervisor {
            command,
            keeping,
            events,
            inbox,
            state: tell_state,
            controls: Arc::clone(&controls),
            was_ready: false.into(),
        };
        tokio::spawn(supervisor.run());
        (Child { state, controls }, Inbox::new(items))
    }

    /// The server, as soon as it is ready; or why it is not. One that nobody has greeted yet is
    /// greeted now, in the era that whoever asks speaks.
    pub(super) async fn ready(&self, wanted: Option<Era>) -> Result<Arc<Ready>, Arc<Down>> {
        let is_refused = match &*self.state.borrow() {
            State::Down(down) => down.refusal.is_some(),
            State::Starting | State::Ready(_) => false,
        };
        // One that refused may think otherwise by now.
        if is_refused || self.controls.greeting.borrow().is_none() {
            let greeting = Greeting::own(Opening::for_client(wanted));
            return self.greet(greeting).answer(self).await;
        }
        self.settled().await
    }

    /// The server, as soon as it is known whether it can be asked.
    async fn settled(&self) -> Result<Arc<Ready>, Arc<Down>> {
        let mut state = self.state.clone();
        loop {
            match &*state.borrow_and_update() {
                State::Starting => {}
                State::Ready(ready) => return Ok(Arc::clone(ready)),
                State::Down(down) => return Err(Arc::clone(down)),
            }
            if state.changed().await.is_err() {
                return Err(Arc::new(Down::stopped()));
            }
        }
    }

    /// The server, if it can be asked now.
    pub(super) fn ready_now(&self) -> Option<Arc<Ready>> {
        match &*self.state.borrow() {
            State::Ready(ready) => Some(Arc::clone(ready)),
            State::Starting | State::Down(_) => None,
        }
    }

    /// Why the server cannot be asked now, if it cannot.
    pub(super) fn trouble(&self) -> Option<String> {
        match &*self.state.borrow() {
            State::Ready(_) => None,
            State::Down(down) => Some(down.reason.clone()),
            State::Starting if self.controls.greeting.borrow().is_none() => None,
            State::Starting => Some("the server is starting".to_owned()),
        }
    }

    /// Notes how the server is to be greeted. One that is down is started at once.
    pub(super) fn greet(&self, greeting: Greeting) -> Greeted {
        let mut state = self.state.clone();
        let is_down = matches!(&*state.borrow_and_update(), State::Down(_));
        self.controls.greeting.send_replace(Some(greeting));
        Greeted { news: is_down.then_some(state) }
    }

    /// Notes that the client has confirmed the handshake: this server hears it, and every one
    /// that is started in its place.
    pub(super) fn confirm(&self, confirmation: &Bytes) {
        self.controls.greeting.send_if_modified(|greeting| {
            if let Some(greeting) = greeting {
                greeting.confirmation = Some(confirmation.clone());
            }
            // It is no new greeting.
            false
        });
        if let Some(ready) = self.ready_now()
            && ready.era != Era::Modern
        {
            ready.connection.confirm(confirmation.clone());
        }
    }

    /// Ends the server: its input is closed, then it is asked, then it is killed.
    pub(super) async fn stop(&self) {
        self.tell_stop(Stop::Orderly);
        // The supervisor has the only sender, and drops it when it is done. Were it to panic, the
        // lifeline would be dropped and the server killed.
        let mut state = self.state.clone();
        while state.changed().await.is_ok() {}
    }

    /// Ends the server without waiting for it any longer.
    pub(super) fn hurry(&self) {
        self.tell_stop(Stop::Now);
    }

    fn tell_stop(&self, stop: Stop) {
        self.controls.stop.send_if_modified(|told| {
            let is_more = stop > *told;
            *told = stop.max(*told);
            is_more
        });
    }
}

/// A greeting on its way.
pub(crate) struct Greeted {
    /// Where it was down: what is known until then is about the last start.
    news: Option<watch::Receiver<State>>,
}

impl Greeted {
    /// Waits for the server's answer.
    pub(super) async fn answer(self, child: &Child) -> Result<Arc<Ready>, Arc<Down>> {
        if let Some(mut news) = self.news
            && news.changed().await.is_err()
        {
            return Err(Arc::new(Down::stopped()));
        }
        child.settled().await
    }
}
