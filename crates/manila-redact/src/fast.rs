//! The fast engine: searches every second position for three bytes of a literal, and probes the
//! rules only there.
//!
//! Every rule has literals, and finds nothing without one of them. Two groups of three bytes
//! represent each literal: its rarest group at an even offset, and its rarest group at an odd one.
//! One of them is always at an even position of the text, so searching every second position is
//! enough. A group is looked up in a small bit table. No lookup depends on the previous one, which
//! makes this faster than an automaton.

use crate::boundary::ends_with_escape;
use crate::edit::Findings;
use crate::find::Scan;
use crate::selection::Selection;

mod literals;
mod tables;

use literals::{LITERAL_MAX, LITERALS};
use tables::{Entry, bucket, fold, groups_of_four, has_four, has_group, hash};

/// A literal that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Its start.
    pub(crate) at: usize,
    /// Its length.
    pub(crate) len: usize,
    /// The rule that has the literal. For an escape, this is not the number of a rule.
    pub(crate) rule: usize,
}

/// Finds all matches of all rules, including the operator's own.
pub(crate) fn scan(text: &[u8], selection: &Selection) -> Findings {
    let mut findings = scan_builtin(text, selection).findings;
    selection.add_extra(text, &mut findings);
    findings
}

/// Finds all matches of the built-in rules.
pub(crate) fn scan_builtin<'a>(text: &'a [u8], selection: &'a Selection) -> Scan<'a> {
    let mut scan = Scan::new(text, selection);
    for_each_hit(text, |hit| scan.probe(hit.rule, hit.at, hit.len));
    scan
}

/// The number of bytes that are searched before their hits are confirmed.
const BLOCK: usize = 1024;

/// Calls `visit` for every literal in a text, ordered by the even position at which it is found.
///
/// A false candidate is cheap, but a branch misprediction is expensive. A block is therefore
/// searched without branches: every position is written, and the next one overwrites it unless it
/// is a candidate.
pub(crate) fn for_each_hit(text: &[u8], mut visit: impl FnMut(Hit)) {
    if text.len() <= SHORT {
        // Most texts are short and do not need the buffers of a whole block.
        return search_end::<SHORT, { SHORT / 8 + 1 }>(text, 0, &mut visit);
    }
    let (mut positions, mut filtered) = ([0; BLOCK], [0; BLOCK]);
    let mut at = 0;
    while let Some(block) = text.get(at..).and_then(<[u8]>::first_chunk::<{ BLOCK + 8 }>) {
        let n_positions = search(block.as_chunks().0, &mut positions);
        let n_filtered =
            filter(text, at, positions.get(..n_positions).unwrap_or_default(), &mut filtered);
        confirm_all(text, at, filtered.get(..n_filtered).unwrap_or_default(), &mut visit);
        at += BLOCK;
    }
    while at < text.len() {
        search_end::<BLOCK, { BLOCK / 8 + 1 }>(text, at, &mut visit);
        at += BLOCK;
    }
}

/// The maximum length of a text that is searched in one piece.
const SHORT: usize = 128;

/// Searches the end of a text, at most `N` bytes, padded with zeros. No literal contains a zero.
fn search_end<const N: usize, const N_WORDS: usize>(
    text: &[u8],
    at: usize,
    visit: &mut impl FnMut(Hit),
) {
    let rest = text.get(at..).unwrap_or_default();
    let n_words = (rest.len().min(N)).div_ceil(8);
    let (mut positions, mut filtered, mut words) = ([0; N], [0; N], [[0; 8]; N_WORDS]);
    for (word, bytes) in words.iter_mut().zip(rest.chunks(8)) {
        if let Some(word) = word.get_mut(..bytes.len()) {
            word.copy_from_slice(bytes);
        }
    }
    // One more word, because a group that begins in the last word may end there.
    let n_positions = search(words.get(..=n_words).unwrap_or_default(), &mut positions);
    let n_filtered =
        filter(text, at, positions.get(..n_positions).unwrap_or_default(), &mut filtered);
    confirm_all(text, at, filtered.get(..n_filtered).unwrap_or_default(), visit);
}

/// Writes every second position of a block whose three bytes may belong to a literal. Returns the
/// number of positions.
#[inline]
fn search<const N: usize>(words: &[[u8; 8]], positions: &mut [u16; N]) -> usize {
    let mut n_positions = 0;
    let mut position = 0;
    for pair in words.windows(2) {
        let [first, second] = pair else { continue };
        let (first, second) = (u64::from_le_bytes(*first), u64::from_le_bytes(*second));
        let groups = [first, first >> 16, first >> 32, (first >> 48) | (second << 16)];
        for (n, group) in (0u16..).zip(groups) {
            #[allow(clippy::cast_possible_truncation, reason = "only three bytes are used")]
            let group = fold(group as u32);
            if let Some(next) = positions.get_mut(n_positions & (N - 1)) {
                *next = position + 2 * n;
            }
            n_positions += has_group(hash(group)) as usize;
        }
        position += 8;
    }
    n_positions
}

/// Filters the positions by one more byte, after or before the group, which excludes almost all
/// groups that belong to other words.
///
/// Again without branches, it writes the remaining positions, each with a flag for the byte used.
#[inline]
fn filter<const N: usize>(
    text: &[u8],
    at: usize,
    positions: &[u16],
    filtered: &mut [u16; N],
) -> usize {
    let mut n_filtered = 0;
    for &position in positions {
        let around = around(text, at + usize::from(position));
        let [after, before] = groups_of_four(around);
        // Only every second position is searched, so there is space for both.
        for (flag, four) in [(0, after), (IS_BEFORE, before)] {
            if let Some(next) = filtered.get_mut(n_filtered & (N - 1)) {
                *next = position | flag;
            }
            n_filtered += has_four(four.hash()) as usize;
        }
    }
    n_filtered
}

/// The flag of a position that was filtered by the byte before its group.
const IS_BEFORE: u16 = 1 << 15;

/// Returns the byte before `position` and those after it, with zeros outside the text.
#[inline]
fn around(text: &[u8], position: usize) -> u64 {
    let start = position.checked_sub(1).and_then(|start| text.get(start..));
    match start.and_then(<[u8]>::first_chunk::<8>) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => around_end(text, position),
    }
}

#[cold]
fn around_end(text: &[u8], position: usize) -> u64 {
    let window = window_with_zeros(text, position);
    let bytes = window.get(BEFORE - 1..).and_then(<[u8]>::first_chunk::<8>);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline]
fn confirm_all(text: &[u8], at: usize, positions: &[u16], visit: &mut impl FnMut(Hit)) {
    for position in positions {
        let is_before = *position & IS_BEFORE != 0;
        let position = at + usize::from(*position & !IS_BEFORE);
        let start = position.checked_sub(BEFORE).and_then(|start| text.get(start..));
        let with_zeros;
        let window = if let Some(window) = start.and_then(<[u8]>::first_chunk::<AROUND>) {
            window
        } else {
            with_zeros = window_with_zeros(text, position);
            &with_zeros
        };
        let [after, before] = groups_of_four(around(window, BEFORE));
        for entry in bucket(if is_before { before } else { after }) {
            confirm(text, position, window, entry, visit);
        }
    }
}

/// The numbers of bytes before and around a position that are needed to confirm a literal there.
const BEFORE: usize = LITERAL_MAX;
const AROUND: usize = 2 * LITERAL_MAX + 8;

/// Returns the bytes around a position near the start or the end of a text. No literal contains a
/// zero.
#[cold]
fn window_with_zeros(text: &[u8], position: usize) -> [u8; AROUND] {
    let mut window = [0; AROUND];
    let before = BEFORE.min(position);
    let from = text.get(position - before..).unwrap_or_default();
    let to = window.iter_mut().skip(BEFORE - before);
    for (to, from) in to.zip(from) {
        *to = *from;
    }
    window
}

/// Calls `visit` for each rule that has the literal of an entry, if the literal really is there.
#[inline]
fn confirm(
    text: &[u8],
    position: usize,
    window: &[u8; AROUND],
    entry: &Entry,
    visit: &mut impl FnMut(Hit),
) {
    let offset = usize::from(entry.offset) % LITERAL_MAX;
    let rest = window.get(BEFORE - offset..).unwrap_or_default();
    if !entry.first.is_prefix_of(rest) {
        return;
    }
    let Some(literal) = LITERALS.get(usize::from(entry.literal)) else { return };
    if !literal.matches_rest(rest) {
        return;
    }
    let (at, len) = (position - offset, usize::from(literal.len));
    let before = window.get(BEFORE - offset - 1).copied().unwrap_or(0);
    for user in literal.users() {
        let may_follow_escape =
            || user.start.may_follow_escape && ends_with_escape(text.get(..at).unwrap_or_default());
        if user.start.may_follow(before) || may_follow_escape() {
            visit(Hit { at, len, rule: usize::from(user.rule) });
        }
    }
}
