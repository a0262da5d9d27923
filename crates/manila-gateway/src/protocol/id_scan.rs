//! Finds the id of a message that is too large, or too deeply nested, to be parsed.
//!
//! Every request must get a response, even if that is only an error about the size. So the message
//! is not stored, but scanned once for the `id` at the top level.

use manila::RawJson;

/// Scans a message in pieces.
#[derive(Debug, Default)]
pub(crate) struct IdScan {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The start of the current member at the top level.
    member: Vec<u8>,
    found: ScannedMessage,
}

/// The maximum number of bytes to store of a member. A longer member is not the id.
const MEMBER_BYTES_MAX: usize = 300;

/// The properties of a scanned message.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ScannedMessage {
    /// Its id, if it has one.
    pub(crate) id: Option<RawJson>,
    /// Whether it has a result or an error.
    pub(crate) is_response: bool,
    /// Whether it has a method.
    pub(crate) is_request: bool,
}

impl IdScan {
    /// Scans a complete message.
    pub(crate) fn scan(message: &[u8]) -> ScannedMessage {
        let mut scan = IdScan::default();
        scan.feed(message);
        scan.end()
    }

    /// Scans the next bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.is_in_string && !self.is_escaped && self.member.len() >= MEMBER_BYTES_MAX {
                // The inside of a long string can be skipped at memory speed.
                let next = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                rest = rest.get(next..).unwrap_or_default();
                let Some((&byte, after)) = rest.split_first() else { return };
                self.take(byte);
                rest = after;
                continue;
            }
            self.take(byte);
            rest = after;
        }
    }

    /// Ends the scan, and returns the properties of the message.
    pub(crate) fn end(mut self) -> ScannedMessage {
        self.finish_member();
        self.found
    }

    fn take(&mut self, byte: u8) {
        if self.is_in_string {
            self.keep(byte);
            if self.is_escaped {
                self.is_escaped = false;
            } else if byte == b'\\' {
                self.is_escaped = true;
            } else if byte == b'"' {
                self.is_in_string = false;
            }
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth > 1 {
                    self.keep(byte);
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.keep(byte);
            }
            b',' if self.depth == 1 => self.finish_member(),
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.member.len() < MEMBER_BYTES_MAX {
            self.member.push(byte);
        }
    }

    fn finish_member(&mut self) {
        let member = std::mem::take(&mut self.member);
        let member = member.trim_ascii();
        if member.starts_with(b"\"result\"") || member.starts_with(b"\"error\"") {
            self.found.is_response = true;
        }
        if member.starts_with(b"\"method\"") {
            self.found.is_request = true;
        }
        let Some(rest) = member.strip_prefix(b"\"id\"") else { return };
        let Some(value) = rest.trim_ascii_start().strip_prefix(b":") else { return };
        let value = value.strip_suffix(b"}").unwrap_or(value).trim_ascii();
        let id = RawJson::parse(value.to_vec()).ok();
        self.found.id = self.found.id.take().or(id.filter(is_scalar));
    }
}

fn is_scalar(value: &RawJson) -> bool {
    matches!(value.kind(), manila::json::Kind::String | manila::json::Kind::Number)
}

#[cfg(test)]
mod tests;
