//! Failures in protocol messages (Q4): the HTTP status and the JSON-RPC error object.

use super::{Code, Entry};
use crate::raw_json::{Emit, JsonObject, ObjectWriter};
use crate::violation::Violation;

impl Code {
    /// Returns the status on plain HTTP.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        self.entry().http_status
    }

    /// Returns the error object outside MCP, which has only `code` and `message`.
    ///
    /// ```
    /// use manila::Code;
    /// assert_eq!(
    ///     Code::ToolNotFound.jsonrpc_error_plain().to_string(),
    ///     r#"{"code":-32001,"message":"Unknown tool"}"#
    /// );
    /// ```
    #[must_use]
    pub fn jsonrpc_error_plain(self) -> JsonObject {
        let Entry { jsonrpc_plain, message, .. } = self.entry();
        JsonObject::build(|object| {
            object.member("code", &i64::from(*jsonrpc_plain));
            object.member("message", *message);
        })
    }

    /// Returns the error object on MCP. Its `data` has the canonical code, and the broken rules if
    /// any are known. Without a `message`, the catalogue's is used.
    ///
    /// ```
    /// use manila::{Code, Violation};
    /// let violation = Violation::new("/id", "required", "is required");
    /// assert_eq!(
    ///     Code::InvalidEnvelope.jsonrpc_error_mcp(None, &[violation]).to_string(),
    ///     concat!(
    ///         r#"{"code":-32600,"message":"Invalid MCP envelope","data":"#,
    ///         r#"{"canonicalCode":"INVALID_ENVELOPE","violations":"#,
    ///         r#"[{"pointer":"/id","rule":"required","message":"is required"}]}}"#
    ///     )
    /// );
    /// ```
    #[must_use]
    pub fn jsonrpc_error_mcp(self, message: Option<&str>, violations: &[Violation]) -> JsonObject {
        let entry = self.entry();
        JsonObject::build(|object| {
            object.member("code", &i64::from(entry.jsonrpc_mcp));
            object.member("message", message.unwrap_or(entry.message));
            object.member("data", &Data { code: self, violations });
        })
    }
}

struct Data<'a> {
    code: Code,
    violations: &'a [Violation],
}

impl Emit for Data<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Data { code, violations } = *self;
        let mut object = ObjectWriter::begin(out);
        object.member("canonicalCode", code.name());
        object.member("violations", &(!violations.is_empty()).then_some(violations));
        object.end();
    }
}

#[cfg(test)]
mod tests;
