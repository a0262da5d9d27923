//! Answers in the words of the client's era.

use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::{Code, JsonObject, RawJson};

use crate::handle::{Answer, Forwarded, Placement, Sealed};
use crate::jsonrpc;

/// The answer to a tool call, as a frame.
pub(super) fn tool_answer(id: &RawJson, answer: &Answer, placement: Placement) -> Bytes {
    match answer {
        Answer::Sealed(sealed) => {
            let n_bytes = size(sealed, placement);
            jsonrpc::large_result(id, &ToolResult { sealed, placement }, n_bytes)
        }
        Answer::AsItCame(result) => jsonrpc::large_result(id, result, result.as_bytes().len()),
        Answer::ErrorAsItCame(error) => jsonrpc::error(Some(id), error),
        Answer::Refused(refusal) => jsonrpc::error(Some(id), &refusal.fault),
    }
}

/// The answer to a request that was handed on, as a frame.
pub(super) fn forwarded(id: &RawJson, answer: &Forwarded) -> Bytes {
    match answer {
        Forwarded::Result(result) => jsonrpc::large_result(id, result, result.as_bytes().len()),
        Forwarded::Error(error) => jsonrpc::error(Some(id), error),
        Forwarded::Fault(fault) => jsonrpc::error(Some(id), fault),
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
        for member in own.filter(|member| !member.is("fastmcp") && !is_ours(&member.key())) {
            object.token_member(member.key_token(), &member.value());
        }
        object.member("dev.manila/contract", self.contract);
        object.member("dev.manila/code", &self.code);
        object.member("dev.manila/gateway", &gateway_info());
        object.end();
    }
}

fn is_ours(key: &str) -> bool {
    matches!(key, "dev.manila/contract" | "dev.manila/code" | "dev.manila/gateway")
}

/// Who we are.
pub(super) fn gateway_info() -> JsonObject {
    JsonObject::build(|object| {
        object.member("name", "manila");
        object.member("version", env!("CARGO_PKG_VERSION"));
    })
}
