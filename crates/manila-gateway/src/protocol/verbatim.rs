//! The parts of a server's message that its client needs unchanged, so that they are not redacted.
//!
//! These are ids, the schema of a question, the URL of a page to visit, and the names of tools that
//! a model may use. Every other text is redacted. `manila-redact` itself exempts the members that
//! have the same meaning in every message, such as `taskId` and `requestState`.

use std::ops::Range;

use manila::RawJson;
use manila::request_envelope::{Notification, Request, Response};

use super::era::Era;

/// The error number for a page that the user must visit first.
pub(crate) const URL_ELICITATION_REQUIRED: i64 = -32042;

/// Parts of a message, which do not overlap.
pub(crate) struct VerbatimParts<'a> {
    whole: &'a [u8],
    /// In the order of the message, so that a message with many parts takes little time.
    ranges: Vec<Range<usize>>,
}

impl<'a> VerbatimParts<'a> {
    /// Returns no parts of a message.
    pub(crate) fn none(whole: &'a RawJson) -> VerbatimParts<'a> {
        VerbatimParts { whole: whole.as_bytes(), ranges: Vec::new() }
    }

    /// Returns the parts of a response of a server of this era.
    pub(crate) fn of_response(response: &'a Response, era: Era) -> VerbatimParts<'a> {
        let mut parts = VerbatimParts::none(&response.frame);
        match &response.answer {
            Ok(result) => parts.add_input_requests(result, era),
            Err(error) if error_number(error) == Some(URL_ELICITATION_REQUIRED) => {
                let elicitations = error.get("data").and_then(|data| data.get("elicitations"));
                for elicitation in elicitations.iter().flat_map(RawJson::items) {
                    parts.add_member(&elicitation, "elicitationId");
                    parts.add_member(&elicitation, "url");
                }
            }
            Err(_) => {}
        }
        parts.sort()
    }

    /// Returns the parts of a server's request to a client.
    pub(crate) fn of_request(request: &'a Request) -> VerbatimParts<'a> {
        let mut parts = VerbatimParts::none(&request.frame);
        parts.add(request.id.as_bytes());
        parts.add_member(&request.frame, "method");
        if let Some(params) = &request.params {
            parts.add_params(&request.method, params.as_raw());
        }
        parts.sort()
    }

    /// Returns the parts of a notification of a server of this era.
    pub(crate) fn of_notification(notification: &'a Notification, era: Era) -> VerbatimParts<'a> {
        let mut parts = VerbatimParts::none(&notification.frame);
        if let Some(params) = &notification.params {
            if notification.method == "notifications/elicitation/complete" {
                parts.add_member(params.as_raw(), "elicitationId");
            }
            parts.add_input_requests(params.as_raw(), era);
        }
        parts.sort()
    }

    /// Returns whether one of the parts contains this range of the message.
    pub(crate) fn contain(&self, range: &Range<usize>) -> bool {
        let n_before = self.ranges.partition_point(|it| it.start <= range.start);
        let last = n_before.checked_sub(1).and_then(|last| self.ranges.get(last));
        last.is_some_and(|it| range.end <= it.end)
    }

    fn sort(mut self) -> VerbatimParts<'a> {
        self.ranges.sort_unstable_by_key(|range| range.start);
        self
    }

    /// Adds the parts of the questions in a result or a task, by their ids. Only the modern era has
    /// such questions.
    fn add_input_requests(&mut self, object: &RawJson, era: Era) {
        let has = |name: &str| {
            let value = object.get(name);
            value.as_ref().and_then(RawJson::as_text).is_some_and(|it| it == "input_required")
        };
        if era != Era::Modern || !(has("resultType") || has("status")) {
            return;
        }
        let requests = object.get("inputRequests");
        for request in requests.iter().flat_map(RawJson::members) {
            self.add(request.key_token());
            let request = request.value();
            let (method, params) = (request.get("method"), request.get("params"));
            let method = method.as_ref().and_then(RawJson::as_text);
            if let (Some(method), Some(params)) = (method, params) {
                self.add_params(&method, &params);
            }
        }
    }

    /// Adds the parts of the parameters of a request to a client.
    fn add_params(&mut self, method: &str, params: &RawJson) {
        match method {
            "elicitation/create" => {
                self.add_member(params, "requestedSchema");
                self.add_member(params, "elicitationId");
                if params.get("mode").is_some_and(|mode| mode.as_bytes() == b"\"url\"") {
                    self.add_member(params, "url");
                }
            }
            "sampling/createMessage" => {
                let tools = params.get("tools");
                for tool in tools.iter().flat_map(RawJson::items) {
                    self.add_member(&tool, "name");
                    self.add_member(&tool, "inputSchema");
                    self.add_member(&tool, "outputSchema");
                }
                let messages = params.get("messages");
                for message in messages.iter().flat_map(RawJson::items) {
                    let content = message.get("content");
                    // One block, or an array of blocks. A block has no items of its own.
                    for block in content.iter().flat_map(RawJson::items).chain(content.clone()) {
                        self.add_block(&block);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the ids in a block of a message for a model.
    fn add_block(&mut self, block: &RawJson) {
        let kind = block.get("type");
        match kind.as_ref().and_then(RawJson::as_text).as_deref() {
            Some("tool_use") => {
                self.add_member(block, "id");
                self.add_member(block, "name");
            }
            Some("tool_result") => self.add_member(block, "toolUseId"),
            Some(_) | None => {}
        }
    }

    fn add_member(&mut self, object: &RawJson, name: &str) {
        if let Some(value) = object.get(name) {
            self.add(value.as_bytes());
        }
    }

    /// Adds a part, which must be a slice of the message.
    fn add(&mut self, part: &[u8]) {
        let start = part.as_ptr().addr().saturating_sub(self.whole.as_ptr().addr());
        self.ranges.push(start..start + part.len());
    }
}

/// Returns the number of a JSON-RPC error.
pub(crate) fn error_number(error: &RawJson) -> Option<i64> {
    error.get("code")?.as_str().parse().ok()
}
