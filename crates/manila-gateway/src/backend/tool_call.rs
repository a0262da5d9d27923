//! A tool call, parsed: which tool of this server, with which arguments, presented how.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::Request;
use tokio::time::Instant;

use super::consent::Wish;
use super::own_arguments::Taken;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::{Presentation, TextMode};

/// A tool call, parsed.
#[derive(Clone)]
pub(super) struct ToolCall<'a> {
    pub(super) request: &'a Request,
    pub(super) caller: &'a Arc<Caller>,
    /// The tool, as its server knows it.
    pub(super) name: String,
    /// The tool, as clients know it.
    pub(super) public: String,
    pub(super) arguments: Option<RawJson>,
    pub(super) wish: Wish,
    pub(super) presentation: Presentation,
    pub(super) started: Instant,
}

impl<'c> ToolCall<'c> {
    /// The server's own name of the tool, where clients know another.
    pub(super) fn own_name(&self) -> Option<String> {
        (self.name != self.public).then(|| self.name.clone())
    }

    /// The same call, presented as plain text.
    pub(super) fn plainly(&self) -> ToolCall<'c> {
        let mut call = self.clone();
        call.presentation.text = TextMode::Plain;
        call
    }

    /// The same call without the arguments that are ours.
    pub(super) fn without_ours<'a>(&'a self, taken: &'a Taken) -> ToolCall<'a> {
        let text = self.presentation.text;
        let text = taken.is_readable.map_or(text, |value| text.with_machine_readable(value));
        ToolCall {
            request: &taken.request,
            arguments: Some(taken.arguments.clone()),
            wish: taken.wish.unwrap_or(self.wish),
            presentation: Presentation { text, ..self.presentation },
            ..self.clone()
        }
    }
}
