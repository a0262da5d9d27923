//! Responses to list requests with items that are nested too deeply: only these items are left out.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use manila::request_envelope::Message;
use manila::{ITEM_DEPTH_MAX, ShortenedList, without_deep_items};

use super::Connection;
use crate::protocol::jsonrpc::one_line;
use crate::protocol::list_kind::ListKind;
use crate::rt::offload::{self, Work};
use crate::telemetry::event::{Event, Events};

/// Parses an invalid message again, without the items that are nested too deeply. Returns `None` if
/// it is not the response to a list request with this id, or is invalid for another reason.
pub(super) async fn parse_shortened(
    connection: &Arc<Connection>,
    message: Bytes,
    id: u64,
) -> Option<Message> {
    let list = connection.pending.list(id)?;
    let n_bytes = message.len();
    let parse = move || {
        let ShortenedList { message, left_out } = without_deep_items(&message, list.member())?;
        Some((Message::from_json(one_line(message)?).ok()?, left_out))
    };
    let (message, left_out) = offload::run(Work::Scan(n_bytes), parse).await?;
    connection.left_out.report(list, left_out);
    Some(message)
}

/// The items that were left out of lists. Each is reported once.
pub(super) struct LeftOut {
    reported: Mutex<HashSet<(ListKind, String)>>,
    events: Events,
}

impl LeftOut {
    pub(super) fn new(events: Events) -> LeftOut {
        LeftOut { reported: Mutex::default(), events }
    }

    /// Reports the items that have not been reported, up to a limit.
    fn report(&self, list: ListKind, names: Vec<String>) {
        const REPORTS_MAX: usize = 100;
        for name in names {
            let is_new = self.reported.lock().is_ok_and(|mut reported| {
                reported.len() < REPORTS_MAX && reported.insert((list, name.clone()))
            });
            if is_new {
                let name = if name.is_empty() { "(no name)".to_owned() } else { name };
                let reason = format!("it is nested deeper than {ITEM_DEPTH_MAX} levels");
                (self.events)(Event::LeftOut { method: list.method(), name, reason });
            }
        }
    }
}
