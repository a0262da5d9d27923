//! Parsing events without a connection, for the fuzz targets.

use bytes::Bytes;

use super::sse::{Event, Events};

/// Parses a stream of events that arrives in these pieces, and returns the data of each message.
pub fn parse_events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Bytes> {
    let mut events = Events::new(usize::MAX);
    let mut messages = Vec::new();
    for piece in pieces {
        events.feed(piece, |event| match event {
            Event::Message(data) => messages.push(data.freeze()),
            Event::OversizedPart(_) | Event::OversizedEnd { .. } => {}
        });
    }
    messages
}
