//! The shape of a result: the members that an era adds to the result of a handler.

use super::jsonrpc::{self, push, push_string};

/// The members that the server adds to a result.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// None.
    Legacy,
    /// The type of the result, the server's name and version, and the cache hints.
    Modern {
        /// The cache hints, as members with a leading comma each.
        hints: &'static str,
    },
}

/// A response whose result is being written.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(super) struct OpenResult {
    /// The position where the handler's result begins.
    start: usize,
}

/// Whether the handler's result contains `_meta`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandlerMeta {
    Absent,
    Present,
}

impl Shape {
    /// Begins the response to the request `id`. The handler's result, which is an object, follows.
    pub(super) fn open(self, out: &mut Vec<u8>, id: &str) -> OpenResult {
        jsonrpc::open(out, id);
        match self {
            Shape::Legacy => {}
            Shape::Modern { .. } => push(out, "{\"resultType\":\"complete\""),
        }
        OpenResult { start: out.len() }
    }

    /// Joins the server's members and the start of the handler's result into one object.
    pub(super) fn join(self, out: &mut Vec<u8>, opened: OpenResult) {
        let Shape::Modern { .. } = self else { return };
        if out.get(opened.start + 1) == Some(&b'}') {
            // A result without members needs no comma.
            out.remove(opened.start);
        } else if let Some(brace) = out.get_mut(opened.start) {
            *brace = b',';
        }
    }

    /// Ends the response after the handler's result.
    pub(super) fn close(self, out: &mut Vec<u8>, handler_meta: HandlerMeta) {
        if let Shape::Modern { hints } = self {
            // The last brace of the result: more members follow.
            out.pop();
            push(out, hints);
            if handler_meta == HandlerMeta::Absent {
                push_server_info(out);
            }
            push(out, "}");
        }
        jsonrpc::close(out);
    }
}

/// Appends a response that is not final: the server requires input, or it has started a task.
pub(super) fn push_unfinished(out: &mut Vec<u8>, id: &str, kind: &str, members: &str) {
    jsonrpc::open(out, id);
    push(out, "{\"resultType\":");
    push_string(out, kind);
    push(out, ",");
    push(out, members);
    push_server_info(out);
    push(out, "}");
    jsonrpc::close(out);
}

/// Appends the response that ends a subscription from the server's side.
pub(super) fn push_subscription_end(out: &mut Vec<u8>, id: &str) {
    jsonrpc::open(out, id);
    push(
        out,
        "{\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":",
    );
    push(out, id);
    push(out, "}}");
    jsonrpc::close(out);
}

fn push_server_info(out: &mut Vec<u8>) {
    push(out, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"manila-sample\"");
    push(out, ",\"version\":");
    push_string(out, env!("CARGO_PKG_VERSION"));
    push(out, "}}");
}
