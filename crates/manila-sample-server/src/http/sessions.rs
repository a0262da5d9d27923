//! The sessions of legacy clients, by id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::output::Output;
use super::super::server::Server;
use super::super::session::Session;
use super::incoming::{Incoming, Refused};

/// The maximum number of sessions.
const SESSIONS_MAX: usize = 10_000;

/// All sessions.
#[derive(Default)]
pub(super) struct Sessions {
    by_id: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    /// Starts a session. The client may open its stream later.
    pub(super) fn begin(&self, server: &Arc<Server>) -> Result<(String, Arc<Session>), Refused> {
        let mut by_id = self.by_id();
        if by_id.len() >= SESSIONS_MAX {
            return Err(Refused::new(503, "there are too many sessions"));
        }
        let id = uuid::Uuid::new_v4().simple().to_string();
        let session = Session::new(server, Arc::new(Output::new(None, &server.muted)));
        server.register(&session);
        by_id.insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }

    /// Returns the session of a request.
    pub(super) fn find(&self, request: &Incoming) -> Result<Arc<Session>, Refused> {
        let id = session_id(request)?;
        self.by_id().get(id).cloned().ok_or(UNKNOWN)
    }

    /// Ends the session of a request.
    pub(super) fn end(&self, request: &Incoming) -> Result<(), Refused> {
        let session = self.by_id().remove(session_id(request)?).ok_or(UNKNOWN)?;
        session.end();
        // The stream of the session ends normally.
        let _ = session.output.abandon();
        session.output.close();
        Ok(())
    }

    fn by_id(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const UNKNOWN: Refused = Refused::new(404, "there is no such session");

fn session_id(request: &Incoming) -> Result<&str, Refused> {
    let missing = Refused::new(400, "the Mcp-Session-Id is missing: send initialize first");
    request.text("mcp-session-id").ok_or(missing)
}
