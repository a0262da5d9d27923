//! Looking again where something was hidden: to hide one secret can lay the next one bare, when
//! two stand side by side. Afterwards, redacting once more changes nothing more.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::edit::{Finding, Findings};

/// How far around a finding is looked, within its line.
const AROUND: usize = 4 * 1024;

/// Where a window is cut out of a line, what stands at its ends is not judged.
const EDGE: usize = 64;

/// All findings, and those that `scan` finds when they are hidden, and so on.
pub(crate) fn until_nothing_more(
    text: &[u8],
    findings: Findings,
    scan: impl Fn(&[u8]) -> Findings,
) -> Vec<Finding> {
    const TIMES_MAX: usize = 8;
    let mut settled = findings.settled();
    for _ in 0..TIMES_MAX {
        let mut more = Findings::default();
        let mut rest = settled.as_slice();
        while let Some(first) = rest.first() {
            let window = window_around(text, first, rest);
            let n_inside = rest.iter().take_while(|it| it.start < window.end).count();
            let (inside, after) = rest.split_at(n_inside);
            look(text, &window, inside, &scan, &mut more);
            rest = after;
        }
        if more.is_empty() {
            break;
        }
        for known in settled {
            more.add(known);
        }
        settled = more.settled();
    }
    settled
}

/// The part of the line around a finding, and around those after it that it reaches.
fn window_around(text: &[u8], first: &Finding, rest: &[Finding]) -> Range<usize> {
    let before = text.get(first.start.saturating_sub(AROUND)..first.start).unwrap_or_default();
    let n_before = memrchr(b'\n', before).map_or(before.len(), |at| before.len() - at - 1);
    let mut end = first.end;
    for finding in rest {
        if finding.start >= end {
            break;
        }
        let after_max = text.len().min(finding.end + AROUND);
        let after = text.get(finding.end..after_max).unwrap_or_default();
        end = memchr(b'\n', after).map_or(after_max, |at| finding.end + at + 1);
    }
    first.start - n_before..end
}

/// Hides what is known in a window, and adds what is found then.
fn look(
    text: &[u8],
    window: &Range<usize>,
    known: &[Finding],
    scan: &impl Fn(&[u8]) -> Findings,
    more: &mut Findings,
) {
    let mut hidden = Vec::with_capacity(window.len());
    // Where each known finding's mark stands in `hidden`.
    let mut marks: Vec<Range<usize>> = Vec::with_capacity(known.len());
    let mut at = window.start;
    for finding in known {
        hidden.extend_from_slice(text.get(at..finding.start).unwrap_or_default());
        let start = hidden.len();
        finding.form.write(&mut hidden);
        marks.push(start..hidden.len());
        at = finding.end;
    }
    hidden.extend_from_slice(text.get(at..window.end).unwrap_or_default());
    let is_cut_before = window.start > 0 && text.get(window.start - 1) != Some(&b'\n');
    let is_cut_after = window.end < text.len() && text.get(window.end - 1) != Some(&b'\n');
    for found in scan(&hidden).settled() {
        let is_at_edge = (is_cut_before && found.start < EDGE)
            || (is_cut_after && found.end + EDGE > hidden.len());
        let last = marks.partition_point(|mark| mark.start <= found.start).checked_sub(1);
        let is_known = last.and_then(|n| marks.get(n)).is_some_and(|mark| found.end <= mark.end);
        if !is_at_edge && !is_known {
            let start = origin(found.start, window.start, known, &marks, Side::Start);
            let end = origin(found.end, window.start, known, &marks, Side::End);
            more.add(Finding { start, end, ..found });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// Where a place of the hidden text stands in the text itself.
fn origin(
    place: usize,
    start: usize,
    known: &[Finding],
    marks: &[Range<usize>],
    side: Side,
) -> usize {
    // The last mark that begins before the place.
    let Some(n) = marks.partition_point(|mark| mark.start < place).checked_sub(1) else {
        return start + place;
    };
    let (Some(finding), Some(mark)) = (known.get(n), marks.get(n)) else { return start + place };
    if place < mark.end {
        return if side == Side::Start { finding.start } else { finding.end };
    }
    finding.end + (place - mark.end)
}
