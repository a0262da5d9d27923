//! Answers in the words of the client's era.

use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::request_envelope::Response;
use manila::{Code, RawJson};

use crate::handle::{Answer, Forwarded, Placement, Sealed};
use crate::jsonrpc;
use crate::own_meta;

/// The answer to a tool call, as a frame.
pub(super) fn tool_answer(id: &RawJson, answer: &Answer, placement: Placement) -> Bytes {
    match answer {
        Answer::Sealed(sealed) => {
            let n_bytes = size(sealed, placement);
            jsonrpc::large_result(id, &ToolResult { sealed, placement }, n_bytes)
        }
        Answer::AsItCame(response) => as_it_came(id, response),
        Answer::Plain(result) => jsonrpc::result(id, result),
        Answer::Refused(refusal) => jsonrpc::error(Some(id), &refusal.fault),
    }
}

/// The answer to a request that was handed on, as a frame.
pub(super) fn forwarded(id: &RawJson, answer: &Forwarded) -> Bytes {
    match answer {
        Forwarded::AsItCame(response) => as_it_came(id, response),
        Forwarded::Changed(result) => jsonrpc::large_result(id, result, result.as_bytes().len()),
        Forwarded::Fault(fault) => jsonrpc::error(Some(id), fault),
    }
}

/// The server's answer with the client's id; nothing else is touched.
fn as_it_came(id: &RawJson, response: &Response) -> Bytes {
    match (&response.id, &response.answer) {
        (Some(own), _) => jsonrpc::replaced(&response.frame, own, id.as_bytes()),
        // It is about a request that the server did not understand.
        (None, Ok(result)) => jsonrpc::large_result(id, result, result.as_bytes().len()),
        (None, Err(error)) => jsonrpc::error(Some(id), error),
    }
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
    placement: Placement,
}

impl Emit for ToolResult<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        let Sealed { reply, contract, failure, meta } = self.sealed;
        let mut object = ObjectWriter::begin(out);
        object.member("content", &Content { envelope: &reply.envelope, media: &reply.blocks });
        if self.placement == Placement::Structured {
            object.member("structuredContent", &reply.envelope);
        }
        object.member("isError", &reply.is_error);
        let (own, contract) = (meta.as_ref(), contract.id());
        object.member("_meta", &Meta { own, contract, code: failure.map(Code::name) });
        object.end();
    }
}

/// The envelope as text, then the media as they came.
struct Content<'a> {
    envelope: &'a RawJson,
    media: &'a [RawJson],
}

impl Emit for Content<'_> {
    fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"[{"type":"text","text":"#);
        self.envelope.as_str().emit(out);
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
        object.member(own_meta::CONTRACT, self.contract);
        object.member(own_meta::CODE, &self.code);
        object.member(own_meta::GATEWAY, &own_meta::Gateway);
        object.end();
    }
}
