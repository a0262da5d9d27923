//! Encodes responses in the format of the client's era.

use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use crate::backend::{Answer, Forwarded, Sealed, ServerResponse, TaskDetails};
use crate::gateway::Gateway;
use crate::gateway::dispatch::EncodedResponse;
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::era::{self, Era, OwnInfo, meta};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::meta_keys;
use crate::protocol::outgoing::{LARGE_BYTES, LargeParts, Outgoing, Part};
use crate::protocol::presentation::{Placement, TextMode};
use crate::protocol::request_source::RequestSource;

/// The recipient of a response.
struct Recipient<'a> {
    era: Era,
    /// The only server's name and version, if the era repeats them in each response.
    server: Option<RawJson>,
    source: &'a RequestSource,
}

/// A response, encoded for an MCP client.
pub(crate) struct Encoded {
    pub(crate) frame: Outgoing,
    /// The JSON-RPC error code, if the response is an error.
    pub(crate) error: Option<i64>,
}

impl EncodedResponse for Encoded {
    fn n_bytes(&self) -> usize {
        self.frame.len()
    }
}

impl Encoded {
    /// Returns what takes the place of a response that no client can read.
    pub(crate) fn unsent() -> Encoded {
        Encoded { frame: Bytes::new().into(), error: None }
    }

    fn result(frame: impl Into<Outgoing>) -> Encoded {
        Encoded { frame: frame.into(), error: None }
    }

    /// Encodes a refusal by the gateway; `id` is `None` if the message's id cannot be read.
    pub(crate) fn fault(id: Option<&RawJson>, fault: &Fault) -> Encoded {
        let number = i64::from(fault.code.entry().jsonrpc_mcp);
        Encoded { frame: jsonrpc::error(id, fault).into(), error: Some(number) }
    }

    fn error(frame: impl Into<Outgoing>, error: &RawJson) -> Encoded {
        let number = error.get("code").and_then(|code| code.as_str().parse().ok());
        Encoded { frame: frame.into(), error: Some(number.unwrap_or_default()) }
    }
}

/// Encodes a response to a request of an MCP client.
pub(crate) fn encode(
    gateway: &Gateway,
    request: &Request,
    caller: &Caller,
    response: &Response,
) -> Encoded {
    let era = caller.era();
    let server = match era {
        Era::Modern => gateway.server_info(era),
        Era::Legacy(_) => None,
    };
    let recipient = &Recipient { era, server, source: &caller.source };
    match response {
        Response::Tool(answer) => encode_tool_answer(request, answer, recipient),
        Response::Task(details) => encode_task_details(request, details, recipient),
        Response::Forwarded(forwarded) => encode_forwarded(request, forwarded, recipient),
        Response::Result(_)
        | Response::Refused(_)
        | Response::ProtocolViolation(_)
        | Response::Error(..) => encode_era_independent(Some(&request.id), response),
    }
}

/// Encodes a response that is the same in every era. Responses of servers are not.
pub(crate) fn encode_era_independent(id: Option<&RawJson>, response: &Response) -> Encoded {
    match response {
        Response::Result(result) => match id {
            Some(id) => Encoded::result(jsonrpc::result(id, result)),
            None => Encoded::fault(id, &Fault::new(Code::InternalError)),
        },
        Response::Refused(fault) => Encoded::fault(id, fault),
        Response::ProtocolViolation(violation) => {
            let frame = jsonrpc::error(id, violation).into();
            Encoded { frame, error: Some(violation.number) }
        }
        Response::Error(error, _) => Encoded::error(jsonrpc::error(id, error), error),
        Response::Tool(_) | Response::Task(_) | Response::Forwarded(_) => {
            Encoded::fault(id, &Fault::new(Code::InternalError))
        }
    }
}

/// Encodes the refusal of a message whose id cannot be read, for HTTP: without the member `id`.
pub(crate) fn encode_without_id(response: &Response) -> Encoded {
    let Encoded { frame, error } = encode_era_independent(None, response);
    let frame = frame.into_bytes();
    let message = RawJson::parse(frame.clone()).ok().and_then(JsonObject::new);
    let frame = message.map_or(frame, |it| RawJson::from(it.without("id")).to_bytes());
    Encoded { frame: frame.into(), error }
}

fn encode_tool_answer(request: &Request, answer: &Answer, recipient: &Recipient<'_>) -> Encoded {
    let id = &request.id;
    match answer {
        Answer::Sealed(sealed) => {
            let large = LargeParts::default();
            let result = ToolResult { sealed, recipient, large: &large };
            let frame = jsonrpc::large_result(id, &result, result.estimate_size());
            Encoded::result(large.insert_into(frame))
        }
        Answer::Passthrough(server_response) => {
            encode_passthrough(request, server_response, recipient)
        }
        Answer::Plain { result, .. } => encode_rewritten(request, result, Era::FALLBACK, recipient),
        Answer::Refused(refusal) => Encoded::fault(Some(id), &refusal.fault),
    }
}

/// Encodes the details of a task. Its result, if it has one, is a tool's result.
fn encode_task_details(
    request: &Request,
    details: &TaskDetails,
    recipient: &Recipient<'_>,
) -> Encoded {
    let (task, sealed) = match details {
        TaskDetails::Forwarded(forwarded) => {
            return encode_forwarded(request, forwarded, recipient);
        }
        TaskDetails::Sealed { task, result } => (task, result),
    };
    let large = LargeParts::default();
    let result = ToolResult { sealed, recipient, large: &large };
    let n_bytes = task.as_bytes().len() + result.estimate_size();
    let frame = jsonrpc::large_result(&request.id, &TaskWithResult { task, result }, n_bytes);
    Encoded::result(large.insert_into(frame))
}

/// The details of a task, with its result.
struct TaskWithResult<'a> {
    task: &'a RawJson,
    result: ToolResult<'a>,
}

impl Emit for TaskWithResult<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        for member in self.task.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("result", &self.result);
        object.end();
    }
}

/// Encodes the response to a forwarded request.
fn encode_forwarded(
    request: &Request,
    forwarded: &Forwarded,
    recipient: &Recipient<'_>,
) -> Encoded {
    match forwarded {
        Forwarded::Passthrough(server_response) => {
            encode_passthrough(request, server_response, recipient)
        }
        Forwarded::Rewritten(result, era) => encode_rewritten(request, result, *era, recipient),
        Forwarded::Fault(fault) => Encoded::fault(Some(&request.id), fault),
    }
}

/// Encodes a result that the gateway has changed, in the format of the client's era.
fn encode_rewritten(
    request: &Request,
    result: &RawJson,
    result_era: Era,
    recipient: &Recipient<'_>,
) -> Encoded {
    let translated = era::translate_result(result, &request.method, result_era, recipient.era);
    let result = translated.as_ref().unwrap_or(result);
    Encoded::result(encode_result(&request.id, result))
}

/// Encodes a result, which is shared if it is large.
pub(super) fn encode_result(id: &RawJson, result: &RawJson) -> Outgoing {
    let large = LargeParts::default();
    let n_bytes = result.as_bytes().len();
    let n_bytes = if n_bytes < LARGE_BYTES { n_bytes } else { 0 };
    let frame = jsonrpc::large_result(id, &large.value(result), n_bytes);
    large.insert_into(frame)
}

/// Encodes a server's response with the client's id, in the format of the client's era.
///
/// If both have the same era, nothing but the id is changed.
fn encode_passthrough(
    request: &Request,
    server_response: &ServerResponse,
    recipient: &Recipient<'_>,
) -> Encoded {
    let ServerResponse { response, era: server_era } = server_response;
    let (id, is_same_era) = (&request.id, server_era.is_same_era(recipient.era));
    match (&response.id, &response.answer) {
        (_, Ok(result)) if !is_same_era => {
            encode_rewritten(request, result, *server_era, recipient)
        }
        (_, Err(error)) if !is_same_era => {
            let translated = translate_error(error, recipient.era);
            Encoded::error(jsonrpc::error(Some(id), &translated), &translated)
        }
        (Some(sent), Ok(_)) => Encoded::result(replace_id(&response.frame, sent, id)),
        (Some(sent), Err(error)) => Encoded::error(replace_id(&response.frame, sent, id), error),
        // A response without an id is about a request that the server could not parse.
        (None, Ok(result)) => Encoded::result(encode_result(id, result)),
        (None, Err(error)) => Encoded::error(jsonrpc::error(Some(id), error), error),
    }
}

/// Returns a message with another id. A large message is shared.
fn replace_id(frame: &RawJson, sent: &RawJson, id: &RawJson) -> Outgoing {
    if frame.as_bytes().len() < LARGE_BYTES {
        return jsonrpc::replace_part(frame, sent, id.as_bytes()).into();
    }
    let (before, after) = jsonrpc::split_at_part(frame, sent);
    [before, id.to_bytes(), after].map(Part::Raw).into_iter().collect()
}

/// Translates an error for a client's era: the modern one has no separate code for "not found".
fn translate_error(error: &RawJson, era: Era) -> RawJson {
    let is_not_found = error.get("code").is_some_and(|code| code.as_bytes() == b"-32002");
    if era != Era::Modern || !is_not_found {
        return error.clone();
    }
    let translated = JsonObject::build(|object| {
        for member in error.members() {
            if member.is("code") {
                object.member("code", &-32602_i64);
            } else {
                object.token_member(member.key_token(), &member.value());
            }
        }
    });
    translated.into()
}

/// A `CallToolResult` around an envelope.
struct ToolResult<'a> {
    sealed: &'a Sealed,
    recipient: &'a Recipient<'a>,
    large: &'a LargeParts,
}

impl ToolResult<'_> {
    /// Estimates the size of the result without its large parts.
    fn estimate_size(&self) -> usize {
        let size = |value: &RawJson| match value.as_bytes().len() {
            LARGE_BYTES.. => 0,
            n_bytes => n_bytes,
        };
        let reply = &self.sealed.reply;
        let envelope = size(&reply.envelope);
        let blocks: usize = reply.blocks.iter().map(size).sum();
        // 384 bytes suffice for the other members, and for short envelopes, which have more quotes.
        let others = blocks + 384;
        // In the text block every quote is escaped, about one byte in eight.
        let text = envelope + envelope / 8;
        match self.sealed.presentation.placement {
            Placement::Structured => envelope + text + others,
            Placement::Text => text + others,
        }
    }
}

impl Emit for ToolResult<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Sealed { reply, contract, presentation, failure, meta, text } = self.sealed;
        let Recipient { server, source, .. } = self.recipient;
        // `TextMode::Requested` is only for callers that are not MCP clients.
        let is_plain = presentation.text == TextMode::Plain;
        let text = text.as_deref().filter(|_| is_plain);
        let mut object = ObjectWriter::begin(out);
        if presentation.era == Era::Modern {
            object.member("resultType", "complete");
        }
        let content =
            Content { text, envelope: &reply.envelope, media: &reply.blocks, large: self.large };
        object.member("content", &content);
        let is_structured = presentation.placement == Placement::Structured
            && presentation.text == TextMode::Envelope;
        if is_structured {
            object.member("structuredContent", &self.large.value(&reply.envelope));
        }
        object.member("isError", &reply.is_error);
        let request_id = source.request_id.effective_id(reply.request_id.as_deref());
        let meta = Meta {
            upstream: meta.as_ref(),
            server: server.as_ref(),
            contract: contract.id(),
            code: failure.as_ref().map(|failure| failure.code.name()),
            request_id: &request_id,
        };
        object.member("_meta", &meta);
        object.end();
    }
}

/// A text block with the envelope or the plain text, then the media blocks unchanged.
struct Content<'a> {
    /// The plain text, which takes the place of the envelope.
    text: Option<&'a str>,
    envelope: &'a RawJson,
    media: &'a [RawJson],
    large: &'a LargeParts,
}

impl Emit for Content<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"[{"type":"text","text":"#);
        match self.text {
            Some(text) => text.emit(out),
            None => self.large.text(self.envelope).emit(out),
        }
        out.push(b'}');
        for block in self.media {
            out.push(b',');
            self.large.value(block).emit(out);
        }
        out.push(b']');
    }
}

/// The `_meta` of a result: the server's members, then the gateway's.
struct Meta<'a> {
    /// The `_meta` that the server sent.
    upstream: Option<&'a RawJson>,
    /// The only server's name and version, used if the result does not contain them.
    server: Option<&'a RawJson>,
    contract: &'static str,
    code: Option<&'static str>,
    request_id: &'a str,
}

impl Emit for Meta<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        // FastMCP's marker would make its clients unwrap the envelope.
        let members = self.upstream.iter().flat_map(|meta| meta.members());
        for member in
            members.filter(|member| !member.is("fastmcp") && !meta_keys::is_own_member(member))
        {
            object.token_member(member.key_token(), &member.value());
        }
        let has_info = self.upstream.is_some_and(|meta| meta.get(meta::SERVER_INFO).is_some());
        object.member(meta::SERVER_INFO, &self.server.filter(|_| !has_info));
        object.member(meta_keys::CONTRACT, self.contract);
        object.member(meta_keys::CODE, &self.code);
        object.member(meta_keys::REQUEST_ID, self.request_id);
        object.member(meta_keys::GATEWAY, &OwnInfo);
        object.end();
    }
}
