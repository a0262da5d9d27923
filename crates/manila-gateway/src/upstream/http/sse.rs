//! Parses server-sent events from a stream of bytes.

use std::time::Duration;

/// A server-sent event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// The data, which may be empty.
    pub(super) data: Vec<u8>,
}

/// Parses events that arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    /// The start of the current event, if it has data.
    event: Option<Event>,
    /// The id of the current event.
    id: Option<String>,
    /// Whether the current event has a name other than `message`.
    is_other: bool,
    /// Whether the last byte was a carriage return, which a line feed may follow.
    was_return: bool,
    has_first_line: bool,
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

    /// Prepares for a new stream that continues after the last event of this one.
    pub(super) fn restart(&mut self) {
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Events { last_id, retry, ..Events::new(self.bytes_max) };
    }

    /// Parses the next piece, and passes the events that end in it to `take`.
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

    /// Parses a complete line. Returns the event that an empty line ends.
    fn end_line(&mut self) -> Option<Event> {
        let mut line = std::mem::take(&mut self.line);
        if !self.has_first_line {
            self.has_first_line = true;
            if line.starts_with(b"\xEF\xBB\xBF") {
                line.drain(..3);
            }
        }
        if line.is_empty() {
            let is_other = std::mem::take(&mut self.is_other);
            let event = self.event.take();
            // Only a complete event changes the last id.
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
            // Comments have an empty field name; unknown fields are ignored.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests;
