//! Parsing events without a connection, for the fuzz targets.

use bytes::Bytes;

use super::sse::Events;

/// Parses a stream of events that arrives in these pieces, and returns the data of each event.
pub fn parse_events<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Vec<Bytes> {
    let mut events = Events::new(usize::MAX);
    let mut data = Vec::new();
    for piece in pieces {
        if events.feed(piece, |event| data.push(event.data.into())).is_err() {
            break;
        }
    }
    data
}
