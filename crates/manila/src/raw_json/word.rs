//! Searches eight, sixteen or 64 bytes at a time.

use wide::u8x16;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns whether a byte needs an escape in a JSON string.
#[allow(clippy::needless_bitwise_bool, reason = "without branches it becomes a vector")]
#[inline]
pub(super) fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Returns how many of eight bytes precede the first quote, backslash or control character.
#[inline]
pub(super) fn plain_len(word: [u8; 8]) -> usize {
    let word = u64::from_le_bytes(word);
    first(zeros(word ^ repeat(b'"')) | zeros(word ^ repeat(b'\\')) | below_space(word))
}

/// Returns how many of sixteen bytes precede the first quote, backslash or control character.
#[inline]
pub(super) fn plain_len_of_16(bytes: [u8; 16]) -> usize {
    let bytes = u8x16::new(bytes);
    first_of_16(controls(bytes) | quotes(bytes))
}

/// Returns how many of sixteen bytes precede the first quote or backslash.
#[inline]
pub(super) fn unquoted_len_of_16(bytes: [u8; 16]) -> usize {
    first_of_16(quotes(u8x16::new(bytes)))
}

/// Returns the end of the run from `at` without a quote, backslash or control character, in steps
/// of 64 bytes. Up to 63 more bytes may belong to the run.
pub(super) fn plain_blocks_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<64>) {
        let (parts, _) = block.as_chunks::<16>();
        let marks = parts.iter().fold(u8x16::splat(0), |marks, part| {
            let part = u8x16::new(*part);
            marks | controls(part) | quotes(part)
        });
        if marks.to_bitmask() != 0 {
            break;
        }
        at += 64;
    }
    at
}

/// Returns which of 64 bytes are quotes that end a string, that is, unescaped quotes. The lowest
/// bit is the first byte. `is_escaped` is whether the first byte is escaped, and is updated for the
/// byte after these.
#[inline]
pub(super) fn ending_quotes_of_64(bytes: &[u8; 64], is_escaped: &mut bool) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    let mask = |byte: u8| {
        let (parts, _) = bytes.as_chunks::<16>();
        parts.iter().rev().fold(0_u64, |mask, part| {
            let marks = u8x16::new(*part).simd_eq(u8x16::splat(byte)).to_bitmask();
            mask << 16 | u64::from(marks)
        })
    };
    let quotes = mask(b'"');
    let backslashes = mask(b'\\') & !u64::from(*is_escaped);
    // A byte is escaped if the run of backslashes before it has an odd length. Adding the start of
    // a run to the run carries a bit to the run's end.
    let follows = backslashes << 1 | u64::from(*is_escaped);
    let odd_starts = backslashes & !EVEN & !follows;
    let (ends_of_odd, has_overflow) = odd_starts.overflowing_add(backslashes);
    *is_escaped = has_overflow;
    let escaped = (EVEN ^ ends_of_odd << 1) & follows;
    quotes & !escaped
}

/// Returns how many of eight bytes precede the first backslash.
#[inline]
pub(super) fn unescaped_len(word: [u8; 8]) -> usize {
    first(zeros(u64::from_le_bytes(word) ^ repeat(b'\\')))
}

/// Returns the end of the white space that starts at `at`.
#[inline]
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
        // Indentation comes in longer runs.
        while let Some(b"        ") = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            at += 8;
        }
    }
    at
}

/// Returns how many bytes need an escape in a JSON string.
pub(super) fn count_special(bytes: &[u8]) -> usize {
    // Compilers vectorize eight-bit sums over short runs.
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

/// Returns the place of the lowest mark, or 8 if no byte is marked.
#[inline]
fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Marks control characters.
#[inline]
fn controls(bytes: u8x16) -> u8x16 {
    bytes.min(u8x16::splat(0x1F)).simd_eq(bytes)
}

/// Marks quotes and backslashes.
#[inline]
fn quotes(bytes: u8x16) -> u8x16 {
    bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'))
}

/// Returns the place of the lowest mark, or 16 if no byte is marked.
#[inline]
fn first_of_16(marks: u8x16) -> usize {
    (marks.to_bitmask() | 1 << 16).trailing_zeros() as usize
}

#[cfg(test)]
mod tests;
