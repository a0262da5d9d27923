use super::is_disguised_call;

#[track_caller]
fn check(method: &str, is_disguised: bool) {
    assert_eq!(is_disguised_call(method), is_disguised, "{method}");
}

#[test]
fn recognises_other_spellings() {
    for method in [
        "Tools/Call",
        "tools/call ",
        "\ttools/call",
        "tools//call",
        "tools.call",
        "tools/%63all",
        "tools%2Fcall",
        "tools/call\0",
        "tools\u{2215}call",
    ] {
        check(method, true);
    }
    for method in ["tools/call", "tools/list", "tools/calls", "tools/cal", "x/tools/call", "", "%"]
    {
        check(method, false);
    }
    for method in ["tools/call2", "tools2/call", "2/tools/call", "tools/call/2", "tools/call%32"] {
        check(method, false);
    }
    check(&format!("tools/call{}", " ".repeat(1_000)), true);
}
