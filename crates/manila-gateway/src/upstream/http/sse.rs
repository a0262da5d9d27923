//! Server-sent events: text in pieces, events out.

use std::time::Duration;

/// What an event says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What it carries; nothing in an event that only tells an id.
    pub(super) data: Vec<u8>,
}

/// Reads events piece by piece.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// Whether the last byte was a carriage return, which a line feed may belong to.
    was_return: bool,
    is_begun: bool,
    pub(super) last_id: Option<String>,
    pub(super) retry: Option<Duration>,
    bytes_max: usize,
}

/// An event over the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Events {
    pub(super) fn new(bytes_max: usize) -> Events {
        Events { bytes_max, ..Events::default() }
    }

    /// Takes the next piece, and hands out the events that end in it.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        mut take: impl FnMut(Event),
    ) -> Result<(), TooLarge> {
        let mut rest = piece;
        while !rest.is_empty() {
            if self.was_return && rest.first() == Some(&b'\n') {
                rest = rest.get(1..).unwrap_or_default();
            }
            self.was_return = false;
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (line, after) = match end {
                Some(at) => rest.split_at(at),
                None => (rest, &[][..]),
            };
            if self.line.len() + line.len() + self.event.data.len() > self.bytes_max {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(line);
            rest = after;
            if let Some((end, after)) = after.split_first() {
                self.was_return = *end == b'\r';
                rest = after;
                if let Some(event) = self.end_line() {
                    take(event);
                }
            }
        }
        Ok(())
    }

    /// An empty line ends an event.
    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        if !self.is_begun {
            self.is_begun = true;
            if line.starts_with(b"\xEF\xBB\xBF") {
                line.drain(..3);
            }
        }
        if line.is_empty() {
            let has_data = std::mem::take(&mut self.has_data);
            let event = std::mem::take(&mut self.event);
            return has_data.then_some(event);
        }
        let (field, value) = match memchr::memchr(b':', &line) {
            Some(at) => {
                let (field, value) = line.split_at(at);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line.as_slice(), &[][..]),
        };
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            b"id" if !value.contains(&0) => {
                self.last_id = str::from_utf8(value).ok().map(str::to_owned);
            }
            b"retry" => {
                let ms = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
                self.retry = ms.map(Duration::from_millis).or(self.retry);
            }
            // Comments have no name, and names of events are not used here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Events, TooLarge};

    fn read(pieces: &[&[u8]]) -> (Vec<String>, Option<String>) {
        let mut events = Events::new(1_000);
        let mut found = Vec::new();
        for piece in pieces {
            let take = |event: super::Event| found.push(String::from_utf8(event.data).unwrap());
            events.feed(piece, take).unwrap();
        }
        (found, events.last_id)
    }

    #[test]
    fn events_end_with_an_empty_line() {
        let text = b"\xEF\xBB\xBF: hello\nid: 7\nevent: message\ndata: {\"a\":\ndata:1}\n\n\
            data: two\r\n\r\nid: 8\n\ndata\n\ndata: unfinished";
        let (events, id) = read(&[text]);
        assert_eq!(events, ["{\"a\":\n1}", "two", ""]);
        assert_eq!(id.as_deref(), Some("8"));
    }

    #[test]
    fn an_event_over_the_limit_is_refused() {
        let mut events = Events::new(10);
        assert_eq!(events.feed(b"data: 0123456789", |_| ()), Err(TooLarge));
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "(data: [a-c]{0,3}|id: 1|:x|)(\n|\r\n|\r){1,2}.{0,20}", at in 0usize..40) {
            let bytes = text.as_bytes();
            let at = at.min(bytes.len());
            let whole = read(&[bytes]);
            prop_assert_eq!(read(&[&bytes[..at], &bytes[at..]]), whole);
        }
    }
}
