//! Looking at eight bytes at a time.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Whether a byte cannot stand in a JSON string as it is.
#[allow(clippy::needless_bitwise_bool, reason = "without branches it becomes a vector")]
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// How many of eight bytes come before the first quote, backslash or control character.
#[inline]
pub(super) fn plain_len(word: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(word);
    first(zeros(word ^ repeat(b'"')) | zeros(word ^ repeat(b'\\')) | below_space(word))
}

/// How many bytes, in steps of eight, come before the first quote, backslash or control
/// character; at the end of `bytes` up to seven more may follow.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    for (n, word) in words.iter().enumerate() {
        let n_plain = plain_len(*word);
        if n_plain < 8 {
            return n * 8 + n_plain;
        }
    }
    words.len() * 8
}

/// How many of eight bytes come before the first quote or backslash.
#[inline]
pub(super) fn unquoted_len(word: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(word);
    first(zeros(word ^ repeat(b'"')) | zeros(word ^ repeat(b'\\')))
}

/// How many of eight bytes come before the first backslash.
#[inline]
pub(super) fn unescaped_len(word: [u8; 8]) -> usize {
    first(zeros(u64::from_le_bytes(word) ^ repeat(b'\\')))
}

/// Where the white space that starts at `at` ends.
#[inline]
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    // Most tokens follow at once, or after one space.
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
        // Indentation comes in longer runs.
        while let Some(b"        ") = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            at += 8;
        }
    }
    at
}

/// How many bytes need an escape in a JSON string.
pub(super) fn count_special(bytes: &[u8]) -> usize {
    // Eight-bit sums over short runs are what compilers make vectors of.
    let (runs, tail) = bytes.as_chunks::<64>();
    let sum = |run: &[u8]| run.iter().map(|&byte| u8::from(is_special(byte))).sum::<u8>();
    let in_runs: usize = runs.iter().map(|run| usize::from(sum(run))).sum();
    in_runs + usize::from(sum(tail))
}

const fn repeat(byte: u8) -> u64 {
    ONES * byte as u64
}

/// Marks the high bit of each zero byte. Marks above the lowest may be false.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// Marks the high bit of each byte below 0x20. Marks above the lowest may be false.
#[inline]
fn below_space(word: u64) -> u64 {
    word.wrapping_sub(repeat(0x20)) & !word & HIGHS
}

/// The place of the lowest mark, or 8 if there is none.
#[inline]
fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place among bytes that are close to the special ones.
    #[test]
    fn eight_bytes_at_a_time_agree_with_one_at_a_time() {
        let naive = |word: [u8; 8], is_end: fn(u8) -> bool| {
            word.iter().position(|&byte| is_end(byte)).unwrap_or(8)
        };
        for filler in [b' ', b'!', b'#', b'[', b']', 0x7F, 0x80, 0xFF, 0x1F, b'"', b'\\'] {
            for (place, byte) in (0..8).flat_map(|place| (0..=255).map(move |byte| (place, byte))) {
                let mut word = [filler; 8];
                word[place] = byte;
                assert_eq!(plain_len(word), naive(word, is_special), "{word:?}");
                let is_quoted = |byte| byte == b'"' || byte == b'\\';
                assert_eq!(unquoted_len(word), naive(word, is_quoted), "{word:?}");
                assert_eq!(unescaped_len(word), naive(word, |byte| byte == b'\\'), "{word:?}");
            }
        }
    }

    #[test]
    fn runs_spaces_and_counts_agree_with_one_at_a_time() {
        for len in 0..40 {
            let mut bytes = vec![b'a'; len];
            bytes.extend_from_slice(b"\"b\n");
            assert_eq!(plain_run(&bytes), len.min(bytes.len() / 8 * 8), "{len}");
            assert_eq!(count_special(&bytes), 2);
            let spaces = [vec![b' '; len], b"\n\t  x".to_vec()].concat();
            assert_eq!(space_end(&spaces, 0), len + 4, "{len}");
        }
        assert_eq!(count_special(&[b'"'; 1000]), 1000);
    }
}
