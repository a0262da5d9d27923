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
mod tests;
