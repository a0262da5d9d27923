//! The words of the modern era in `_meta`.

/// In a request: the revision that it is written in.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// In a request: what its client can do.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// In a request: who its client is.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// In a request: how much of the log its client wants to hear.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// In a result: who answers.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// In what a subscription brings: the id of the request that asked for it.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What only a client of the modern era says in a request.
pub(crate) const OF_A_REQUEST: [&str; 4] =
    [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
