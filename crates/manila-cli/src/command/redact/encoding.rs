//! Detection of UTF-16 and UTF-32, in which the rules would find nothing.

use memchr::memchr;

/// Finds text in UTF-16 or UTF-32 in an input that arrives in pieces.
///
/// Such text need not begin with a byte order mark, and it may follow text in UTF-8. A secret in it
/// is a run of ASCII characters, each beside one zero byte in UTF-16, or three in UTF-32.
#[derive(Default)]
pub(super) struct WideTextDetector {
    has_started: bool,
    last: Option<Byte>,
    /// Length of the current run in which characters and zero bytes alternate.
    n_alternating: usize,
    /// Number of zero bytes since the last character.
    n_zeros: usize,
    /// Number of characters in the current run that three zero bytes follow.
    n_wide: usize,
}

/// An encoding that is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WideEncoding {
    Utf16,
    Utf32,
}

impl WideEncoding {
    /// Returns the name of the encoding, as `iconv` knows it.
    pub(super) fn name(self) -> &'static str {
        match self {
            WideEncoding::Utf16 => "UTF-16",
            WideEncoding::Utf32 => "UTF-32",
        }
    }
}

/// The kinds of bytes that form the runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Zero,
    Character,
}

impl WideTextDetector {
    /// The shortest run to report, in characters. Few secrets are shorter, and other data seldom
    /// has such a run.
    const CHARS_MIN: usize = 8;

    /// Reads the next piece, and returns the encoding of wide text in it.
    pub(super) fn read(&mut self, piece: &[u8]) -> Option<WideEncoding> {
        if !std::mem::replace(&mut self.has_started, true) {
            match piece {
                [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
                    return Some(WideEncoding::Utf32);
                }
                [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => return Some(WideEncoding::Utf16),
                _ => {}
            }
        }
        let mut rest = piece;
        while let [byte, after @ ..] = rest {
            if let Some(found) = self.read_byte(*byte) {
                return Some(found);
            }
            rest = after;
            // Between runs, only the byte before the next zero byte matters.
            if self.n_alternating <= 1 && self.n_wide == 0 && self.n_zeros == 0 {
                let next = memchr(0, rest).unwrap_or(rest.len());
                rest = rest.get(next.saturating_sub(1)..).unwrap_or_default();
            }
        }
        None
    }

    /// Returns how many of the last bytes may begin a run that is long enough to report. It is zero
    /// after text without zero bytes.
    pub(super) fn n_undecided(&self) -> usize {
        let n_utf16 = if self.n_alternating > 1 { self.n_alternating } else { 0 };
        let is_wide = self.n_wide > 0 || (1..=3).contains(&self.n_zeros);
        // The run counts only the characters after three zero bytes, and not the first one.
        let n_utf32 = if is_wide { 4 * (self.n_wide + 1) + self.n_zeros.min(3) } else { 0 };
        n_utf16.max(n_utf32)
    }

    fn read_byte(&mut self, byte: u8) -> Option<WideEncoding> {
        let kind = match byte {
            0 => Some(Byte::Zero),
            b' '..=b'~' | b'\t' | b'\r' | b'\n' => Some(Byte::Character),
            _ => None,
        };
        self.n_alternating = match (kind, self.last) {
            (None, _) => 0,
            (Some(_), last) if kind != last && last.is_some() => self.n_alternating + 1,
            (Some(_), _) => 1,
        };
        self.last = kind;
        match kind {
            Some(Byte::Zero) => self.n_zeros = self.n_zeros.saturating_add(1),
            Some(Byte::Character) => {
                let is_wide = self.n_zeros == 3;
                self.n_wide = if is_wide { self.n_wide + 1 } else { 0 };
                self.n_zeros = 0;
            }
            None => (self.n_wide, self.n_zeros) = (0, 0),
        }
        if self.n_alternating >= 2 * Self::CHARS_MIN {
            return Some(WideEncoding::Utf16);
        }
        (self.n_wide >= Self::CHARS_MIN).then_some(WideEncoding::Utf32)
    }
}

#[cfg(test)]
mod tests;
