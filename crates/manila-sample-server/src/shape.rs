//! The shape of a result: what an era puts around what a handler wrote.

use super::answer::{self, push, push_string};

/// What is put around a result.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Nothing.
    Legacy,
    /// The type of the result, who answered, and for how long a client may keep it.
    Modern {
        /// More members, each with a comma before it.
        hints: &'static str,
    },
}

/// An answer whose result is being written.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub(super) struct Opened {
    /// Where the handler's own result begins.
    at: usize,
}

/// Whether a result has a `_meta` of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnMeta {
    Absent,
    Present,
}

impl Shape {
    /// Begins the answer to the request `id`; a result, which is an object, comes next.
    pub(super) fn open(self, out: &mut Vec<u8>, id: &str) -> Opened {
        answer::open(out, id);
        match self {
            Shape::Legacy => {}
            Shape::Modern { .. } => push(out, "{\"resultType\":\"complete\""),
        }
        Opened { at: out.len() }
    }

    /// Makes one object of our own members and the beginning of a result.
    pub(super) fn join(self, out: &mut Vec<u8>, opened: Opened) {
        let Shape::Modern { .. } = self else { return };
        if out.get(opened.at + 1) == Some(&b'}') {
            // A result without members has nothing to be told apart from ours.
            out.remove(opened.at);
        } else if let Some(brace) = out.get_mut(opened.at) {
            *brace = b',';
        }
    }

    /// Ends the answer, whose result is complete.
    pub(super) fn close(self, out: &mut Vec<u8>, own_meta: OwnMeta) {
        if let Shape::Modern { hints } = self {
            // The last brace of the result: more members follow.
            out.pop();
            push(out, hints);
            if own_meta == OwnMeta::Absent {
                push_server_info(out);
            }
            push(out, "}");
        }
        answer::close(out);
    }
}

/// The whole answer that is not the last word: the client is asked first, or a task has begun.
pub(super) fn unfinished(out: &mut Vec<u8>, id: &str, kind: &str, members: &str) {
    answer::open(out, id);
    push(out, "{\"resultType\":");
    push_string(out, kind);
    push(out, ",");
    push(out, members);
    push_server_info(out);
    push(out, "}");
    answer::close(out);
}

/// The answer that ends a subscription from our side.
pub(super) fn subscription_ended(out: &mut Vec<u8>, id: &str) {
    answer::open(out, id);
    push(
        out,
        "{\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":",
    );
    push(out, id);
    push(out, "}}");
    answer::close(out);
}

fn push_server_info(out: &mut Vec<u8>) {
    push(out, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"manila-sample\"");
    push(out, ",\"version\":");
    push_string(out, env!("CARGO_PKG_VERSION"));
    push(out, "}}");
}
