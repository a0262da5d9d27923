//! Results that clients get without an envelope: they are checked and redacted like all others.
//!
//! A warning about such a result is in its `_meta`, because there is no envelope for it.

use manila::json::{Emit, Kind, ObjectWriter};
use manila::pipeline::{MismatchCause, OutputCheck, Verdict, check_unsealed};
use manila::request_envelope::{Message, Request};
use manila::{Failed, Failure, JsonObject, McpResult, Observed, RawJson, Warning};

use super::send_request::ServerResponse;
use super::tool_call::ToolCall;
use super::tools::Tool;
use super::{Answer, Backend, mcp_response};
use crate::config;
use crate::protocol::era::Era;
use crate::protocol::jsonrpc::Edits;
use crate::protocol::meta_keys;

/// The place of a tool's result in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResultPlace {
    /// The response itself.
    Response,
    /// The member `result` of a task's details.
    TaskDetails,
}

impl ResultPlace {
    /// Returns the result, if the response has one.
    pub(super) fn result(self, response: &ServerResponse) -> Option<RawJson> {
        let answer = response.answer().ok()?;
        match self {
            ResultPlace::Response => Some(answer.clone()),
            ResultPlace::TaskDetails => answer.get("result"),
        }
    }
}

/// Whether secrets are redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    Redacted,
    Kept,
}

/// The tool whose result is returned, and the client that gets it.
#[derive(Clone, Copy)]
pub(super) struct CalledTool<'a> {
    /// The name that clients see.
    pub(super) name: &'a str,
    pub(super) tool: Option<&'a Tool>,
    pub(super) client: Era,
}

impl Backend {
    /// Answers a call with the server's response, without an envelope. A result that a strict check
    /// refuses is replaced by a failure.
    pub(super) fn return_unsealed(
        &self,
        call: &ToolCall<'_>,
        tool: Option<&Tool>,
        response: ServerResponse,
    ) -> Answer {
        let consent = self.find_consent(&call.public_name, call.requested_output);
        let secrets = if consent.is_some() { Secrets::Kept } else { Secrets::Redacted };
        let called = CalledTool { name: &call.public_name, tool, client: call.caller.era() };
        let place = ResultPlace::Response;
        match self.check_and_redact(called, call.request, response, place, secrets) {
            Ok(response) => Answer::Passthrough(self.with_public_task(response)),
            Err(failure) => self.fail(call, observe(*failure)),
        }
    }

    /// Checks the result in a response before and after its secrets are redacted. Fails if a strict
    /// check refuses the result.
    pub(super) fn check_and_redact(
        &self,
        called: CalledTool<'_>,
        request: &Request,
        response: ServerResponse,
        place: ResultPlace,
        secrets: Secrets,
    ) -> Result<ServerResponse, Box<Failure>> {
        let check = |response: &ServerResponse, cause| match place.result(response) {
            Some(result) => self.check_result(called, response, &result, cause),
            None => Ok(None),
        };
        let mut warning = check(&response, MismatchCause::Tool)?;
        let response = match secrets {
            Secrets::Kept => response,
            Secrets::Redacted => {
                let before = response.response.frame.clone();
                let redacted = self.redact(request, response);
                if warning.is_none() && redacted.response.frame != before {
                    warning = check(&redacted, MismatchCause::Redaction)?;
                }
                redacted
            }
        };
        Ok(match warning {
            Some(warning) => with_warning(response, place, &warning),
            None => response,
        })
    }

    /// Checks a result against its tool's output schema. Returns the warning about it, if any, or
    /// the failure that replaces it.
    fn check_result(
        &self,
        called: CalledTool<'_>,
        response: &ServerResponse,
        result: &RawJson,
        cause: MismatchCause,
    ) -> Result<Option<Warning>, Box<Failure>> {
        let schema = called.tool.and_then(|tool| tool.output.as_ref());
        let Some(schema) = schema else { return Ok(None) };
        let check = |payload: &RawJson| schema.check(payload);
        let check = match self.settings().output_check_for(called.name) {
            config::OutputCheck::Strict => OutputCheck::strict(&check),
            config::OutputCheck::Warn => OutputCheck::new(&check),
            config::OutputCheck::Off => return Ok(None),
        };
        let object = JsonObject::new(result.clone()).unwrap_or_default();
        let result = McpResult::from_object(&object);
        let has_payload = object.get("structuredContent").is_some_and(|it| it.kind() != Kind::Null);
        if !has_payload && mcp_response::is_unfinished(&result, response.era, called.client) {
            return Ok(None);
        }
        match check_unsealed(&result, check, cause) {
            Verdict::Match => Ok(None),
            Verdict::Warning(warning) => Ok(Some(warning)),
            Verdict::Failure(failure) => Err(failure),
        }
    }
}

/// Returns the observation of a call whose result is refused.
fn observe(failure: Failure) -> Observed {
    let message = failure.message.into_owned();
    let mut failed = Failed::new(failure.code, message);
    failed.remediation = failure.hint.map(manila::Text::into_owned);
    failed.details = failure.details;
    Observed::Failed(Box::new(failed))
}

/// Adds a warning to the `_meta` of a result, after those that the server has added there.
fn with_warning(response: ServerResponse, place: ResultPlace, warning: &Warning) -> ServerResponse {
    let Some(result) = place.result(&response).filter(|it| it.kind() == Kind::Object) else {
        return response;
    };
    let mut edits = Edits::of(&response.response.frame);
    let given = result.get("_meta");
    let earlier = given.as_ref().and_then(|meta| meta.get(meta_keys::WARNINGS));
    let warnings = Warnings { earlier: earlier.as_ref(), added: warning };
    match (&given, &earlier) {
        (Some(_), Some(earlier)) => edits.replace(earlier, &encode(&warnings)),
        (Some(meta), None) if meta.kind() == Kind::Object => {
            edits.add_member(meta, |out| write_member(out, meta_keys::WARNINGS, &warnings));
        }
        (Some(_), None) => return response,
        (None, _) => edits.add_member(&result, |out| {
            let meta = JsonObject::build(|object| object.member(meta_keys::WARNINGS, &warnings));
            write_member(out, "_meta", &meta);
        }),
    }
    match Message::from_json(edits.apply()) {
        Ok(Message::Response(edited)) => ServerResponse { response: edited, era: response.era },
        // A response with another member is still a response.
        Ok(Message::Request(_) | Message::Notification(_)) | Err(_) => response,
    }
}

fn write_member(out: &mut Vec<u8>, name: &str, value: &impl Emit) {
    name.emit(out);
    out.push(b':');
    value.emit(out);
}

fn encode(value: &impl Emit) -> Vec<u8> {
    let mut out = Vec::new();
    value.emit(&mut out);
    out
}

/// The warnings that the server has added to a result, and one that the gateway adds.
struct Warnings<'a> {
    earlier: Option<&'a RawJson>,
    added: &'a Warning,
}

impl Emit for Warnings<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Warning { code, severity, message, context } = self.added;
        out.push(b'[');
        for earlier in self.earlier.iter().flat_map(|earlier| earlier.items()) {
            earlier.emit(out);
            out.push(b',');
        }
        let mut object = ObjectWriter::begin(out);
        object.member("code", code);
        object.member("severity", &severity.map(manila::Severity::name));
        object.member("message", message);
        if !context.is_empty() {
            object.member("context", context);
        }
        object.end();
        out.push(b']');
    }
}
