//! A new session in the place of one that the server has forgotten.

use std::sync::Arc;

use super::{Link, Session};
use crate::protocol::era::Era;
use crate::upstream::handshake::{self, Refusal};
use crate::upstream::pending::{Arrived, Declined};
use crate::upstream::{Connection, Greeting, Opening};

impl Link {
    /// Opens a new session, unless somebody else has meanwhile. That goes on if whoever needs it
    /// first does not wait for it: others do.
    pub(super) async fn renewed(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        gone: &Session,
    ) -> Result<(), Arrived> {
        let (link, connection, gone) = (Arc::clone(self), Arc::clone(connection), gone.clone());
        let renewing = tokio::spawn(async move { link.renew(&connection, &gone).await });
        match renewing.await {
            Ok(renewed) => renewed,
            // It ends early only if we do.
            Err(_) => Err(Arrived::Unusable("no new session could be opened".to_owned())),
        }
    }

    async fn renew(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        gone: &Session,
    ) -> Result<(), Arrived> {
        let _renewing = self.renewing.lock().await;
        if self.session(Era::PLAINEST) != *gone {
            return Ok(());
        }
        match self.open_session(connection, &Greeting::own(Opening::Initialize)).await {
            Ok(_) => {
                self.tell_renewed(connection);
                Ok(())
            }
            Err(refusal) => {
                let reason = match refusal {
                    Refusal::Unusable(why) => why,
                    Refusal::Declined(declined) => declined.reason,
                    Refusal::Error(error) => error.to_string(),
                    Refusal::Silent(timeout) => format!("it {}", handshake::no_answer(timeout)),
                    Refusal::Gone => "it is gone".to_owned(),
                };
                let address = &self.address;
                let reason = format!("`{address}` has forgotten our session: {reason}");
                Err(Arrived::Declined(Declined { status: None, reason, retry_after: None }))
            }
        }
    }

    /// Greets a server of the legacy era, confirms it, and listens to what it says unasked.
    pub(in crate::upstream) async fn open_session(
        self: &Arc<Link>,
        connection: &Arc<Connection>,
        greeting: &Greeting,
    ) -> Result<manila::RawJson, Refusal> {
        let timeout = self.keeping.start_timeout;
        let hello = handshake::initialize(connection, greeting);
        let answered = tokio::time::timeout(timeout, hello).await;
        let result = answered.unwrap_or(Err(Refusal::Silent(timeout)))?;
        let session = self.opened_session(connection.era_or_plainest());
        if let Some(confirmation) = greeting.confirmation.clone() {
            self.confirm(connection, &session, confirmation).await;
        }
        self.use_session(session);
        self.hear(connection);
        Ok(result)
    }
}
