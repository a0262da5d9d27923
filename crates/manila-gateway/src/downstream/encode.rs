//! Responses in the words of the client's era.

use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson};

use crate::backend::{Answer, Answered, Details, Forwarded, Sealed};
use crate::gateway::Gateway;
use crate::gateway::dispatch::EncodedResponse;
use crate::gateway::response::Response;
use crate::protocol::caller::Caller;
use crate::protocol::era::{self, Era, OwnInfo, meta};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::origin::Origin;
use crate::protocol::own_meta;
use crate::protocol::presentation::{Placement, TextMode};

/// Who reads a response.
struct Reader<'a> {
    era: Era,
    /// Who answers, where the era says it with each answer.
    server: Option<RawJson>,
    origin: &'a Origin,
}

/// A response, as a client of MCP gets it.
pub(crate) struct Encoded {
    pub(crate) frame: Bytes,
    /// The number of the error, if it is one.
    pub(crate) error: Option<i64>,
}

impl EncodedResponse for Encoded {
    fn n_bytes(&self) -> usize {
        self.frame.len()
    }
}

impl Encoded {
    fn result(frame: Bytes) -> Encoded {
        Encoded { frame, error: None }
    }

    /// A refusal of the gateway's own; one of a message whose id cannot be read has none.
    pub(crate) fn fault(id: Option<&RawJson>, fault: &Fault) -> Encoded {
        let number = i64::from(fault.code.entry().jsonrpc_mcp);
        Encoded { frame: jsonrpc::error(id, fault), error: Some(number) }
    }

    fn error(frame: Bytes, error: &RawJson) -> Encoded {
        let number = error.get("code").and_then(|code| code.as_str().parse().ok());
        Encoded { frame, error: Some(number.unwrap_or_default()) }
    }
}

/// Encodes a response to a request of a client of MCP.
pub(crate) fn encode(
    gateway: &Gateway,
    request: &Request,
    caller: &Caller,
    response: &Response,
) -> Encoded {
    let era = caller.era();
    let server = match era {
        Era::Modern => gateway.info(era),
        Era::Legacy(_) => None,
    };
    let reader = &Reader { era, server, origin: &caller.origin };
    match response {
        Response::Tool(answer) => tool_answer(request, answer, reader),
        Response::Task(details) => task_details(request, details, reader),
        Response::Forwarded(answer) => forwarded(request, answer, reader),
        Response::Result(_) | Response::Refused(_) | Response::Breach(_) | Response::Error(..) => {
            encode_own(Some(&request.id), response)
        }
    }
}

/// Encodes a response that is the same in every era. A server's answers are none.
pub(crate) fn encode_own(id: Option<&RawJson>, response: &Response) -> Encoded {
    match response {
        Response::Result(result) => match id {
            Some(id) => Encoded::result(jsonrpc::result(id, result)),
            None => Encoded::fault(id, &Fault::new(Code::InternalError)),
        },
        Response::Refused(fault) => Encoded::fault(id, fault),
        Response::Breach(breach) => {
            Encoded { frame: jsonrpc::error(id, breach), error: Some(breach.number) }
        }
        Response::Error(error, _) => Encoded::error(jsonrpc::error(id, error), error),
        Response::Tool(_) | Response::Task(_) | Response::Forwarded(_) => {
            Encoded::fault(id, &Fault::new(Code::InternalError))
        }
    }
}

/// Encodes a refusal of a message of which not even the id can be read, as HTTP answers it.
pub(crate) fn encode_without_id(response: &Response) -> Encoded {
    let Encoded { frame, error } = encode_own(None, response);
    let message = RawJson::parse(frame.clone()).ok().and_then(JsonObject::new);
    let frame = message.map_or(frame, |it| RawJson::from(it.without("id")).to_bytes());
    Encoded { frame, error }
}

fn tool_answer(request: &Request, answer: &Answer, reader: &Reader<'_>) -> Encoded {
    let id = &request.id;
    match answer {
        Answer::Sealed(sealed) => {
            let n_bytes = size(sealed);
            Encoded::result(jsonrpc::large_result(id, &ToolResult { sealed, reader }, n_bytes))
        }
        Answer::AsItCame(answered) => as_it_came(request, answered, reader),
        Answer::Plain { result, .. } => changed(request, result, Era::PLAINEST, reader),
        Answer::Refused(refusal) => Encoded::fault(Some(id), &refusal.fault),
    }
}

/// What has become of a task. Its result, where it is a part of that, is one of a tool.
fn task_details(request: &Request, details: &Details, reader: &Reader<'_>) -> Encoded {
    let (task, sealed) = match details {
        Details::Forwarded(answer) => return forwarded(request, answer, reader),
        Details::Sealed { task, result } => (task, result),
    };
    let whole = JsonObject::build(|object| {
        for member in task.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("result", &ToolResult { sealed, reader });
    });
    let whole = RawJson::from(whole);
    let frame = jsonrpc::large_result(&request.id, &whole, whole.as_bytes().len());
    Encoded::result(frame)
}

/// The answer to a request that was handed on.
fn forwarded(request: &Request, answer: &Forwarded, reader: &Reader<'_>) -> Encoded {
    match answer {
        Forwarded::AsItCame(answered) => as_it_came(request, answered, reader),
        Forwarded::Changed(result, era) => changed(request, result, *era, reader),
        Forwarded::Fault(fault) => Encoded::fault(Some(&request.id), fault),
    }
}

/// A result that is no longer the server's own, in the words of the client's era.
fn changed(request: &Request, result: &RawJson, told_in: Era, reader: &Reader<'_>) -> Encoded {
    let retold = era::incoming(result, &request.method, told_in, reader.era);
    let result = retold.as_ref().unwrap_or(result);
    Encoded::result(jsonrpc::large_result(&request.id, result, result.as_bytes().len()))
}

/// The server's answer with the client's id, in the words of the client's era; where that is the
/// server's own, nothing else is touched.
fn as_it_came(request: &Request, answered: &Answered, reader: &Reader<'_>) -> Encoded {
    let Answered { response, era: told_in } = answered;
    let (id, is_like) = (&request.id, told_in.is_like(reader.era));
    match (&response.id, &response.answer) {
        (_, Ok(result)) if !is_like => changed(request, result, *told_in, reader),
        (_, Err(error)) if !is_like => {
            let retold = retold_error(error, reader.era);
            Encoded::error(jsonrpc::error(Some(id), &retold), &retold)
        }
        (Some(own), Ok(_)) => {
            Encoded::result(jsonrpc::replaced(&response.frame, own, id.as_bytes()))
        }
        (Some(own), Err(error)) => {
            Encoded::error(jsonrpc::replaced(&response.frame, own, id.as_bytes()), error)
        }
        // It is about a request that the server did not understand.
        (None, Ok(result)) => {
            Encoded::result(jsonrpc::large_result(id, result, result.as_bytes().len()))
        }
        (None, Err(error)) => Encoded::error(jsonrpc::error(Some(id), error), error),
    }
}

/// An error in the words of a client's era: the modern one has no number of its own for what is
/// not found.
fn retold_error(error: &RawJson, era: Era) -> RawJson {
    let is_not_found = error.get("code").is_some_and(|code| code.as_bytes() == b"-32002");
    if era != Era::Modern || !is_not_found {
        return error.clone();
    }
    let retold = JsonObject::build(|object| {
        for member in error.members() {
            if member.is("code") {
                object.member("code", &-32602_i64);
            } else {
                object.token_member(member.key_token(), &member.value());
            }
        }
    });
    retold.into()
}

fn size(sealed: &Sealed) -> usize {
    let envelope = sealed.reply.envelope.as_bytes().len();
    let blocks: usize = sealed.reply.blocks.iter().map(|block| block.as_bytes().len()).sum();
    // What stands around them, and the many quotes of a short envelope.
    let others = blocks + 384;
    // In the text block every quote is escaped, about one byte in eight.
    let text = envelope + envelope / 8;
    match sealed.presentation.placement {
        Placement::Structured => envelope + text + others,
        Placement::Text => text + others,
    }
}

/// A `CallToolResult` around an envelope.
struct ToolResult<'a> {
    sealed: &'a Sealed,
    reader: &'a Reader<'a>,
}

impl Emit for ToolResult<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Sealed { reply, contract, presentation, failure, meta, text } = self.sealed;
        let Reader { server, origin, .. } = self.reader;
        // Text for those who accept nothing else is no part of MCP.
        let is_plain = presentation.text == TextMode::Plain;
        let text = text.as_deref().filter(|_| is_plain);
        let mut object = ObjectWriter::begin(out);
        if presentation.era == Era::Modern {
            object.member("resultType", "complete");
        }
        let first = text.unwrap_or(reply.envelope.as_str());
        object.member("content", &Content { first, media: &reply.blocks });
        let is_structured = presentation.placement == Placement::Structured
            && presentation.text == TextMode::Envelope;
        if is_structured {
            object.member("structuredContent", &reply.envelope);
        }
        object.member("isError", &reply.is_error);
        let request_id = origin.request_id.known_as(reply.request_id.as_deref());
        let meta = Meta {
            own: meta.as_ref(),
            server: server.as_ref(),
            contract: contract.id(),
            code: failure.as_ref().map(|failure| failure.code.name()),
            request_id: &request_id,
        };
        object.member("_meta", &meta);
        object.end();
    }
}

/// The envelope as text, or what people read; then the media as they came.
struct Content<'a> {
    first: &'a str,
    media: &'a [RawJson],
}

impl Emit for Content<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"[{"type":"text","text":"#);
        self.first.emit(out);
        out.push(b'}');
        for block in self.media {
            out.push(b',');
            block.emit(out);
        }
        out.push(b']');
    }
}

/// What the server said beside the result, and ours.
struct Meta<'a> {
    own: Option<&'a RawJson>,
    /// Who answers, where the server does not say it itself.
    server: Option<&'a RawJson>,
    contract: &'static str,
    code: Option<&'static str>,
    request_id: &'a str,
}

impl Emit for Meta<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        // FastMCP's mark would make its clients unwrap our envelope.
        let own = self.own.iter().flat_map(|own| own.members());
        for member in own.filter(|member| !member.is("fastmcp") && !own_meta::is_told(member)) {
            object.token_member(member.key_token(), &member.value());
        }
        let is_said = self.own.is_some_and(|own| own.get(meta::SERVER_INFO).is_some());
        object.member(meta::SERVER_INFO, &self.server.filter(|_| !is_said));
        object.member(own_meta::CONTRACT, self.contract);
        object.member(own_meta::CODE, &self.code);
        object.member(own_meta::REQUEST_ID, self.request_id);
        object.member(own_meta::GATEWAY, &OwnInfo);
        object.end();
    }
}
