use super::FailureLines;

#[track_caller]
fn check(pieces: &[&str], bytes_max: usize, expected: &str) {
    let mut lines = FailureLines::new(bytes_max);
    for piece in pieces {
        lines.add(piece.as_bytes());
    }
    assert_eq!(String::from_utf8(lines.finish().lines).unwrap(), expected, "{pieces:?}");
}

#[test]
fn keeps_lines_about_failures_and_those_after_them() {
    check(&[], 100, "");
    check(&["src/error.rs\nthiserror v2\ntest error_a ... ok\n0 failed\n"], 100, "");
    check(&["noise\nerr", "or: x\n --> a\n"], 100, "[Output truncated]\nerror: x\n --> a\n");
    let coloured = "\x1b[1m\x1b[38;5;9merror\x1b[0m\x1b[1m: x\n";
    check(&["noise\n", coloured], 100, &format!("[Output truncated]\n{coloured}"));
    let noise = "noise\n".repeat(100);
    let text = format!("{noise}Error 1\n{noise}test a ... FAILED\nunfinished");
    let following = "noise\n".repeat(8);
    let expected =
        format!("[Output truncated]\nError 1\n{following}[Output truncated]\ntest a ... FAILED\n");
    check(&[&text], 1000, &expected);
    let (one, other) = text.split_at(300);
    check(&[one, other], 1000, &expected);
    // A line about an error may be a secret because of its name.
    let pair = "- name: DB_PASSWORD\n  value: \"Sup3r error: x\"\nerror: y\n";
    let expected = "[Output truncated]\nerror: y\n";
    check(&[pair], 100, expected);
    let (one, other) = pair.split_at(20);
    check(&[one, other], 100, expected);
    // Only complete lines within the limit are kept.
    check(&[&text], 40, "[Output truncated]\nError 1\nnoise\nnoise\n");
    // Without room, the starts of lines are unknown.
    let mut full = FailureLines::new(0);
    full.add(b"half a line");
    assert_eq!(full.finish().unfinished, None);
    // A line that is too long does not end the collection.
    let long = format!("error: {}\n", "x".repeat(100_000));
    check(&[&long, "error: y\n"], 1000, "[Output truncated]\nerror: y\n");
    let (one, other) = long.split_at(90_000);
    check(&[one, other, "error: y\n"], 1000, "[Output truncated]\nerror: y\n");
}
