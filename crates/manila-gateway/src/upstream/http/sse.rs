//! Parses server-sent events from a stream of bytes.

use std::time::Duration;

use bytes::{Buf, BufMut, BytesMut};

use crate::protocol::frames;

/// A server-sent event, or a part of one over the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// An event with this data, which may be empty.
    Message(BytesMut),
    /// The next part of the data of an event over the limit.
    OversizedPart(BytesMut),
    /// The end of an event over the limit.
    OversizedEnd {
        /// Whether the event may be a message, by its name.
        is_message: bool,
    },
}

/// Parses events that arrive in pieces.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: BytesMut,
    /// The field of the current line, if the line is too long to be stored.
    long_line: Option<LongLine>,
    data: EventData,
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

/// The data of the current event.
#[derive(Debug, Default)]
enum EventData {
    #[default]
    Missing,
    Stored(BytesMut),
    /// It is over the limit, so its parts are passed on.
    Oversized,
}

/// The field of a line that is too long to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LongLine {
    Data,
    Other,
}

/// The known fields of events.
const FIELDS: [&[u8]; 4] = [b"data", b"id", b"retry", b"event"];

impl Events {
    pub(super) fn new(bytes_max: usize) -> Events {
        Events { bytes_max, ..Events::default() }
    }

    /// Prepares for a new stream that continues after the last event of this one.
    pub(super) fn restart(&mut self) {
        let (last_id, retry) = (self.last_id.take(), self.retry);
        *self = Events { last_id, retry, ..Events::new(self.bytes_max) };
    }

    /// Parses the next piece, and passes the events that end in it to `take`. Of an event over the
    /// limit, it passes the parts.
    pub(super) fn feed(&mut self, piece: &[u8], mut take: impl FnMut(Event)) {
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
            self.take_part(line, &mut take);
            rest = after;
            if let Some((end, after)) = after.split_first() {
                self.was_return = *end == b'\r';
                rest = after;
                self.end_line(&mut take);
            }
        }
    }

    /// Takes a part of the current line. A line over the limit is not stored.
    fn take_part(&mut self, part: &[u8], take: &mut impl FnMut(Event)) {
        match self.long_line {
            Some(LongLine::Data) => return take(Event::OversizedPart(part.into())),
            Some(LongLine::Other) => return,
            None => {
                frames::reserve(&mut self.line, part.len(), self.bytes_max);
                self.line.extend_from_slice(part);
            }
        }
        let is_data = self.line.starts_with(b"data:");
        let n_data = match &self.data {
            EventData::Stored(data) if is_data => data.len(),
            EventData::Stored(_) | EventData::Missing | EventData::Oversized => 0,
        };
        if self.line.len() + n_data <= self.bytes_max {
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        self.strip_mark(&mut line);
        match line.strip_prefix(b"data:") {
            Some(value) => {
                self.long_line = Some(LongLine::Data);
                self.pass_oversized(value, take);
            }
            None => self.long_line = Some(LongLine::Other),
        }
    }

    /// Passes on the data of an event that is over the limit, up to this part.
    fn pass_oversized(&mut self, part: &[u8], take: &mut impl FnMut(Event)) {
        if let EventData::Stored(data) = std::mem::replace(&mut self.data, EventData::Oversized) {
            take(Event::OversizedPart(data));
        }
        take(Event::OversizedPart(part.into()));
    }

    /// Removes the byte order mark of the first line.
    fn strip_mark(&mut self, line: &mut BytesMut) {
        if !std::mem::replace(&mut self.has_first_line, true) && line.starts_with(b"\xEF\xBB\xBF") {
            line.advance(3);
        }
    }

    /// Parses a complete line. An empty one ends the event.
    fn end_line(&mut self, take: &mut impl FnMut(Event)) {
        if self.long_line.take().is_some() {
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        self.strip_mark(&mut line);
        if line.is_empty() {
            let is_message = !std::mem::take(&mut self.is_other);
            // Only a complete event changes the last id.
            self.last_id = self.id.take().or(self.last_id.take());
            match std::mem::take(&mut self.data) {
                EventData::Stored(data) if is_message => take(Event::Message(data)),
                EventData::Oversized => take(Event::OversizedEnd { is_message }),
                EventData::Stored(_) | EventData::Missing => {}
            }
            return;
        }
        let n_field = memchr::memchr(b':', &line).unwrap_or(line.len());
        let is_field = |field: &&[u8]| line.get(..n_field) == Some(*field);
        let field = FIELDS.iter().copied().find(is_field).unwrap_or_default();
        line.advance(line.len().min(n_field + 1));
        if line.first() == Some(&b' ') {
            line.advance(1);
        }
        let value = line;
        match field {
            b"data" => match &mut self.data {
                EventData::Stored(data) if data.len() + value.len() < self.bytes_max => {
                    data.put_u8(b'\n');
                    data.extend_from_slice(&value);
                }
                EventData::Stored(_) | EventData::Oversized => self.pass_oversized(&value, take),
                // Large data is not copied.
                EventData::Missing => self.data = EventData::Stored(value),
            },
            b"id" if !value.contains(&0) => {
                self.id = str::from_utf8(&value).ok().map(str::to_owned);
            }
            b"retry" => {
                let ms = str::from_utf8(&value).ok().and_then(|value| value.parse().ok());
                self.retry = ms.map(Duration::from_millis).or(self.retry);
            }
            b"event" => self.is_other = !matches!(&*value, b"" | b"message"),
            // Comments have an empty field name; unknown fields are ignored.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
