//! A tool call, taken apart.

use std::sync::Arc;

use manila::RawJson;
use manila::request_envelope::Request;
use tokio::time::Instant;

use super::consent::Wish;
use super::own_arguments::Taken;
use crate::protocol::caller::Caller;
use crate::protocol::presentation::Told;
use crate::rt::clock;

/// A tool call, taken apart.
#[derive(Clone)]
pub(super) struct ToolCall<'a> {
    pub(super) request: &'a Request,
    pub(super) caller: &'a Arc<Caller>,
    /// The tool, as its server knows it.
    pub(super) name: String,
    /// The tool, as clients know it, where that is another name.
    pub(super) public: Option<String>,
    pub(super) arguments: Option<RawJson>,
    pub(super) request_id: Option<String>,
    pub(super) wish: Wish,
    pub(super) told: Told,
    pub(super) started: Instant,
}

impl<'c> ToolCall<'c> {
    /// A call of which nothing but the tool is known.
    pub(super) fn named(request: &'c Request, caller: &'c Arc<Caller>, tool: &str) -> ToolCall<'c> {
        ToolCall {
            request,
            caller,
            name: tool.to_owned(),
            public: None,
            arguments: None,
            request_id: None,
            wish: Wish::None,
            told: Told::Envelope,
            started: clock::now(),
        }
    }

    /// The tool, as its server knows it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The tool, as clients know it.
    pub(super) fn public(&self) -> &str {
        self.public.as_deref().unwrap_or(&self.name)
    }

    /// The same call, of which somebody reads the answer.
    pub(super) fn plainly(&self) -> ToolCall<'c> {
        ToolCall { told: Told::Plain, ..self.clone() }
    }

    /// The same call without the arguments that are ours.
    pub(super) fn without_ours<'a>(&'a self, taken: &'a Taken) -> ToolCall<'a> {
        ToolCall {
            request: &taken.request,
            arguments: Some(taken.arguments.clone()),
            wish: taken.wish.unwrap_or(self.wish),
            told: taken.told(self.told),
            ..self.clone()
        }
    }
}
