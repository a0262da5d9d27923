//! The tables of the fast engine, made when the crate is compiled.
#![allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    clippy::large_const_arrays,
    reason = "all of it runs in the compiler, which refuses what is out of bounds"
)]

use super::literals::{LITERALS_MADE, Literal, N_LITERALS, Word};
use crate::rules::{Finds, RULES};

/// Three bytes of a literal, and one more.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) literal: u16,
    /// Where in the literal the three stand.
    pub(super) offset: u8,
    /// Whether it is the last one of its bucket.
    is_last: bool,
    /// How the literal begins.
    pub(super) first: Word,
}

/// Three bytes with the one after or before them, without regard to case.
#[derive(Clone, Copy)]
pub(super) struct Four {
    bytes: u32,
    factor: u32,
}

/// What the hashes of both kinds are made with.
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

/// Of the bytes around a place, the three that stand there with the one after them, and with the
/// one before them.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "four bytes of it are taken")]
pub(super) const fn fours(around: u64) -> [Four; 2] {
    [Four::new((around >> 8) as u32, FACTOR_AFTER), Four::new(around as u32, FACTOR_BEFORE)]
}

/// How many bits a hash has.
const HASH_BITS: u32 = 18;

/// A bucket is all hashes that begin alike.
const BUCKET_SHIFT: u32 = 5;

const N_BUCKETS: usize = 1 << (HASH_BITS - BUCKET_SHIFT);

/// Three bytes without regard to case: bit 5 is what upper and lower case differ in.
#[inline]
pub(super) const fn fold(bytes: u32) -> u32 {
    bytes & 0x00DF_DFDF
}

#[inline]
pub(super) const fn hash(group: u32) -> u32 {
    group.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)
}

/// 1 if some literal has a group of this hash.
#[inline]
pub(super) fn is_known(hash: u32) -> u32 {
    let word = KNOWN.get((hash >> 5) as usize).copied().unwrap_or(0);
    (word >> (hash & 31)) & 1
}

/// 1 if some literal has four bytes of this hash.
#[inline]
pub(super) fn is_known_further(hash: u32) -> u32 {
    let word = KNOWN_FURTHER.get((hash >> 5) as usize).copied().unwrap_or(0);
    (word >> (hash & 31)) & 1
}

static KNOWN_FURTHER: [u32; 1 << (HASH_BITS - 5)] = {
    let mut known = [0; 1 << (HASH_BITS - 5)];
    let mut n = 0;
    while n < N_ENTRIES {
        let hash = UNSORTED[n].0.hash();
        known[(hash >> 5) as usize] |= 1 << (hash & 31);
        n += 1;
    }
    known
};

static KNOWN: [u32; 1 << (HASH_BITS - 5)] = {
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

/// The entries that may have these four bytes.
#[inline]
pub(super) fn bucket(four: Four) -> impl Iterator<Item = &'static Entry> {
    let mut next = HEADS.get(bucket_of(four)).map(|head| usize::from(*head));
    std::iter::from_fn(move || {
        let entry = ENTRIES.get(next?)?;
        next = if entry.is_last { None } else { next.map(|n| n + 1) };
        Some(entry)
    })
}

const fn bucket_of(four: Four) -> usize {
    (four.hash() >> BUCKET_SHIFT) as usize
}

/// Where the entries of each bucket begin. An empty one has those of the next.
static HEADS: [u16; N_BUCKETS + 1] = heads();

/// All entries, bucket by bucket.
static ENTRIES: [Entry; N_ENTRIES] = {
    let (mut next, heads) = (heads(), heads());
    let mut entries = [UNSORTED[0].1; N_ENTRIES];
    let mut n = 0;
    while n < N_ENTRIES {
        let (four, mut entry) = UNSORTED[n];
        let bucket = bucket_of(four);
        entry.is_last = next[bucket] + 1 == heads[bucket + 1];
        entries[next[bucket] as usize] = entry;
        next[bucket] += 1;
        n += 1;
    }
    entries
};

const fn heads() -> [u16; N_BUCKETS + 1] {
    assert!(N_ENTRIES <= u16::MAX as usize, "an entry has a number of 16 bits");
    let mut heads = [0; N_BUCKETS + 1];
    let mut n = 0;
    while n < N_ENTRIES {
        heads[bucket_of(UNSORTED[n].0) + 1] += 1;
        n += 1;
    }
    let mut bucket = 0;
    while bucket < N_BUCKETS {
        heads[bucket + 1] += heads[bucket];
        bucket += 1;
    }
    heads
}

/// Whether a byte, folded, may follow a literal of three bytes, whichever rule has it.
const fn may_follow(literal: &Literal, byte: u8) -> bool {
    let mut n = 0;
    while n < literal.n_users() {
        if may_follow_of(literal.rule(n), byte) {
            return true;
        }
        n += 1;
    }
    false
}

/// Whether a byte, folded, may follow a literal of three bytes: after a token's anything that
/// tokens are made of, after a structure's anything that can be seen.
const fn may_follow_of(rule: usize, byte: u8) -> bool {
    match RULES[rule].finds() {
        // Digits, letters, `_-./+~`, and the backslash that JSON may have before a slash.
        Finds::Token(_) => {
            matches!(byte, 0x10..=0x19 | 0x41..=0x5A | 0x5C | 0x5E..=0x5F | 0x0D..=0x0F | 0x0B)
        }
        Finds::Labelled(_) | Finds::Structure(..) => {
            matches!(byte, 0x01..=0x1F | 0x40..=0x5F | 0xC0..=0xDF)
        }
    }
}

/// How many bytes may follow a literal of three bytes.
const fn n_following(literal: &Literal) -> usize {
    let (mut n, mut byte) = (0, 0);
    while byte < u8::MAX {
        n += may_follow(literal, byte) as usize;
        byte += 1;
    }
    n
}

const N_ENTRIES: usize = {
    let (mut n, mut place) = (0, 0);
    while place < N_LITERALS {
        let literal = &LITERALS_MADE[place];
        n += if literal.len > 3 { 2 } else { 2 * n_following(literal) };
        place += 1;
    }
    n
};

/// All entries, and the four bytes that each is found by.
const UNSORTED: [(Four, Entry); N_ENTRIES] = {
    let mut entries = [entry(&LITERALS_MADE[0], 0, 0); N_ENTRIES];
    let (mut n, mut number) = (0, 0);
    while number < N_LITERALS {
        let mut literal = LITERALS_MADE[number];
        if literal.len > 3 {
            entries[n] = entry(&literal, number, rarest(&literal, 0));
            entries[n + 1] = entry(&literal, number, rarest(&literal, 1));
            n += 2;
        } else {
            // Its fourth byte is one that may follow it.
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

/// The entry of the three bytes at `offset` of a literal.
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

/// Where the rarest three bytes stand, at `first` or a multiple of two after it.
const fn rarest(literal: &Literal, first: usize) -> usize {
    let (mut best, mut least) = (first, u64::MAX);
    let mut offset = first;
    while offset + 3 <= literal.len as usize {
        let bytes = &literal.bytes;
        let often =
            how_often(bytes[offset]) * how_often(bytes[offset + 1]) * how_often(bytes[offset + 2]);
        let often = often * how_common(bytes[offset], bytes[offset + 1], bytes[offset + 2]);
        if often < least {
            (best, least) = (offset, often);
        }
        offset += 2;
    }
    best
}

/// How much oftener three bytes stand together than by chance, about.
const fn how_common(a: u8, b: u8, c: u8) -> u64 {
    if a.eq_ignore_ascii_case(&b'y') || b.eq_ignore_ascii_case(&b'y') {
        // Every JSON object in base64 begins with `eyJ`.
        1000
    } else if a == b && b == c {
        // Lines are drawn with them.
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

/// About how often a byte stands in a thousand bytes of logs, code and JSON.
const fn how_often(byte: u8) -> u64 {
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
