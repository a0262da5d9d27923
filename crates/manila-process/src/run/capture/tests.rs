use manila_redact::{Redactor, Rule, rules};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::KeptOutput;

#[track_caller]
fn check(pieces: &[&str], start: &str, end: Option<&str>) {
    let mut kept = KeptOutput::new(8);
    for piece in pieces {
        kept.add(piece.as_bytes());
    }
    let (found_start, rest) = kept.into_parts();
    assert_eq!(found_start, start.as_bytes(), "{pieces:?}");
    let found_end = rest.as_ref().map(|rest| rest.end.as_slice());
    assert_eq!(found_end, end.map(str::as_bytes), "{pieces:?}");
}

#[test]
fn keeps_a_failure_wherever_the_output_is_cut() {
    for n_before in 0..700 {
        let line = |n: usize| format!("{n:04} and so on, and so on, and so on\n");
        let lines = |from: usize, to: usize| (from..to).map(line).collect::<String>();
        let before = lines(0, 100) + &"-".repeat(n_before % 37) + "\n" + &lines(0, n_before / 2);
        let text = before + "error: here it is\n" + &lines(0, 600 - n_before / 2);
        let mut kept = KeptOutput::new(4 * 4096);
        for piece in text.as_bytes().chunks(1000) {
            kept.add(piece);
        }
        let found = kept.into_captured(4096);
        assert!(found.changes.is_cut);
        assert!(found.text.contains("\nerror: here it is\n"), "{n_before}: {}", found.text);
        assert!(found.text.chars().count() <= 4096 + 2 * 19, "{n_before}");
    }
}

#[test]
fn keeps_the_start_and_the_end() {
    check(&[], "", None);
    check(&["abc", "def"], "abcdef", None);
    check(&["abcdefgh"], "abcdefgh", None);
    check(&["abcdefghi"], "abcdef", Some("hi"));
    check(&["abc", "def", "ghi", "jkl", "mno"], "abcdef", Some("no"));
    check(&["abcde\u{e9}", "xyz\u{e9}-"], "abcde", Some("-"));
}

/// Returns what is shown of an output in which the secret `token` begins at `at`.
fn shown_around(filler: &str, token: &str, at: usize, n_bytes: usize) -> String {
    let mut output = filler.repeat(n_bytes / filler.len() + 1);
    // Characters of several bytes must stay whole.
    let from = (0..=at).rev().find(|from| output.is_char_boundary(*from)).unwrap();
    output.replace_range(from..from, &format!(" {token} "));
    let mut kept = KeptOutput::new(4 * CHARS_MAX);
    for piece in output.as_bytes().chunks(4096) {
        kept.add(piece);
    }
    let found = kept.into_captured(CHARS_MAX);
    let shown = Redactor::standard().redact_text(found.text);
    assert_eq!(shown.contains("[Output truncated]\n"), found.changes.is_cut, "{token} at {at}");
    shown
}

const CHARS_MAX: usize = 24_000;

/// The fewest characters of a secret that count as a part of it.
const PART_CHARS: usize = 8;

/// Fails if a part of the secret in `example` is shown.
#[track_caller]
fn check_no_part(filler: &str, example: &str, at: usize, n_bytes: usize) {
    let shown = shown_around(filler, example, at, n_bytes);
    let edits = Redactor::standard().text(example.as_bytes());
    for edit in edits {
        let secret = &example[edit.range];
        let (start, end) = (PART_CHARS.min(secret.len()), secret.len().saturating_sub(PART_CHARS));
        let parts = [&secret[..start], &secret[end..]];
        let is_shown = |part: &&str| part.len() >= PART_CHARS && shown.contains(part);
        assert_eq!(parts.iter().find(|it| is_shown(it)), None, "{example} at {at} of {n_bytes}");
    }
}

/// The places where an output of this many bytes is cut: the limits, and the margins beside them.
fn cuts(n_bytes: usize, char_bytes: usize) -> [usize; 6] {
    let (start, end) = (CHARS_MAX * 3 / 4 * char_bytes, CHARS_MAX / 4 * char_bytes);
    let captured = 3 * CHARS_MAX;
    let end = n_bytes - end;
    [start, start - 4096, captured, captured - 4096, end, end + 4096]
}

#[test]
fn shows_no_part_of_a_token_beside_a_cut() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for (filler, n_bytes) in [("x", 30_000), ("word ", 120_000)] {
        for cut in cuts(n_bytes, 1) {
            for offset in 0..token.len() + 4 {
                check_no_part(filler, &token, cut - offset, n_bytes);
            }
        }
    }
}

const FILLERS: [&str; 7] = ["x", "word ", "\u{e9}", "\u{20ac}", "\"a\":1,", "/a\r", "ab=c&"];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        rng_seed: RngSeed::Fixed(20_261_116),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn shows_no_part_of_a_secret_beside_a_cut(
        rule in proptest::sample::select(rules()),
        filler in proptest::sample::select(FILLERS.to_vec()),
        n_bytes in proptest::sample::select(vec![30_000usize, 80_000, 120_000]),
        cut in 0..6usize,
        offset in 0..200usize,
    ) {
        let example = rule.example().replace(Rule::GAP, "");
        let at = cuts(n_bytes, filler.chars().next().map_or(1, char::len_utf8))[cut];
        let at = (at + 2).saturating_sub(offset % (example.len() + 4)).min(n_bytes - 1);
        check_no_part(filler, &example, at, n_bytes);
    }
}

#[track_caller]
fn check_interrupted(last: &str, n_bytes: usize, expected: &str) {
    let before = "-".repeat(n_bytes - last.len() - 1) + " ";
    let mut kept = KeptOutput::new(4 * CHARS_MAX);
    kept.add(format!("{before}{last}").as_bytes());
    let found = kept.into_interrupted(CHARS_MAX);
    assert_eq!(found.text, format!("{before}{expected}"), "{last}");
    assert_eq!(found.changes.is_cut, expected != last, "{last}");
}

/// A program that is stopped writes only the full blocks of its buffer.
#[test]
fn drops_the_last_word_of_an_interrupted_block() {
    let half_token = ["ghp", "_16C7e42F292c6912E77"].concat();
    check_interrupted(&half_token, 8192, "[Output truncated]\n");
    check_interrupted("fetching https://host/path", 8000, "fetching https://host/path");
    check_interrupted("complete\n", 8192, "complete\n");
}
