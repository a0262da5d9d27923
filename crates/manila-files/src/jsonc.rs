//! Conversion of JSON with comments to plain JSON.
//!
//! Spaces replace comments and the comma before a closing bracket, so that everything else keeps
//! its line and column. Other errors stay in the text, and the JSON parser reports them.

/// Removes comments, commas before closing brackets, and a byte-order mark.
#[must_use]
pub fn plain_json(text: &[u8]) -> Vec<u8> {
    let mut rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut plain = Stripper { out: Vec::with_capacity(rest.len()), before: b'[', comma: None };
    while let Some(first) = rest.first() {
        let length = match rest {
            [b'"', ..] => plain.copy_string(rest),
            [b'/', b'/', ..] => plain.blank(rest, line_comment(rest)),
            [b'/', b'*', ..] if block_comment(rest).is_some() => {
                plain.blank(rest, block_comment(rest).unwrap_or(rest.len()))
            }
            _ => plain.copy_byte(*first),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    plain.out
}

struct Stripper {
    out: Vec<u8>,
    /// The last byte that was neither white space nor in a comment.
    before: u8,
    /// The position of a comma that is removed if a closing bracket follows.
    comma: Option<usize>,
}

impl Stripper {
    /// Copies the string at the start of `rest`, and returns its length.
    fn copy_string(&mut self, rest: &[u8]) -> usize {
        let mut is_escaped = false;
        let is_end = |byte: &u8| {
            let ends = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            ends
        };
        let inside = rest.iter().skip(1).position(is_end);
        let length = inside.map_or(rest.len(), |end| end + 2);
        self.out.extend(rest.iter().take(length));
        (self.before, self.comma) = (b'"', None);
        length
    }

    /// Writes a space for each character of a comment, and keeps its line ends.
    fn blank(&mut self, rest: &[u8], length: usize) -> usize {
        let is_first = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        let blanked = |byte: &u8| if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
        self.out.extend(rest.iter().take(length).filter(is_first).map(blanked));
        length
    }

    /// Copies a byte that is outside of strings and comments.
    fn copy_byte(&mut self, byte: u8) -> usize {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b',' => {
                // In JSON with comments, too, a comma without a value before it is an error.
                let follows_value = !matches!(self.before, b'[' | b'{' | b',' | b':');
                self.comma = follows_value.then_some(self.out.len());
                self.before = byte;
            }
            _ => {
                let closes = matches!(byte, b']' | b'}');
                let comma = self.comma.take().filter(|_| closes);
                if let Some(byte) = comma.and_then(|at| self.out.get_mut(at)) {
                    *byte = b' ';
                }
                self.before = byte;
            }
        }
        self.out.push(byte);
        1
    }
}

/// Returns the length of the line comment at the start of `rest`.
fn line_comment(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// Returns the length of the block comment at the start of `rest`, if it ends.
fn block_comment(rest: &[u8]) -> Option<usize> {
    let inside = rest.get(2..)?;
    inside.windows(2).position(|pair| pair == b"*/").map(|end| end + 4)
}

#[cfg(test)]
mod tests;
