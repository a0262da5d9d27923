//! Whether the client of a request is still connected, and what ends when it is not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::endpoint::Held;

/// The client of one request.
#[derive(Default)]
pub(super) struct Presence {
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    /// Nothing depends on the client.
    #[default]
    Free,
    /// This depends on the client.
    Held(Held),
    /// The client has disconnected.
    Gone,
}

impl Presence {
    /// Lets `held` depend on the client, which may have disconnected meanwhile.
    pub(super) fn hold(&self, held: Held) {
        let mut state = self.state();
        match *state {
            State::Gone => {
                drop(state);
                held.client_is_gone();
            }
            State::Free | State::Held(_) => *state = State::Held(held),
        }
    }

    fn leave(&self) {
        let left = std::mem::replace(&mut *self.state(), State::Gone);
        match left {
            State::Held(held) => held.client_is_gone(),
            State::Free | State::Gone => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends what depends on the client when hyper drops the response: it is whole, or not wanted.
#[derive(Default)]
pub(super) struct LeaveOnDrop(pub(super) Arc<Presence>);

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        self.0.leave();
    }
}
