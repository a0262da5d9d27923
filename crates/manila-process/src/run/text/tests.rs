use super::{is_binary, join, to_plain_text, truncate};

#[track_caller]
fn check(bytes: &[u8], expected: &str) {
    assert_eq!(to_plain_text(bytes.to_vec()).0, expected, "{bytes:?}");
}

#[test]
fn shows_text_as_a_terminal_would() {
    check(b"plain\n", "plain\n");
    check(b"\x1b[1;31merror\x1b[0m: x\n", "error: x\n");
    check(b"10%\r50%\r100%\ndone\r\n", "100%\ndone\n");
    check(b"working\r", "working");
    check(b"\r\n\r\n", "\n\n");
    check("gr\u{fc}n".as_bytes(), "gr\u{fc}n");
    check(b"a\xffb", "a\u{fffd}b");
    check(b"x\x07\x08y\x0e\x7f\xc2\x9b31mz\tw\n", "xyz\tw\n");
    check(b"log\0 line\n", "log\u{fffd} line\n");
    assert!(to_plain_text(b"a\xffb".to_vec()).1);
}

#[test]
fn detects_binary_output() {
    assert!(!is_binary(b""));
    assert!(!is_binary("gr\u{fc}n ".repeat(9).as_bytes()));
    assert!(!is_binary(b"caf\xe9 cr\xe8me, s'il vous pla\xeet\n"));
    assert!(is_binary(b"a\0b"));
    assert!(!is_binary(&[&b"line\n".repeat(100)[..], b"\0"].concat()));
    assert!(!is_binary(&(192..=255).collect::<Vec<u8>>()), "Russian");
    assert!(is_binary(&(1..=255).collect::<Vec<u8>>()));
}

#[test]
fn truncates_at_line_ends() {
    let lines: Vec<String> = (0..10).map(|n| format!("secret={n}\n")).collect();
    let lines = lines.concat();
    assert_eq!(truncate(lines.clone(), 1_000, 250), (lines.clone(), false));
    let (cut, is_cut) = truncate(lines.clone(), 40, 12);
    assert!(is_cut);
    assert_eq!(cut, "secret=0\nsecret=1\nsecret=2\n[Output truncated]\nsecret=9\n");
    assert_eq!(truncate(lines, 15, 0).0, "secret=0\n[Output truncated]\n");
    // Without a line end nearby, a possible partial secret is removed, too.
    let long = "x".repeat(20_000);
    let (cut, is_cut) = truncate(long, 18_000, 6_000);
    let (start, end) = ("x".repeat(12_000 - 4_096), "x".repeat(6_000 - 4_096));
    assert!(is_cut && cut == format!("{start}[Output truncated]\n{end}"));
    assert_eq!(join("ab", "", "cd", 10, 5), "[Output truncated]\n");
    // Lines about failures are kept from the removed text.
    let lines = "line\n".repeat(100) + "error: x\n" + &"line\n".repeat(100);
    let (cut, _) = truncate(lines, 400, 100);
    let (start, end) = ("line\n".repeat(40), "line\n".repeat(20));
    let failures = "[Output truncated]\nerror: x\n".to_owned() + &"line\n".repeat(8);
    assert_eq!(cut, format!("{start}{failures}[Output truncated]\n{end}"));
    // The value is a secret because of its name, which the cut removed.
    let pair = "- name: DB_PASSWORD\n  value: Sup3rS3cret4711\n";
    for n_chars in 1..3 * pair.len() {
        let (cut, _) = truncate(pair.repeat(100), 2_000, n_chars);
        let (_, end) = cut.rsplit_once("[Output truncated]\n").unwrap();
        assert!(!end.starts_with("  value"), "{n_chars}: {end}");
    }
    let key = "MIIE\nMIIF\n-----END X-----\nrest\n";
    assert_eq!(join("", "", key, 1_000, 500), "[Output truncated]\nrest\n");
}
