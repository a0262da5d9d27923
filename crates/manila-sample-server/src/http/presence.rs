//! Whether the client of a request is still connected, and the state that ends when it disconnects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::endpoint::OpenResponse;

/// Whether the client of a request is connected.
#[derive(Default)]
pub(super) struct Presence {
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    /// Nothing depends on the client.
    #[default]
    Free,
    /// The state that depends on the client.
    Held(OpenResponse),
    /// The client has disconnected.
    Disconnected,
}

impl Presence {
    /// Stores the state that depends on the client. If the client has already disconnected, the
    /// state ends at once.
    pub(super) fn hold(&self, held: OpenResponse) {
        let mut state = self.state();
        match *state {
            State::Disconnected => {
                drop(state);
                held.on_disconnect();
            }
            State::Free | State::Held(_) => *state = State::Held(held),
        }
    }

    fn disconnect(&self) {
        let previous = std::mem::replace(&mut *self.state(), State::Disconnected);
        match previous {
            State::Held(held) => held.on_disconnect(),
            State::Free | State::Disconnected => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the state that depends on the client when hyper drops the response, which is complete or no
/// longer needed.
#[derive(Default)]
pub(super) struct DisconnectOnDrop(pub(super) Arc<Presence>);

impl Drop for DisconnectOnDrop {
    fn drop(&mut self) {
        self.0.disconnect();
    }
}
