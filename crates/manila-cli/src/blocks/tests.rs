use std::io::Read;

use super::{Block, Blocks, Line};
use crate::input::InputArgs;

/// A reader that returns a text in pieces of these lengths, which repeat.
struct Pieces {
    text: Vec<u8>,
    lengths: Vec<usize>,
    n_reads: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.lengths[self.n_reads % self.lengths.len()];
        self.n_reads += 1;
        let n_read = length.min(self.text.len()).min(buffer.len());
        buffer[..n_read].copy_from_slice(&self.text[..n_read]);
        self.text.drain(..n_read);
        Ok(n_read)
    }
}

fn blocks(text: &str, bytes_max: u64, lengths: &[usize]) -> Vec<Block> {
    let source = Pieces { text: text.as_bytes().to_vec(), lengths: lengths.to_vec(), n_reads: 0 };
    let all = Blocks::new(InputArgs::new(None, bytes_max), Box::new(source), None);
    all.map(|block| block.map_err(|refusal| refusal.to_string()).unwrap()).collect()
}

/// Checks the lines of `text` for several piece lengths; `-` is a line that is too long.
#[track_caller]
fn check(text: &str, bytes_max: u64, expected: &[&str]) {
    for lengths in [&[1][..], &[2, 3], &[5, 1, 7], &[1000]] {
        let lines = blocks(text, bytes_max, lengths).into_iter().flatten();
        let mut found = Vec::new();
        for (at, Line { number, text }) in lines.enumerate() {
            assert_eq!(number, at as u64 + 1, "{lengths:?}");
            let text = text.map(|text| String::from_utf8(text.to_vec()).unwrap());
            found.push(text.unwrap_or_else(|| "-".to_owned()));
        }
        assert_eq!(found, expected, "{text:?} in pieces of {lengths:?}");
    }
}

#[test]
fn lines_do_not_depend_on_piece_lengths() {
    check("", 10, &[]);
    check("\n", 10, &[""]);
    check("a", 10, &["a"]);
    check("a\nbc\n", 10, &["a", "bc"]);
    check("a\r\n\r\nbc", 10, &["a", "", "bc"]);
    check("a\r\r\nb\r", 10, &["a\r", "b"]);
    check("\n\n\na\n\n", 10, &["", "", "", "a", ""]);
}

#[test]
fn omits_only_lines_that_are_too_long() {
    check("abcd\nefghi\njk\n", 4, &["abcd", "-", "jk"]);
    check("abcd\r\nefghi\r\njk", 4, &["abcd", "-", "jk"]);
    check("abcdefghijklmnop\nx\n", 4, &["-", "x"]);
    check("abcdefghijklmnop", 4, &["-"]);
    check("x\nabcdefghijklmnop\n", 4, &["x", "-"]);
    check("abcdefghijklmnop\n\nabcdefghijklmnop\ny", 4, &["-", "", "-", "y"]);
}

#[test]
fn returns_complete_lines_at_once() {
    let found = blocks("a\nb\nc", 10, &[3, 1, 1]);
    let n_bytes: Vec<usize> = found.iter().map(Block::n_bytes).collect();
    assert_eq!(n_bytes, [2, 2, 1]);
}
