//! JSON with comments: the same text as plain JSON.
//!
//! Comments and the comma before a closing bracket become blanks, so that everything else keeps its
//! line and column. What is wrong otherwise is left for the reader of JSON to tell.

/// The text without comments, without commas before closing brackets, and without a byte-order
/// mark.
#[must_use]
pub fn plain_json(text: &[u8]) -> Vec<u8> {
    let mut rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let mut plain = Plain { out: Vec::with_capacity(rest.len()), before: b'[', comma: None };
    while let Some(first) = rest.first() {
        let length = match rest {
            [b'"', ..] => plain.string(rest),
            [b'/', b'/', ..] => plain.blank(rest, line_comment(rest)),
            [b'/', b'*', ..] if block_comment(rest).is_some() => {
                plain.blank(rest, block_comment(rest).unwrap_or(rest.len()))
            }
            _ => plain.other(*first),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    plain.out
}

struct Plain {
    out: Vec<u8>,
    /// The last byte that was neither white space nor in a comment.
    before: u8,
    /// Where a comma stands that goes if a closing bracket comes next.
    comma: Option<usize>,
}

impl Plain {
    /// Takes the string at the start of `rest`, and gives its length.
    fn string(&mut self, rest: &[u8]) -> usize {
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

    /// Writes blanks for a comment, one for each character, and keeps its line ends.
    fn blank(&mut self, rest: &[u8], length: usize) -> usize {
        let is_first = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        let blanked = |byte: &u8| if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
        self.out.extend(rest.iter().take(length).filter(is_first).map(blanked));
        length
    }

    fn other(&mut self, byte: u8) -> usize {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b',' => {
                // A comma with no value before it is a mistake in this language, too.
                let follows_value = !matches!(self.before, b'[' | b'{' | b',' | b':');
                self.comma = follows_value.then_some(self.out.len());
                self.before = byte;
            }
            _ => {
                let closes = matches!(byte, b']' | b'}');
                let comma = self.comma.take().filter(|_| closes);
                if let Some(place) = comma.and_then(|at| self.out.get_mut(at)) {
                    *place = b' ';
                }
                self.before = byte;
            }
        }
        self.out.push(byte);
        1
    }
}

fn line_comment(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// How long the comment is, if it ends.
fn block_comment(rest: &[u8]) -> Option<usize> {
    let inside = rest.get(2..)?;
    inside.windows(2).position(|pair| pair == b"*/").map(|end| end + 4)
}

#[cfg(test)]
mod tests;
