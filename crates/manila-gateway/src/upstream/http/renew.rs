//! Replaces a session that the server has lost.

use std::sync::Arc;

use super::{HttpTransport, Session};
use crate::protocol::era::Era;
use crate::upstream::handshake::{self, HandshakeError};
use crate::upstream::pending::{HttpFailure, UpstreamReply};
use crate::upstream::{Connection, Handshake, HandshakeMethod};

impl HttpTransport {
    /// Opens a new session, unless another request has done so. This continues even if the request
    /// that started it is dropped, because other requests may wait for it.
    pub(super) async fn renew_session(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        lost: &Session,
    ) -> Result<(), UpstreamReply> {
        let (transport, connection) = (Arc::clone(self), Arc::clone(connection));
        let lost = lost.clone();
        let renewing =
            tokio::spawn(async move { transport.renew_unless_done(&connection, &lost).await });
        match renewing.await {
            Ok(renewed) => renewed,
            // The task ends early only if the gateway stops.
            Err(_) => Err(UpstreamReply::Unusable("no new session could be opened".to_owned())),
        }
    }

    async fn renew_unless_done(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        lost: &Session,
    ) -> Result<(), UpstreamReply> {
        let _renewing = self.renewing.lock().await;
        if self.session(Era::FALLBACK) != *lost {
            return Ok(());
        }
        match self.open_session(connection, &Handshake::own(HandshakeMethod::Initialize)).await {
            Ok(_) => {
                self.report_new_session(connection);
                Ok(())
            }
            Err(error) => {
                let reason = match error {
                    HandshakeError::Unusable(reason) => reason,
                    HandshakeError::HttpFailure(failure) => failure.reason,
                    HandshakeError::Error(error) => error.to_string(),
                    HandshakeError::Silent(timeout) => {
                        format!("it {}", handshake::describe_timeout(timeout))
                    }
                    HandshakeError::Disconnected => "it disconnected".to_owned(),
                };
                let address = &self.address;
                let reason = format!(
                    "`{address}` lost the session, and no new one could be opened: {reason}"
                );
                Err(UpstreamReply::HttpFailure(HttpFailure {
                    status: None,
                    reason,
                    retry_after: None,
                }))
            }
        }
    }

    /// Performs the handshake with a server of the legacy era, and opens the server's stream.
    pub(in crate::upstream) async fn open_session(
        self: &Arc<HttpTransport>,
        connection: &Arc<Connection>,
        handshake: &Handshake,
    ) -> Result<manila::RawJson, HandshakeError> {
        let timeout = self.config.start_timeout;
        let initialized = handshake::initialize(connection, handshake);
        let result = tokio::time::timeout(timeout, initialized).await;
        let result = result.unwrap_or(Err(HandshakeError::Silent(timeout)))?;
        let session = self.take_opened_session(connection.era_or_fallback());
        if let Some(initialized_frame) = handshake.initialized_frame.clone() {
            self.send_initialized(connection, &session, initialized_frame).await;
        }
        self.use_session(session);
        self.open_server_stream(connection);
        Ok(result)
    }
}
