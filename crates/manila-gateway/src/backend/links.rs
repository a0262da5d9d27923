//! Resource links in a server's responses. With several servers, a resource's public URI may differ
//! from the server's own, so links are rewritten.

use manila::RawJson;
use manila::request_envelope::Message;
use memchr::memmem;

use super::forward::Forwarded;
use super::send_request::ServerResponse;
use crate::backend::Backend;
use crate::protocol::jsonrpc::Edits;

impl Backend {
    /// Replaces the URIs in a response with those that clients see.
    pub(super) fn with_public_links(&self, response: ServerResponse) -> ServerResponse {
        let ServerResponse { response, era } = response;
        let renamed = response.answer.as_ref().ok().and_then(|result| {
            // Only one of several servers has a name; the URIs of a single server are public.
            self.settings().name.as_ref()?;
            // A cheap check, because hardly any response contains a resource.
            memmem::find(response.frame.as_bytes(), b"\"resource")?;
            self.replace_links(&response.frame, &uris(result))
        });
        match renamed {
            Some(Message::Response(response)) => ServerResponse { response, era },
            Some(_) | None => ServerResponse { response, era },
        }
    }

    /// Replaces the URIs in a forwarded answer with those that clients see.
    pub(crate) fn forwarded_with_public_links(&self, forwarded: Forwarded) -> Forwarded {
        match forwarded {
            Forwarded::Passthrough(response) => {
                Forwarded::Passthrough(self.with_public_links(response))
            }
            other @ (Forwarded::Rewritten(..) | Forwarded::Fault(_)) => other,
        }
    }

    fn replace_links(&self, frame: &RawJson, uris: &[RawJson]) -> Option<Message> {
        let mut edits = Edits::of(frame);
        for uri in uris {
            let Some(text) = uri.as_text() else { continue };
            let public = self.mentioned_uri(&text);
            if public != *text {
                edits.replace_text(uri, &public);
            }
        }
        (!edits.is_empty()).then(|| Message::from_json(edits.apply()).ok())?
    }
}

/// Returns the URIs in a result: of a tool, of a completed task, or of a prompt.
fn uris(result: &RawJson) -> Vec<RawJson> {
    let result = result.get("result").unwrap_or_else(|| result.clone());
    let messages = result.get("messages");
    let messages = messages.iter().flat_map(RawJson::items);
    let contents = messages.filter_map(|message| message.get("content"));
    let contents = contents.chain(result.get("content"));
    contents.flat_map(|content| blocks(&content)).filter_map(|block| uri(&block)).collect()
}

/// Returns the blocks of a content, which is a list of blocks or one block.
fn blocks(content: &RawJson) -> Vec<RawJson> {
    let listed: Vec<RawJson> = content.items().collect();
    if listed.is_empty() { vec![content.clone()] } else { listed }
}

fn uri(block: &RawJson) -> Option<RawJson> {
    match &*block.get("type")?.as_text()? {
        "resource_link" => block.get("uri"),
        "resource" => block.get("resource")?.get("uri"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
