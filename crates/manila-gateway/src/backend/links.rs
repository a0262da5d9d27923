//! Resources in what a server answers: where there are several servers, clients may know them by
//! other URIs, and a link has to lead back to whoever made it.

use manila::RawJson;
use manila::request_envelope::Message;
use memchr::memmem;

use super::ask::Answered;
use super::forward::Forwarded;
use crate::backend::Backend;
use crate::protocol::jsonrpc::Edits;

impl Backend {
    /// A server's answer, with its resources under the URIs by which clients know them.
    pub(super) fn with_public_links(&self, answered: Answered) -> Answered {
        let Answered { response, era } = answered;
        let renamed = response.answer.as_ref().ok().and_then(|result| {
            self.settings().name.as_ref()?;
            // Hardly any answer has one, and this is quick to see.
            memmem::find(response.frame.as_bytes(), b"\"resource")?;
            self.links_replaced(&response.frame, &uris(result))
        });
        match renamed {
            Some(Message::Response(response)) => Answered { response, era },
            Some(_) | None => Answered { response, era },
        }
    }

    /// The same for whatever came of a request.
    pub(crate) fn forwarded_with_public_links(&self, answer: Forwarded) -> Forwarded {
        match answer {
            Forwarded::AsItCame(answered) => Forwarded::AsItCame(self.with_public_links(answered)),
            other @ (Forwarded::Changed(..) | Forwarded::Fault(_)) => other,
        }
    }

    fn links_replaced(&self, frame: &RawJson, uris: &[RawJson]) -> Option<Message> {
        let mut edits = Edits::of(frame);
        for uri in uris {
            let Some(own) = uri.as_text() else { continue };
            let public = self.mentioned_uri(&own);
            if public != *own {
                edits.replace_text(uri, &public);
            }
        }
        (!edits.is_empty()).then(|| Message::from_json(edits.apply()).ok())?
    }
}

/// The URIs in a result: of a tool, of a task that has one, or of a prompt.
fn uris(result: &RawJson) -> Vec<RawJson> {
    let result = result.get("result").unwrap_or_else(|| result.clone());
    let messages = result.get("messages");
    let said = messages.iter().flat_map(RawJson::items);
    let contents = said.filter_map(|message| message.get("content")).chain(result.get("content"));
    contents.flat_map(|content| blocks(&content)).filter_map(|block| uri(&block)).collect()
}

/// The blocks of a content: a list of them, or one.
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
