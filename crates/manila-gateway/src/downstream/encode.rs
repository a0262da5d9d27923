//! Answers in the words of the client's era.

use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Request;
use manila::{Code, JsonObject, RawJson, Violation};

use crate::backend::{Answer, Answered, Details, Forwarded, Sealed};
use crate::protocol::era::{self, Era, OwnInfo, meta};
use crate::protocol::jsonrpc::{self, Fault};
use crate::protocol::own_meta;
use crate::protocol::presentation::Shape;
use crate::protocol::presentation::{Placement, Told};

/// How answers are written for a client.
#[derive(Debug, Clone)]
pub(crate) struct Voice {
    pub(crate) era: Era,
    /// Where the envelope goes, as far as the client understands it.
    pub(crate) placement: Placement,
    /// Who answers, where the era says it with each answer.
    pub(crate) server: Option<RawJson>,
}

/// An answer, and what kind of one it is.
pub(crate) struct Written {
    pub(crate) frame: Bytes,
    /// The number of the error, if it is one.
    pub(crate) error: Option<i64>,
    /// What became of the request, for whoever keeps a journal.
    pub(crate) fate: Fate,
}

/// What became of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    pub(crate) failure: Option<Code>,
    pub(crate) message: Option<String>,
    /// The rules that it breaks, where it was refused for them.
    pub(crate) violations: Vec<Violation>,
    /// The contract of the answer.
    pub(crate) contract: Option<&'static str>,
}

impl Fate {
    pub(crate) fn of_fault(fault: &Fault) -> Fate {
        let told = || fault.violations.first().map(Violation::to_string);
        let message = fault.message.clone().or_else(told);
        let violations = fault.violations.clone();
        Fate { failure: Some(fault.code), message, violations, contract: None }
    }

    /// What a server says against a request, by the number that it has for that.
    fn of_error(number: i64, error: &RawJson) -> Fate {
        let code = match number {
            -32700 => Code::ParseError,
            -32600 => Code::InvalidEnvelope,
            -32601 => Code::MethodNotFound,
            -32602 => Code::InvalidToolInput,
            _ => Code::ToolFailed,
        };
        let message = error.get("message");
        let message = message.as_ref().and_then(RawJson::as_text).map(std::borrow::Cow::into_owned);
        Fate { failure: Some(code), message, ..Fate::default() }
    }

    fn of_sealed(sealed: &Sealed) -> Fate {
        Fate {
            failure: sealed.failure,
            message: sealed.message.clone(),
            violations: sealed.violations.clone(),
            contract: Some(sealed.contract.id()),
        }
    }

    /// What became of a call.
    pub(crate) fn of_call(answer: &Answer) -> Fate {
        match answer {
            Answer::Sealed(sealed) => Fate::of_sealed(sealed),
            Answer::AsItCame(answered) => match answered.answer() {
                Ok(result) => {
                    let is_error = result.get("isError").is_some_and(|it| it.as_bytes() == b"true");
                    let failure = is_error.then_some(Code::ToolFailed);
                    Fate { failure, contract: Some(Shape::NONE), ..Fate::default() }
                }
                Err(error) => {
                    let number = error.get("code").and_then(|code| code.as_str().parse().ok());
                    Fate::of_error(number.unwrap_or_default(), error)
                }
            },
            Answer::Plain(_, code) => {
                Fate { failure: *code, contract: Some(Shape::NONE), ..Fate::default() }
            }
            Answer::Refused(refusal) => Fate::of_fault(&refusal.fault),
        }
    }
}

impl Written {
    /// A result.
    pub(crate) fn result(frame: Bytes) -> Written {
        Written { frame, error: None, fate: Fate::default() }
    }

    /// A failure that has no envelope.
    pub(crate) fn fault(id: &RawJson, fault: &Fault) -> Written {
        let number = i64::from(fault.code.entry().jsonrpc_mcp);
        let fate = Fate::of_fault(fault);
        Written { frame: jsonrpc::error(Some(id), fault), error: Some(number), fate }
    }

    /// An error of the protocol.
    pub(crate) fn error(frame: Bytes, error: &RawJson) -> Written {
        let number = error.get("code").and_then(|code| code.as_str().parse().ok());
        let number = number.unwrap_or_default();
        Written { frame, error: Some(number), fate: Fate::of_error(number, error) }
    }
}

/// The answer to a tool call.
pub(crate) fn tool_answer(request: &Request, answer: &Answer, voice: &Voice) -> Written {
    let id = &request.id;
    let written = match answer {
        Answer::Sealed(sealed) => {
            let n_bytes = size(sealed, voice.placement);
            Written::result(jsonrpc::large_result(id, &ToolResult { sealed, voice }, n_bytes))
        }
        Answer::AsItCame(answered) => as_it_came(request, answered, voice),
        Answer::Plain(result, _) => changed(request, result, Era::PLAINEST, voice),
        Answer::Refused(refusal) => Written::fault(id, &refusal.fault),
    };
    Written { fate: Fate::of_call(answer), ..written }
}

/// What has become of a task. Its result, where it is a part of that, is one of a tool.
pub(crate) fn task_details(request: &Request, details: &Details, voice: &Voice) -> Written {
    let (task, sealed) = match details {
        Details::Forwarded(answer) => return forwarded(request, answer, voice),
        Details::Sealed { task, result } => (task, result),
    };
    let whole = JsonObject::build(|object| {
        for member in task.members() {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("result", &ToolResult { sealed, voice });
    });
    let whole = RawJson::from(whole);
    let frame = jsonrpc::large_result(&request.id, &whole, whole.as_bytes().len());
    Written { fate: Fate::of_sealed(sealed), ..Written::result(frame) }
}

/// The answer to a request that was handed on.
pub(crate) fn forwarded(request: &Request, answer: &Forwarded, voice: &Voice) -> Written {
    match answer {
        Forwarded::AsItCame(answered) => as_it_came(request, answered, voice),
        Forwarded::Changed(result, era) => changed(request, result, *era, voice),
        Forwarded::Fault(fault) => Written::fault(&request.id, fault),
    }
}

/// A result that is no longer the server's own, in the words of the client's era.
fn changed(request: &Request, result: &RawJson, told_in: Era, voice: &Voice) -> Written {
    let retold = era::incoming(result, &request.method, told_in, voice.era);
    let result = retold.as_ref().unwrap_or(result);
    Written::result(jsonrpc::large_result(&request.id, result, result.as_bytes().len()))
}

/// The server's answer with the client's id, in the words of the client's era; where that is the
/// server's own, nothing else is touched.
fn as_it_came(request: &Request, answered: &Answered, voice: &Voice) -> Written {
    let Answered { response, era: told_in } = answered;
    let (id, is_like) = (&request.id, told_in.is_like(voice.era));
    match (&response.id, &response.answer) {
        (_, Ok(result)) if !is_like => changed(request, result, *told_in, voice),
        (_, Err(error)) if !is_like => {
            let retold = retold_error(error, voice.era);
            Written::error(jsonrpc::error(Some(id), &retold), &retold)
        }
        (Some(own), Ok(_)) => {
            Written::result(jsonrpc::replaced(&response.frame, own, id.as_bytes()))
        }
        (Some(own), Err(error)) => {
            Written::error(jsonrpc::replaced(&response.frame, own, id.as_bytes()), error)
        }
        // It is about a request that the server did not understand.
        (None, Ok(result)) => {
            Written::result(jsonrpc::large_result(id, result, result.as_bytes().len()))
        }
        (None, Err(error)) => Written::error(jsonrpc::error(Some(id), error), error),
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

fn size(sealed: &Sealed, placement: Placement) -> usize {
    let envelope = sealed.reply.envelope.as_bytes().len();
    let blocks: usize = sealed.reply.blocks.iter().map(|block| block.as_bytes().len()).sum();
    // In the text block every quote is escaped, about one byte in eight.
    let text = envelope + envelope / 8;
    match placement {
        Placement::Structured => envelope + text + blocks + 256,
        Placement::Text => text + blocks + 256,
    }
}

/// A `CallToolResult` around an envelope.
struct ToolResult<'a> {
    sealed: &'a Sealed,
    voice: &'a Voice,
}

impl Emit for ToolResult<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Sealed { reply, contract, failure, meta, text, told, .. } = self.sealed;
        let text = text.as_deref().filter(|_| *told == Told::Plain);
        let mut object = ObjectWriter::begin(out);
        if self.voice.era == Era::Modern {
            object.member("resultType", "complete");
        }
        let first = text.unwrap_or(reply.envelope.as_str());
        object.member("content", &Content { first, media: &reply.blocks });
        if self.voice.placement == Placement::Structured && *told == Told::Envelope {
            object.member("structuredContent", &reply.envelope);
        }
        object.member("isError", &reply.is_error);
        let (own, contract) = (meta.as_ref(), contract.id());
        let server = self.voice.server.as_ref().filter(|_| self.voice.era == Era::Modern);
        object.member("_meta", &Meta { own, server, contract, code: failure.map(Code::name) });
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
        object.member(own_meta::GATEWAY, &OwnInfo);
        object.end();
    }
}
