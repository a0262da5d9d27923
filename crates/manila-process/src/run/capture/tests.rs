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
