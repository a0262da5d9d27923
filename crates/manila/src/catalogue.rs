//! The catalogue: the closed list of failure codes.
//!
//! Inside Manila, a failure is a [`Code`]. An unknown name is an error; there is no default code.
//! Each contract's module has that contract's spelling of the codes.

mod jsonrpc;

use std::fmt;

/// The catalogue's entry for a code, independent of any contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The canonical name, as in logs and observations.
    pub name: &'static str,
    /// The meaning, for people.
    pub meaning: &'static str,
    /// The status on plain HTTP.
    pub http_status: u16,
    /// The JSON-RPC error code outside MCP: `POST /tools/{name}` and the `strict` profile.
    pub jsonrpc_plain: i32,
    /// The JSON-RPC error code on an MCP endpoint.
    pub jsonrpc_mcp: i32,
    /// Whether a retry of the same call may succeed.
    pub retry: Retry,
    /// The message if nothing more specific is known.
    pub message: &'static str,
    /// The remedy for the caller.
    pub remedy: &'static str,
}

/// Whether a retry of the same call may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The same call fails in the same way.
    No,
    /// The same call may succeed later.
    Yes,
}

macro_rules! catalogue {
    ($($(#[doc = $doc:literal])+ $code:ident => {
        name: $name:literal,
        http: $http:literal, plain: $plain:literal, mcp: $mcp:literal, retry: $retry:ident,
        message: $message:literal,
        remedy: $remedy:literal,
    })+) => {
        /// A canonical failure code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($(#[doc = $doc])+ $code,)+
        }

        impl Code {
            /// Every code, in the order of the catalogue.
            pub const ALL: &'static [Code] = &[$(Code::$code,)+];

            /// Returns the catalogue's entry for this code.
            #[must_use]
            pub const fn entry(self) -> &'static Entry {
                match self {
                    $(Code::$code => const { &Entry {
                        name: $name,
                        meaning: concat!($($doc),+).trim_ascii(),
                        http_status: $http,
                        jsonrpc_plain: $plain,
                        jsonrpc_mcp: $mcp,
                        retry: Retry::$retry,
                        message: $message,
                        remedy: $remedy,
                    } },)+
                }
            }
        }
    };
}

catalogue! {
    /// The request is not JSON.
    ParseError => {
        name: "PARSE_ERROR",
        http: 400, plain: -32700, mcp: -32700, retry: No,
        message: "The request is not valid JSON",
        remedy: "Send one JSON value in UTF-8",
    }
    /// The method in the request does not exist.
    MethodNotFound => {
        name: "METHOD_NOT_FOUND",
        http: 404, plain: -32601, mcp: -32601, retry: No,
        message: "Unknown method",
        remedy: "Call a method that the server announces in its capabilities",
    }
    /// The request is JSON, but not a JSON-RPC request: a required member is missing or wrong.
    InvalidEnvelope => {
        name: "INVALID_ENVELOPE",
        http: 400, plain: -32600, mcp: -32600, retry: No,
        message: "Invalid MCP envelope",
        remedy: "Send `id`, `jsonrpc` \"2.0\", `method` and an object as `params`",
    }
    /// The arguments do not match the tool's input schema, or the tool rejected them.
    InvalidToolInput => {
        name: "INVALID_TOOL_INPUT",
        http: 422, plain: -32602, mcp: -32602, retry: No,
        message: "Invalid tool input",
        remedy: "Verify the parameter values and try again.",
    }
    /// A path is malformed, or is outside the folders that the tool may use.
    InvalidPath => {
        name: "INVALID_PATH",
        http: 400, plain: -32602, mcp: -32602, retry: No,
        message: "Invalid path",
        remedy: "Give a path inside the allowed folders, without `..`",
    }
    /// No server offers the tool named in the request.
    ToolNotFound => {
        name: "TOOL_NOT_FOUND",
        http: 404, plain: -32001, mcp: -32602, retry: No,
        message: "Unknown tool",
        remedy: "List the tools again and call one of the listed names",
    }
    /// The requested resource does not exist.
    NotFound => {
        name: "NOT_FOUND",
        http: 404, plain: -32002, mcp: -32602, retry: No,
        message: "Not found",
        remedy: "Check the name or path, and that it exists",
    }
    /// The caller sent no credentials, or invalid ones.
    Unauthenticated => {
        name: "UNAUTHENTICATED",
        http: 401, plain: -32603, mcp: -32603, retry: No,
        message: "Authentication required",
        remedy: "Sign in again, or send valid credentials",
    }
    /// The caller is authenticated, but not authorized.
    Forbidden => {
        name: "FORBIDDEN",
        http: 403, plain: -32603, mcp: -32603, retry: No,
        message: "Permission denied",
        remedy: "Request the permission, or use something that you have access to",
    }
    /// The feature is disabled for this caller.
    FeatureDisabled => {
        name: "FEATURE_DISABLED",
        http: 403, plain: -32603, mcp: -32603, retry: No,
        message: "The feature is not enabled",
        remedy: "Ask the operator to enable the feature",
    }
    /// The feature requires a higher tier than the caller's.
    UpgradeRequired => {
        name: "UPGRADE_REQUIRED",
        http: 403, plain: -32603, mcp: -32603, retry: No,
        message: "A higher tier is required",
        remedy: "Upgrade to the tier that the message names, or do without the feature",
    }
    /// The operation conflicts with another one, or with the current state.
    Conflict => {
        name: "CONFLICT",
        http: 409, plain: -32603, mcp: -32603, retry: Yes,
        message: "A conflicting operation is in progress",
        remedy: "Wait for the conflicting operation to complete, or cancel it before retrying \
                 this operation.",
    }
    /// A request, an argument or a result exceeds a size limit.
    TooLarge => {
        name: "TOO_LARGE",
        http: 413, plain: -32602, mcp: -32602, retry: No,
        message: "Too large",
        remedy: "Ask for less: a filter, a range, a page or a smaller file",
    }
    /// The caller sent too many calls.
    RateLimited => {
        name: "RATE_LIMITED",
        http: 429, plain: -32603, mcp: -32603, retry: Yes,
        message: "Rate limit exceeded",
        remedy: "Wait before the next call, and make fewer of them",
    }
    /// The caller cancelled the call before it ended.
    Cancelled => {
        name: "CANCELLED",
        http: 499, plain: -32603, mcp: -32603, retry: Yes,
        message: "The operation was cancelled by the user",
        remedy: "Call again if you still need the result",
    }
    /// The call exceeded its timeout.
    Timeout => {
        name: "TIMEOUT",
        http: 504, plain: -32603, mcp: -32603, retry: Yes,
        message: "The operation timed out",
        remedy: "Try again, request less, or raise the timeout",
    }
    /// The tool exists, but something that it needs is missing.
    CapabilityNotAvailable => {
        name: "CAPABILITY_NOT_AVAILABLE",
        http: 501, plain: -32603, mcp: -32603, retry: No,
        message: "The capability is not available in this environment",
        remedy: "Install or configure what is missing, or use another tool",
    }
    /// The tool's server is unreachable, or exited during the call.
    UpstreamUnavailable => {
        name: "UPSTREAM_UNAVAILABLE",
        http: 503, plain: -32603, mcp: -32603, retry: Yes,
        message: "The tool's server is not available",
        remedy: "Try again in a moment; if it is still unavailable, read the server's log",
    }
    /// The tool's result violates its output schema or its contract.
    InvalidToolOutput => {
        name: "INVALID_TOOL_OUTPUT",
        http: 502, plain: -32603, mcp: -32603, retry: No,
        message: "The tool's result is not valid",
        remedy: "Report it to the tool's author; the arguments are not the cause",
    }
    /// A command ended with an exit code other than 0.
    CommandFailed => {
        name: "COMMAND_FAILED",
        http: 500, plain: -32603, mcp: -32603, retry: No,
        message: "The command failed",
        remedy: "Check the command syntax and arguments",
    }
    /// The tool reported a failure without a known code.
    ToolFailed => {
        name: "TOOL_FAILED",
        http: 500, plain: -32603, mcp: -32603, retry: No,
        message: "The tool failed",
        remedy: "Read the message; change the arguments or use another tool",
    }
    /// An internal error occurred in Manila, or a tool reported one.
    InternalError => {
        name: "INTERNAL_ERROR",
        http: 500, plain: -32603, mcp: -32603, retry: Yes,
        message: "Internal error",
        remedy: "Try again; if it happens again, report it with the request id",
    }
}

impl Code {
    /// Parses a canonical name. There is no fallback: an unknown name is an error.
    ///
    /// ```
    /// use manila::Code;
    /// assert_eq!(Code::from_name("TOOL_NOT_FOUND"), Ok(Code::ToolNotFound));
    /// assert!(Code::from_name("tool_not_found").is_err());
    /// ```
    pub fn from_name(name: &str) -> Result<Code, UnknownCode> {
        let found = Code::ALL.iter().copied().find(|code| code.name() == name);
        found.ok_or_else(|| UnknownCode(name.to_owned()))
    }

    /// Returns the canonical name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// Returns whether a retry of the same call may succeed.
    #[must_use]
    pub fn is_retryable(self) -> bool {
        self.entry().retry == Retry::Yes
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a canonical failure code")]
pub struct UnknownCode(pub String);
