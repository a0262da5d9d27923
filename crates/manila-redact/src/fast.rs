//! The fast engine: look at every second place for three bytes that some literal has, and ask
//! the rules only there.
//!
//! Every rule has literals without which it finds nothing. From each literal two groups of three
//! bytes are taken, one at an even and one at an odd distance from its beginning, the rarest
//! that it has. So whatever place a literal stands at, one of the two stands at an even place of
//! the text, and looking at every second place is enough. A group is looked up in a small table
//! of bits; no lookup waits for the one before, which is why this is faster than an automaton.

use crate::boundary::ends_with_escape;
use crate::edit::Findings;
use crate::find::Probed;
use crate::selection::Selection;

mod literals;
mod tables;

use literals::{LITERAL_MAX, LITERALS};
use tables::{Entry, bucket, fold, fours, hash, is_known, is_known_further};

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

/// Finds what the rules find in a text, the operator's own included.
pub(crate) fn scan(text: &[u8], selection: &Selection) -> Findings {
    let mut findings = self::text(text, selection).findings;
    selection.add_extra(text, &mut findings);
    findings
}

/// Finds what the rules find in a text.
pub(crate) fn text<'a>(text: &'a [u8], selection: &'a Selection) -> Probed<'a> {
    let mut probed = Probed::new(text, selection);
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
    if text.len() <= SHORT {
        // Most texts are short, and should not pay for the space of a whole block.
        return end::<SHORT, { SHORT / 8 + 1 }>(text, 0, &mut tell);
    }
    let (mut places, mut sifted) = ([0; BLOCK], [0; BLOCK]);
    let mut at = 0;
    while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk::<{ BLOCK + 8 }>) {
        let n_places = search(block.as_chunks().0, &mut places);
        let n_sifted = sift(text, at, places.get(..n_places).unwrap_or_default(), &mut sifted);
        confirm_all(text, at, sifted.get(..n_sifted).unwrap_or_default(), &mut tell);
        at += BLOCK;
    }
    while at < text.len() {
        end::<BLOCK, { BLOCK / 8 + 1 }>(text, at, &mut tell);
        at += BLOCK;
    }
}

/// How long a text is that is looked at in one piece.
const SHORT: usize = 128;

/// The end of a text, `N` bytes at most, with zeros after it: no literal has a zero.
fn end<const N: usize, const N_WORDS: usize>(text: &[u8], at: usize, tell: &mut impl FnMut(Hit)) {
    let rest = text.get(at..).unwrap_or_default();
    let n_words = (rest.len().min(N)).div_ceil(8);
    let (mut places, mut sifted, mut words) = ([0; N], [0; N], [[0; 8]; N_WORDS]);
    for (word, bytes) in words.iter_mut().zip(rest.chunks(8)) {
        if let Some(word) = word.get_mut(..bytes.len()) {
            word.copy_from_slice(bytes);
        }
    }
    // One word more: what begins in the last one may end there.
    let n_places = search(words.get(..=n_words).unwrap_or_default(), &mut places);
    let n_sifted = sift(text, at, places.get(..n_places).unwrap_or_default(), &mut sifted);
    confirm_all(text, at, sifted.get(..n_sifted).unwrap_or_default(), tell);
}

/// Writes down every second place of a block where some literal has the three bytes that stand
/// there. Gives the number of places.
#[inline]
fn search<const N: usize>(words: &[[u8; 8]], places: &mut [u16; N]) -> usize {
    let mut n_places = 0;
    let mut place = 0;
    for pair in words.windows(2) {
        let [first, second] = pair else { continue };
        let (first, second) = (u64::from_le_bytes(*first), u64::from_le_bytes(*second));
        let groups = [first, first >> 16, first >> 32, (first >> 48) | (second << 16)];
        for (n, group) in (0u16..).zip(groups) {
            #[allow(clippy::cast_possible_truncation, reason = "three bytes of it are looked at")]
            let group = fold(group as u32);
            if let Some(next) = places.get_mut(n_places & (N - 1)) {
                *next = place + 2 * n;
            }
            n_places += is_known(hash(group)) as usize;
        }
        place += 8;
    }
    n_places
}

/// Most groups are part of other words. One byte more, the one after or the one before, tells
/// nearly all of them. Those that are left are written down, again without a branch, and with
/// which of the two it was.
#[inline]
fn sift<const N: usize>(text: &[u8], at: usize, places: &[u16], sifted: &mut [u16; N]) -> usize {
    let mut n_sifted = 0;
    for &place in places {
        let around = around(text, at + usize::from(place));
        let [after, before] = fours(around);
        // Of every two places one at most is searched, so that there is room for both.
        for (mark, four) in [(0, after), (IS_BEFORE, before)] {
            if let Some(next) = sifted.get_mut(n_sifted & (N - 1)) {
                *next = place | mark;
            }
            n_sifted += is_known_further(four.hash()) as usize;
        }
    }
    n_sifted
}

/// Marks a place that was sifted by the byte before its group.
const IS_BEFORE: u16 = 1 << 15;

/// The byte before `place` and those after it, with zeros beyond the text.
#[inline]
fn around(text: &[u8], place: usize) -> u64 {
    let start = place.checked_sub(1).and_then(|start| text.get(start..));
    match start.and_then(<[u8]>::first_chunk::<8>) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => around_end(text, place),
    }
}

#[cold]
fn around_end(text: &[u8], place: usize) -> u64 {
    let window = window_with_zeros(text, place);
    let bytes = window.get(BEFORE - 1..).and_then(<[u8]>::first_chunk::<8>);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline]
fn confirm_all(text: &[u8], at: usize, places: &[u16], tell: &mut impl FnMut(Hit)) {
    for place in places {
        let is_before = *place & IS_BEFORE != 0;
        let place = at + usize::from(*place & !IS_BEFORE);
        let start = place.checked_sub(BEFORE).and_then(|start| text.get(start..));
        let with_zeros;
        let window = if let Some(window) = start.and_then(<[u8]>::first_chunk::<AROUND>) {
            window
        } else {
            with_zeros = window_with_zeros(text, place);
            &with_zeros
        };
        let [after, before] = fours(around(window, BEFORE));
        for entry in bucket(if is_before { before } else { after }) {
            confirm(text, place, window, entry, tell);
        }
    }
}

/// How many bytes before and around a place are looked at to see whether a literal stands there.
const BEFORE: usize = LITERAL_MAX;
const AROUND: usize = 2 * LITERAL_MAX + 8;

/// The bytes around a place near the beginning or the end of a text. No literal has a zero.
#[cold]
fn window_with_zeros(text: &[u8], place: usize) -> [u8; AROUND] {
    let mut window = [0; AROUND];
    let before = BEFORE.min(place);
    let from = text.get(place - before..).unwrap_or_default();
    let to = window.iter_mut().skip(BEFORE - before);
    for (to, from) in to.zip(from) {
        *to = *from;
    }
    window
}

/// Tells the literal of an entry if it really stands there.
#[inline]
fn confirm(
    text: &[u8],
    place: usize,
    window: &[u8; AROUND],
    entry: &Entry,
    tell: &mut impl FnMut(Hit),
) {
    let offset = usize::from(entry.offset) % LITERAL_MAX;
    let rest = window.get(BEFORE - offset..).unwrap_or_default();
    if !entry.first.begins(rest) {
        return;
    }
    let Some(literal) = LITERALS.get(usize::from(entry.literal)) else { return };
    if !literal.goes_on(rest) {
        return;
    }
    let (at, len) = (place - offset, usize::from(literal.len));
    let before = window.get(BEFORE - offset - 1).copied().unwrap_or(0);
    for user in literal.users() {
        let may_follow_escape =
            || user.start.may_follow_escape && ends_with_escape(text.get(..at).unwrap_or_default());
        if user.start.may_follow(before) || may_follow_escape() {
            tell(Hit { at, len, rule: usize::from(user.rule) });
        }
    }
}
