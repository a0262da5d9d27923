//! The tables of the fast engine, made when the crate is compiled.
#![allow(
    clippy::indexing_slicing,
    clippy::large_stack_arrays,
    clippy::large_const_arrays,
    reason = "all of it runs in the compiler, which refuses what is out of bounds"
)]

use super::literals::{LITERAL_MAX, LITERALS_MADE, Literal, N_LITERALS};
use crate::rules::{Finds, RULES};

/// Three bytes of a literal.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The bytes, without regard to case.
    pub(super) group: u32,
    pub(super) literal: u16,
    /// Where in the literal they stand.
    pub(super) offset: u8,
}

/// How many bits a hash has.
const HASH_BITS: u32 = 18;

/// A bucket is all hashes that begin alike.
pub(super) const BUCKET_SHIFT: u32 = 5;

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

/// The four bytes around a group that its literal has, or may have: the group and the byte
/// after it, or the byte before it and the group.
#[inline]
pub(super) const fn hash_after(bytes: u32) -> u32 {
    (bytes & 0xDFDF_DFDF).wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)
}

#[inline]
pub(super) const fn hash_before(bytes: u32) -> u32 {
    (bytes & 0xDFDF_DFDF).wrapping_mul(0x85EB_CA6B) >> (32 - HASH_BITS)
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
        let entry = ENTRIES_UNSORTED[n];
        let literal = &LITERALS_MADE[entry.literal as usize];
        let offset = entry.offset as usize;
        if literal.len as usize > offset + 3 {
            let hash = hash_after(entry.group | (literal.bytes[offset + 3] as u32) << 24);
            known[(hash >> 5) as usize] |= 1 << (hash & 31);
        } else if offset > 0 {
            let hash = hash_before(entry.group << 8 | literal.bytes[offset - 1] as u32);
            known[(hash >> 5) as usize] |= 1 << (hash & 31);
        } else {
            let mut byte = 0;
            while byte < u8::MAX {
                if may_follow(literal.rule, byte) {
                    let hash = hash_after(entry.group | (byte as u32) << 24);
                    known[(hash >> 5) as usize] |= 1 << (hash & 31);
                }
                byte += 1;
            }
        }
        n += 1;
    }
    known
};

static KNOWN: [u32; 1 << (HASH_BITS - 5)] = {
    let mut known = [0; 1 << (HASH_BITS - 5)];
    let mut n = 0;
    while n < N_ENTRIES {
        let hash = hash(ENTRIES_UNSORTED[n].group);
        known[(hash >> 5) as usize] |= 1 << (hash & 31);
        n += 1;
    }
    known
};

/// Where the entries of each bucket begin.
pub(super) static HEADS: [u16; N_BUCKETS + 1] = heads();

/// All entries, bucket by bucket.
pub(super) static ENTRIES: [Entry; N_ENTRIES] = {
    let mut next = heads();
    let mut entries = ENTRIES_UNSORTED;
    let mut n = 0;
    while n < N_ENTRIES {
        let bucket = bucket(ENTRIES_UNSORTED[n].group);
        entries[next[bucket] as usize] = ENTRIES_UNSORTED[n];
        next[bucket] += 1;
        n += 1;
    }
    entries
};

const fn bucket(group: u32) -> usize {
    (hash(group) >> BUCKET_SHIFT) as usize
}

const fn heads() -> [u16; N_BUCKETS + 1] {
    let mut heads = [0; N_BUCKETS + 1];
    let mut n = 0;
    while n < N_ENTRIES {
        heads[bucket(ENTRIES_UNSORTED[n].group) + 1] += 1;
        n += 1;
    }
    let mut bucket = 0;
    while bucket < N_BUCKETS {
        heads[bucket + 1] += heads[bucket];
        bucket += 1;
    }
    heads
}

/// Whether a byte, folded, may follow a literal of three bytes: after a token's anything that
/// tokens are made of, after a structure's anything that can be seen.
const fn may_follow(rule: u16, byte: u8) -> bool {
    match RULES[rule as usize].finds() {
        // Digits, letters and `_-./+~`.
        Finds::Token(_) => {
            matches!(byte, 0x10..=0x19 | 0x41..=0x5A | 0x5E..=0x5F | 0x0D..=0x0F | 0x0B)
        }
        Finds::Labelled(_) | Finds::Structure(..) => {
            matches!(byte, 0x01..=0x1F | 0x40..=0x5F | 0xC0..=0xDF)
        }
    }
}

const fn n_entries(literal: &Literal) -> usize {
    if literal.len > 3 {
        return 2;
    }
    let (mut n, mut byte) = (1, 0);
    while byte < u8::MAX {
        if may_follow(literal.rule, byte) {
            n += 1;
        }
        byte += 1;
    }
    n
}

const N_ENTRIES: usize = {
    let (mut n, mut place) = (0, 0);
    while place < N_LITERALS {
        n += n_entries(&LITERALS_MADE[place]);
        place += 1;
    }
    n
};

#[allow(clippy::cast_possible_truncation, reason = "there are a few hundred literals")]
const ENTRIES_UNSORTED: [Entry; N_ENTRIES] = {
    let mut entries = [Entry { group: 0, literal: 0, offset: 0 }; N_ENTRIES];
    let (mut n, mut place) = (0, 0);
    while place < N_LITERALS {
        let literal = &LITERALS_MADE[place];
        let number = place as u16;
        let even = rarest(literal, 0);
        entries[n] = Entry { group: group(literal, even), literal: number, offset: even as u8 };
        n += 1;
        if literal.len == 3 {
            let mut byte = 0;
            while byte < u8::MAX {
                if may_follow(literal.rule, byte) {
                    let group = (group(literal, 1) & 0xFFFF) | (byte as u32) << 16;
                    entries[n] = Entry { group, literal: number, offset: 1 };
                    n += 1;
                }
                byte += 1;
            }
        } else {
            let odd = rarest(literal, 1);
            entries[n] = Entry { group: group(literal, odd), literal: number, offset: odd as u8 };
            n += 1;
        }
        place += 1;
    }
    entries
};

/// The three bytes at `offset`, folded.
const fn group(literal: &Literal, offset: usize) -> u32 {
    let bytes = &literal.bytes;
    let third = if offset + 2 < LITERAL_MAX { bytes[offset + 2] } else { 0 };
    fold(u32::from_le_bytes([bytes[offset], bytes[offset + 1], third, 0]))
}

/// Where the rarest three bytes stand, at `first` or a multiple of two after it.
const fn rarest(literal: &Literal, first: usize) -> usize {
    let (mut best, mut least) = (first, u64::MAX);
    let mut offset = first;
    while offset + 3 <= literal.len as usize {
        let bytes = &literal.bytes;
        let often =
            how_often(bytes[offset]) * how_often(bytes[offset + 1]) * how_often(bytes[offset + 2]);
        // Every JSON object in base64 begins with `eyJ`.
        let is_base64 = bytes[offset + 1].eq_ignore_ascii_case(&b'y')
            || bytes[offset].eq_ignore_ascii_case(&b'y');
        let often = if is_base64 { often * 1000 } else { often };
        if often < least {
            (best, least) = (offset, often);
        }
        offset += 2;
    }
    best
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
