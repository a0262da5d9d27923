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
    /// What has come of the event that is being read, if it has data.
    event: Option<Event>,
    /// The id that stands in it.
    id: Option<String>,
    /// Whether it has a name that is not that of messages.
    is_other: bool,
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

    /// Begins to read a new stream that goes on after the last event of this one.
    pub(super) fn restart(&mut self) {
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Events { last_id, retry, ..Events::new(self.bytes_max) };
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
            if self.line.len() + line.len() + self.event_bytes() > self.bytes_max {
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

    fn event_bytes(&self) -> usize {
        self.event.as_ref().map_or(0, |event| event.data.len())
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
            let is_other = std::mem::take(&mut self.is_other);
            let event = self.event.take();
            // An event that did not come to its end has not come.
            self.last_id = self.id.take().or(self.last_id.take());
            return event.filter(|_| !is_other);
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
                match &mut self.event {
                    Some(event) => event.data.push(b'\n'),
                    None => self.event = Some(Event::default()),
                }
                if let Some(event) = &mut self.event {
                    event.data.extend_from_slice(value);
                }
            }
            b"id" if !value.contains(&0) => {
                self.id = str::from_utf8(value).ok().map(str::to_owned);
            }
            b"retry" => {
                let ms = str::from_utf8(value).ok().and_then(|value| value.parse().ok());
                self.retry = ms.map(Duration::from_millis).or(self.retry);
            }
            b"event" => self.is_other = !matches!(value, b"" | b"message"),
            // Comments have no name.
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
    fn what_broke_off_is_forgotten_when_a_stream_goes_on() {
        let mut events = Events::new(20);
        let mut found = Vec::new();
        events.feed(b"id: 1\ndata: a\n\nid: 2\ndata: hal", |_| ()).unwrap();
        assert_eq!(events.last_id.as_deref(), Some("1"));
        events.restart();
        events.feed(b"id: 2\ndata: b\n\n", |event| found.push(event.data)).unwrap();
        assert_eq!(found, [b"b"]);
        assert!(events.feed(&[b'x'; 30], |_| ()).is_err());
        events.restart();
        assert_eq!(events.feed(b"data: c\n\n", |event| found.push(event.data)), Ok(()));
        assert_eq!(events.last_id.as_deref(), Some("2"));
    }

    #[test]
    fn events_of_other_names_are_no_messages() {
        let text = b"event: ping\ndata: {}\n\nevent: message\ndata: a\n\ndata: b\n\n";
        assert_eq!(read(&[text]).0, ["a", "b"]);
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
