//! Lines of the input, with a limit on their length.

use std::io::{self, BufRead, Read};

/// The maximum length of a line. A longer one is skipped.
pub(super) const LINE_BYTES_MAX: usize = 16 << 20;

/// The outcome of [`read`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The buffer contains a line, without its line feed.
    Whole,
    /// A line exceeded the limit and was skipped.
    TooLong,
    /// There are no more lines.
    End,
}

/// Reads the next line of `input` into `line`. The last line may lack its line feed.
pub(super) fn read(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let bytes_max = LINE_BYTES_MAX as u64 + 1;
    if input.by_ref().take(bytes_max).read_until(b'\n', line)? == 0 {
        return Ok(Line::End);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LINE_BYTES_MAX {
        line.clear();
        input.skip_until(b'\n')?;
        return Ok(Line::TooLong);
    }
    Ok(Line::Whole)
}
