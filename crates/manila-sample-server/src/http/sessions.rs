//! The sessions of legacy clients, by the ids that they were given.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::output::Output;
use super::super::server::Server;
use super::super::session::Session;
use super::incoming::{Incoming, Refused};

/// How many there may be.
const SESSIONS_MAX: usize = 10_000;

/// All sessions.
#[derive(Default)]
pub(super) struct Sessions {
    by_id: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    /// Begins a session; its stream is opened later, if at all.
    pub(super) fn begin(&self, server: &Arc<Server>) -> Result<(String, Arc<Session>), Refused> {
        let mut by_id = self.by_id();
        if by_id.len() >= SESSIONS_MAX {
            return Err(Refused::new(503, "there are too many sessions"));
        }
        let id = uuid::Uuid::new_v4().simple().to_string();
        let session = Session::new(server, Arc::new(Output::new(None, &server.muted)));
        server.enlist(&session);
        by_id.insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }

    /// The session that a request belongs to.
    pub(super) fn of(&self, request: &Incoming) -> Result<Arc<Session>, Refused> {
        let id = id(request)?;
        self.by_id().get(id).cloned().ok_or(UNKNOWN)
    }

    /// Ends the session that a request belongs to.
    pub(super) fn end(&self, request: &Incoming) -> Result<(), Refused> {
        let session = self.by_id().remove(id(request)?).ok_or(UNKNOWN)?;
        session.end();
        // The stream of the session ends as a stream does.
        let _ = session.output.leave();
        session.output.close();
        Ok(())
    }

    fn by_id(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const UNKNOWN: Refused = Refused::new(404, "there is no such session");

fn id(request: &Incoming) -> Result<&str, Refused> {
    let missing = Refused::new(400, "the Mcp-Session-Id is missing: begin with initialize");
    request.text("mcp-session-id").ok_or(missing)
}
