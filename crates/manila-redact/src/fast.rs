//! The fast engine: look at every second place for three bytes that some literal has, and ask
//! the rules only there.
//!
//! Every rule has literals without which it finds nothing. From each literal two groups of three
//! bytes are taken, one at an even and one at an odd distance from its beginning, the rarest
//! that it has. So whatever place a literal stands at, one of the two stands at an even place of
//! the text, and looking at every second place is enough. A group is looked up in a small table
//! of bits; no lookup waits for the one before, which is why this is faster than an automaton.

use crate::boundary::is_start;
use crate::find::Probed;
use crate::redactor::Redactor;

mod literals;
mod tables;

use literals::{LITERALS, Literal, Start};
use tables::{ENTRIES, HEADS, fold, hash, hash_after, hash_before, is_known, is_known_further};

/// A literal that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Where it begins.
    pub(crate) at: usize,
    /// How long it is.
    pub(crate) len: usize,
    /// The rule that has it; none if it is an escape.
    pub(crate) rule: usize,
}

/// Finds what the rules find in a text.
pub(crate) fn text<'a>(text: &'a [u8], redactor: &'a Redactor) -> Probed<'a> {
    let mut probed = Probed::new(text, redactor);
    hits(text, |hit| probed.probe(hit.rule, hit.at, hit.len));
    probed
}

/// How many bytes are looked at before what was found in them is told.
const BLOCK: usize = 1024;

/// Tells every place where a literal stands, those of even places of the text in order.
///
/// A guess costs little, a wrong guess of the processor much. So a block is searched without a
/// branch: every place is written down, and the next one over it unless it is to be kept.
pub(crate) fn hits(text: &[u8], mut tell: impl FnMut(Hit)) {
    let mut places = [0u16; BLOCK];
    let mut at = 0;
    while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk::<{ BLOCK + 8 }>) {
        let n_places = search(block, &mut places);
        let n_places = sift(text, at, &mut places, n_places);
        confirm_all(text, at, places.get(..n_places).unwrap_or_default(), &mut tell);
        at += BLOCK;
    }
    // The end, with zeros after it: no literal has a zero.
    let mut block = [0; BLOCK + 8];
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let len = rest.len().min(block.len());
        block.fill(0);
        if let (Some(to), Some(from)) = (block.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        let n_places = search(&block, &mut places);
        let n_places = sift(text, at, &mut places, n_places);
        confirm_all(text, at, places.get(..n_places).unwrap_or_default(), &mut tell);
        at += BLOCK;
    }
}

/// Writes down every second place of a block where some literal has the three bytes that stand
/// there. Gives the number of places.
#[inline]
fn search(block: &[u8; BLOCK + 8], places: &mut [u16; BLOCK]) -> usize {
    let (words, _) = block.as_chunks::<8>();
    let mut n_places = 0;
    let mut place = 0;
    for pair in words.windows(2) {
        let [first, second] = pair else { continue };
        let (first, second) = (u64::from_le_bytes(*first), u64::from_le_bytes(*second));
        let groups = [first, first >> 16, first >> 32, (first >> 48) | (second << 16)];
        for (n, group) in (0u16..).zip(groups) {
            #[allow(clippy::cast_possible_truncation, reason = "three bytes of it are looked at")]
            let group = fold(group as u32);
            if let Some(next) = places.get_mut(n_places & (BLOCK - 1)) {
                *next = place + 2 * n;
            }
            n_places += is_known(hash(group)) as usize;
        }
        place += 8;
    }
    n_places
}

/// Most groups are part of other words. One byte more tells nearly all of them: those that are
/// left are moved to the front of the list, again without a branch.
#[inline]
fn sift(text: &[u8], at: usize, places: &mut [u16; BLOCK], n_places: usize) -> usize {
    let mut n_left = 0;
    for n in 0..n_places {
        let Some(&place) = places.get(n) else { break };
        let around = around(text, at + usize::from(place));
        #[allow(clippy::cast_possible_truncation, reason = "four bytes of it are looked at")]
        let (before, after) = (around as u32, (around >> 8) as u32);
        if let Some(next) = places.get_mut(n_left) {
            *next = place;
        }
        let is_left = is_known_further(hash_after(after)) | is_known_further(hash_before(before));
        n_left += is_left as usize;
    }
    n_left
}

#[inline]
fn confirm_all(text: &[u8], at: usize, places: &[u16], tell: &mut impl FnMut(Hit)) {
    for place in places {
        let place = at + usize::from(*place);
        #[allow(clippy::cast_possible_truncation, reason = "three bytes of it are looked at")]
        let group = fold((around(text, place) >> 8) as u32);
        confirm(text, place, group, tell);
    }
}

/// The byte before `place` and those after it, with zeros beyond the text.
#[inline]
fn around(text: &[u8], place: usize) -> u64 {
    let start = place.checked_sub(1).and_then(|start| text.get(start..));
    if let Some(bytes) = start.and_then(<[u8]>::first_chunk::<8>) {
        return u64::from_le_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    if let Some(first) = place.checked_sub(1).and_then(|start| text.get(start)) {
        bytes[0] = *first;
    }
    let rest = text.get(place..).unwrap_or_default();
    for (to, from) in bytes.iter_mut().skip(1).zip(rest) {
        *to = *from;
    }
    u64::from_le_bytes(bytes)
}

/// Tells the literals that really stand where their group does.
#[inline]
fn confirm(text: &[u8], place: usize, group: u32, tell: &mut impl FnMut(Hit)) {
    let bucket = hash(group) as usize >> tables::BUCKET_SHIFT;
    let (Some(&start), Some(&end)) = (HEADS.get(bucket), HEADS.get(bucket + 1)) else { return };
    for entry in ENTRIES.get(usize::from(start)..usize::from(end)).unwrap_or_default() {
        if entry.group != group {
            continue;
        }
        let Some(at) = place.checked_sub(usize::from(entry.offset)) else { continue };
        let Some(literal) = LITERALS.get(usize::from(entry.literal)) else { continue };
        let len = usize::from(literal.len);
        let rest = text.get(at..).unwrap_or_default();
        if !is_there(rest, literal, len) {
            continue;
        }
        if let Start::NotAfter(letters) = literal.start
            && !is_start(text, at, |byte| letters.has(byte))
        {
            continue;
        }
        tell(Hit { at, len, rule: usize::from(literal.rule) });
    }
}

/// Whether a text begins with a literal, letters without regard to case.
#[inline]
fn is_there(rest: &[u8], literal: &Literal, len: usize) -> bool {
    if rest.len() >= 8 && (!literal.first.begins(rest) || len <= 8) {
        return literal.first.begins(rest);
    }
    if len <= 16 && rest.len() >= len && len > 8 {
        return literal.last.begins(rest.get(len - 8..).unwrap_or_default());
    }
    let (found, wanted) = (rest.get(..len), literal.bytes.get(..len));
    found.zip(wanted).is_some_and(|(found, wanted)| found.eq_ignore_ascii_case(wanted))
}
