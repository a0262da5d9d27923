//! Scanning again around each finding: of two adjacent secrets, one may only be found after the
//! other is redacted. This makes redaction idempotent: redacting the output changes nothing.

use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::edit::{Finding, Findings};

/// The number of bytes before and after a finding to scan again, within its line.
const WINDOW_RADIUS: usize = 4 * 1024;

/// The number of bytes at a window's end in which findings are ignored, if it cuts a line.
const EDGE: usize = 64;

/// Returns all findings, and those that `scan` finds after they are redacted, repeatedly.
pub(crate) fn rescan_until_stable(
    text: &[u8],
    findings: Findings,
    scan: impl Fn(&[u8]) -> Findings,
) -> Vec<Finding> {
    const SCANS_MAX: usize = 8;
    let mut merged = findings.into_merged();
    for _ in 0..SCANS_MAX {
        let mut more = Findings::default();
        let mut rest = merged.as_slice();
        while let Some(first) = rest.first() {
            let window = window_around(text, first, rest);
            let n_inside = rest.iter().take_while(|it| it.start < window.end).count();
            let (inside, after) = rest.split_at(n_inside);
            rescan_window(text, &window, inside, &scan, &mut more);
            rest = after;
        }
        if more.is_empty() {
            break;
        }
        for known in merged {
            more.add(known);
        }
        merged = more.into_merged();
    }
    merged
}

/// Returns the part of the line around a finding, extended around the findings that it reaches.
fn window_around(text: &[u8], first: &Finding, rest: &[Finding]) -> Range<usize> {
    let before =
        text.get(first.start.saturating_sub(WINDOW_RADIUS)..first.start).unwrap_or_default();
    let n_before = memrchr(b'\n', before).map_or(before.len(), |at| before.len() - at - 1);
    let mut end = first.end;
    for finding in rest {
        if finding.start >= end {
            break;
        }
        let after_max = text.len().min(finding.end + WINDOW_RADIUS);
        let after = text.get(finding.end..after_max).unwrap_or_default();
        end = memchr(b'\n', after).map_or(after_max, |at| finding.end + at + 1);
    }
    first.start - n_before..end
}

/// Redacts the known findings in a window, and adds the findings of a new scan.
fn rescan_window(
    text: &[u8],
    window: &Range<usize>,
    known: &[Finding],
    scan: &impl Fn(&[u8]) -> Findings,
    more: &mut Findings,
) {
    let mut redacted = Vec::with_capacity(window.len());
    // The range of each known finding's mark in `redacted`.
    let mut marks: Vec<Range<usize>> = Vec::with_capacity(known.len());
    let mut at = window.start;
    for finding in known {
        redacted.extend_from_slice(text.get(at..finding.start).unwrap_or_default());
        let start = redacted.len();
        finding.form.write(&mut redacted);
        marks.push(start..redacted.len());
        at = finding.end;
    }
    redacted.extend_from_slice(text.get(at..window.end).unwrap_or_default());
    let is_cut_before = window.start > 0 && text.get(window.start - 1) != Some(&b'\n');
    let is_cut_after = window.end < text.len() && text.get(window.end - 1) != Some(&b'\n');
    for found in scan(&redacted).into_merged() {
        let is_at_edge = (is_cut_before && found.start < EDGE)
            || (is_cut_after && found.end + EDGE > redacted.len());
        let last = marks.partition_point(|mark| mark.start <= found.start).checked_sub(1);
        let is_known = last.and_then(|n| marks.get(n)).is_some_and(|mark| found.end <= mark.end);
        if !is_at_edge && !is_known {
            let start = original_position(found.start, window.start, known, &marks, Side::Start);
            let end = original_position(found.end, window.start, known, &marks, Side::End);
            more.add(Finding { start, end, ..found });
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Start,
    End,
}

/// Maps a position in the redacted window to the original text.
fn original_position(
    position: usize,
    start: usize,
    known: &[Finding],
    marks: &[Range<usize>],
    side: Side,
) -> usize {
    // The last mark that begins before the position.
    let Some(n) = marks.partition_point(|mark| mark.start < position).checked_sub(1) else {
        return start + position;
    };
    let (Some(finding), Some(mark)) = (known.get(n), marks.get(n)) else { return start + position };
    if position < mark.end {
        return if side == Side::Start { finding.start } else { finding.end };
    }
    finding.end + (position - mark.end)
}
