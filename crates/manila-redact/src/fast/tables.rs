//! The tables of the fast engine, computed at compile time.
#![allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    clippy::large_const_arrays,
    reason = "evaluated at compile time, where an index out of bounds is an error"
)]

use super::literals::{LITERALS_CONST, Literal, N_LITERALS, Word};
use crate::rules::{Finds, RULES};

/// A group of three bytes of a literal.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) literal: u16,
    /// The offset of the group in the literal.
    pub(super) offset: u8,
    /// Whether it is the last entry of its bucket.
    is_last: bool,
    /// The first bytes of the literal.
    pub(super) first: Word,
}

/// Three bytes with the byte after or before them, ignoring case.
#[derive(Clone, Copy)]
pub(super) struct Four {
    bytes: u32,
    factor: u32,
}

/// The multipliers of the hashes of both kinds.
const FACTOR_AFTER: u32 = 0x9E37_79B1;
const FACTOR_BEFORE: u32 = 0x85EB_CA6B;

impl Four {
    const fn new(bytes: u32, factor: u32) -> Four {
        Four { bytes: bytes & 0xDFDF_DFDF, factor }
    }

    #[inline]
    pub(super) const fn hash(self) -> u32 {
        self.bytes.wrapping_mul(self.factor) >> (32 - HASH_BITS)
    }
}

/// Returns the three bytes at a position with the byte after them, and with the byte before them.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "only four bytes are used")]
pub(super) const fn groups_of_four(around: u64) -> [Four; 2] {
    [Four::new((around >> 8) as u32, FACTOR_AFTER), Four::new(around as u32, FACTOR_BEFORE)]
}

/// The number of bits of a hash.
const HASH_BITS: u32 = 18;

/// The number of low bits that are ignored. A bucket contains all hashes with the same high bits.
const BUCKET_SHIFT: u32 = 5;

const N_BUCKETS: usize = 1 << (HASH_BITS - BUCKET_SHIFT);

/// Returns three bytes without their case, which is bit 5 of a letter.
#[inline]
pub(super) const fn fold(bytes: u32) -> u32 {
    bytes & 0x00DF_DFDF
}

#[inline]
pub(super) const fn hash(group: u32) -> u32 {
    group.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)
}

/// Returns 1 if a literal has a group with this hash, else 0.
#[inline]
pub(super) fn has_group(hash: u32) -> u32 {
    let word = KNOWN_GROUPS.get((hash >> 5) as usize).copied().unwrap_or(0);
    (word >> (hash & 31)) & 1
}

/// Returns 1 if a literal has four bytes with this hash, else 0.
#[inline]
pub(super) fn has_four(hash: u32) -> u32 {
    let word = KNOWN_FOURS.get((hash >> 5) as usize).copied().unwrap_or(0);
    (word >> (hash & 31)) & 1
}

static KNOWN_FOURS: [u32; 1 << (HASH_BITS - 5)] = {
    let mut known = [0; 1 << (HASH_BITS - 5)];
    let mut n = 0;
    while n < N_ENTRIES {
        let hash = UNSORTED[n].0.hash();
        known[(hash >> 5) as usize] |= 1 << (hash & 31);
        n += 1;
    }
    known
};

static KNOWN_GROUPS: [u32; 1 << (HASH_BITS - 5)] = {
    let mut known = [0; 1 << (HASH_BITS - 5)];
    let mut n = 0;
    while n < N_ENTRIES {
        let four = UNSORTED[n].0;
        let hash =
            hash(if four.factor == FACTOR_AFTER { fold(four.bytes) } else { four.bytes >> 8 });
        known[(hash >> 5) as usize] |= 1 << (hash & 31);
        n += 1;
    }
    known
};

/// Returns the entries that may have these four bytes.
#[inline]
pub(super) fn bucket(four: Four) -> impl Iterator<Item = &'static Entry> {
    let mut next = BUCKET_STARTS.get(bucket_of(four)).map(|head| usize::from(*head));
    std::iter::from_fn(move || {
        let entry = ENTRIES.get(next?)?;
        next = if entry.is_last { None } else { next.map(|n| n + 1) };
        Some(entry)
    })
}

const fn bucket_of(four: Four) -> usize {
    (four.hash() >> BUCKET_SHIFT) as usize
}

/// The index of each bucket's first entry. For an empty bucket, it is that of the next bucket.
static BUCKET_STARTS: [u16; N_BUCKETS + 1] = bucket_starts();

/// All entries, bucket by bucket.
static ENTRIES: [Entry; N_ENTRIES] = {
    let (mut next, bucket_starts) = (bucket_starts(), bucket_starts());
    let mut entries = [UNSORTED[0].1; N_ENTRIES];
    let mut n = 0;
    while n < N_ENTRIES {
        let (four, mut entry) = UNSORTED[n];
        let bucket = bucket_of(four);
        entry.is_last = next[bucket] + 1 == bucket_starts[bucket + 1];
        entries[next[bucket] as usize] = entry;
        next[bucket] += 1;
        n += 1;
    }
    entries
};

/// Returns the index of the first entry of each bucket, and the number of entries.
const fn bucket_starts() -> [u16; N_BUCKETS + 1] {
    assert!(N_ENTRIES <= u16::MAX as usize, "an entry's index must fit in 16 bits");
    let mut bucket_starts = [0; N_BUCKETS + 1];
    let mut n = 0;
    while n < N_ENTRIES {
        bucket_starts[bucket_of(UNSORTED[n].0) + 1] += 1;
        n += 1;
    }
    let mut bucket = 0;
    while bucket < N_BUCKETS {
        bucket_starts[bucket + 1] += bucket_starts[bucket];
        bucket += 1;
    }
    bucket_starts
}

/// Returns whether a folded byte may follow a literal of three bytes, for any rule that has it.
const fn may_follow(literal: &Literal, byte: u8) -> bool {
    let mut n = 0;
    while n < literal.n_users() {
        if may_follow_in_rule(literal.rule(n), byte) {
            return true;
        }
        n += 1;
    }
    false
}

/// Returns whether a folded byte may follow a literal of three bytes of this rule. After a token's
/// literal, this is any byte of a token; otherwise, any printable byte.
const fn may_follow_in_rule(rule: usize, byte: u8) -> bool {
    match RULES[rule].finds() {
        // Digits, letters, `_-./+~`, and the backslash that may precede a slash in JSON.
        Finds::Token(_) => {
            matches!(byte, 0x10..=0x19 | 0x41..=0x5A | 0x5C | 0x5E..=0x5F | 0x0D..=0x0F | 0x0B)
        }
        Finds::Labelled(_) | Finds::Structure(..) => {
            matches!(byte, 0x01..=0x1F | 0x40..=0x5F | 0xC0..=0xDF)
        }
    }
}

/// Returns the number of bytes that may follow a literal of three bytes.
const fn n_following(literal: &Literal) -> usize {
    let (mut n, mut byte) = (0, 0);
    while byte < u8::MAX {
        n += may_follow(literal, byte) as usize;
        byte += 1;
    }
    n
}

const N_ENTRIES: usize = {
    let (mut n, mut number) = (0, 0);
    while number < N_LITERALS {
        let literal = &LITERALS_CONST[number];
        n += if literal.len > 3 { 2 } else { 2 * n_following(literal) };
        number += 1;
    }
    n
};

/// All entries, each with the four bytes by which it is found.
const UNSORTED: [(Four, Entry); N_ENTRIES] = {
    let mut entries = [entry(&LITERALS_CONST[0], 0, 0); N_ENTRIES];
    let (mut n, mut number) = (0, 0);
    while number < N_LITERALS {
        let mut literal = LITERALS_CONST[number];
        if literal.len > 3 {
            entries[n] = entry(&literal, number, rarest(&literal, 0));
            entries[n + 1] = entry(&literal, number, rarest(&literal, 1));
            n += 2;
        } else {
            // The fourth byte is each byte that may follow the literal.
            literal.len = 4;
            let mut byte = 0;
            while byte < u8::MAX {
                if may_follow(&literal, byte) {
                    literal.bytes[3] = byte;
                    entries[n] = entry(&literal, number, 0);
                    entries[n + 1] = entry(&literal, number, 1);
                    n += 2;
                }
                byte += 1;
            }
        }
        number += 1;
    }
    entries
};

/// Returns the entry for the three bytes at `offset` of a literal.
#[allow(clippy::cast_possible_truncation, reason = "both are below a thousand")]
const fn entry(literal: &Literal, number: usize, offset: usize) -> (Four, Entry) {
    let bytes = &literal.bytes;
    let has_after = offset + 3 < literal.len as usize;
    let start = if has_after { offset } else { offset - 1 };
    let four = [bytes[start], bytes[start + 1], bytes[start + 2], bytes[start + 3]];
    let four =
        Four::new(u32::from_le_bytes(four), if has_after { FACTOR_AFTER } else { FACTOR_BEFORE });
    let entry = Entry {
        literal: number as u16,
        offset: offset as u8,
        is_last: false,
        first: literal.first,
    };
    (four, entry)
}

/// Returns the offset of the rarest three bytes, at `first` or a multiple of two after it.
const fn rarest(literal: &Literal, first: usize) -> usize {
    let (mut best, mut lowest) = (first, u64::MAX);
    let mut offset = first;
    while offset + 3 <= literal.len as usize {
        let bytes = &literal.bytes;
        let frequency = byte_frequency(bytes[offset])
            * byte_frequency(bytes[offset + 1])
            * byte_frequency(bytes[offset + 2]);
        let frequency =
            frequency * trigram_factor(bytes[offset], bytes[offset + 1], bytes[offset + 2]);
        if frequency < lowest {
            (best, lowest) = (offset, frequency);
        }
        offset += 2;
    }
    best
}

/// Estimates how much more frequent three bytes are together than by chance.
const fn trigram_factor(a: u8, b: u8, c: u8) -> u64 {
    if a.eq_ignore_ascii_case(&b'y') || b.eq_ignore_ascii_case(&b'y') {
        // Every JSON object in base64 begins with `eyJ`.
        1000
    } else if a == b && b == c {
        // Repeated characters are used to draw lines.
        100
    } else if a.eq_ignore_ascii_case(&b'p') && b.eq_ignore_ascii_case(&b'a') {
        // Many labels begin with `pass`.
        10
    } else if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() && c.is_ascii_alphabetic() {
        3
    } else {
        1
    }
}

/// Estimates how often a byte occurs in a thousand bytes of logs, code and JSON.
const fn byte_frequency(byte: u8) -> u64 {
    match byte.to_ascii_lowercase() {
        b' ' | b'e' | b't' => 90,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'd' | b'c' | b'"' => 65,
        b'f' | b'b' | b'l' | b'h' | b'0'..=b'9' => 45,
        b'u' | b'm' | b'p' | b'g' | b':' | b'/' | b'-' => 25,
        b'w' | b'y' | b'_' | b'.' | b'v' | b'=' | b'\\' => 14,
        b'k' | b'x' => 7,
        _ => 4,
    }
}
