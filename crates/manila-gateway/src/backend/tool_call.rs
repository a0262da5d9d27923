//! A parsed tool call: the tool, its arguments, and how the result is presented.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::Request;
use tokio::time::Instant;

use super::consent::RequestedOutput;
use super::gateway_arguments::StrippedCall;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::{Presentation, TextMode};

/// A parsed tool call.
#[derive(Clone)]
pub(super) struct ToolCall<'a> {
    pub(super) request: &'a Request,
    pub(super) caller: &'a Arc<Caller>,
    /// The server's name for the tool.
    pub(super) name: String,
    /// The name that clients see.
    pub(super) public_name: String,
    pub(super) arguments: Option<RawJson>,
    pub(super) requested_output: RequestedOutput,
    pub(super) presentation: Presentation,
    pub(super) started: Instant,
}

impl<'c> ToolCall<'c> {
    /// Returns the server's name for the tool, if clients see another one.
    pub(super) fn backend_name(&self) -> Option<String> {
        (self.name != self.public_name).then(|| self.name.clone())
    }

    /// Returns the same call, presented as plain text.
    pub(super) fn as_plain_text(&self) -> ToolCall<'c> {
        let mut call = self.clone();
        call.presentation.text = TextMode::Plain;
        call
    }

    /// Returns the same call without the gateway's own arguments.
    pub(super) fn without_gateway_arguments<'a>(
        &'a self,
        stripped: &'a StrippedCall,
    ) -> ToolCall<'a> {
        let text = self.presentation.text;
        let text =
            stripped.machine_readable.map_or(text, |value| text.with_machine_readable(value));
        ToolCall {
            request: &stripped.request,
            arguments: Some(stripped.arguments.clone()),
            requested_output: stripped.requested_output.unwrap_or(self.requested_output),
            presentation: Presentation { text, ..self.presentation },
            ..self.clone()
        }
    }
}
