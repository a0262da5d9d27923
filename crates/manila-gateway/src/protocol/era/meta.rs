//! The keys of the modern era in `_meta`.

/// In a request: its revision.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// In a request: the capabilities of its client.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// In a request: the name and version of its client.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

/// In a request: the log level that its client requests.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// In a result: the name and version of the server.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// In a notification of a subscription: the id of the request that started the subscription.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// The keys of a request that exist only in the modern era.
pub(crate) const REQUEST_KEYS: [&str; 4] =
    [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
