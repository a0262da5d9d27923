use super::plain_lines;

/// Checks that `expected` is the first line that is not code.
#[track_caller]
fn check(text: &str, expected: &str) {
    let found = plain_lines(text).next().unwrap_or_else(|| "none".to_owned());
    assert_eq!(found, expected, "in {text:?}");
}

#[test]
fn finds_the_first_line_that_is_not_code() {
    check("File not found: /missing.py.", "File not found: /missing.py.");
    check("\n  broken \nmore", "broken");
    check("```\nlet x = 1;\n```\nit broke", "it broke");
    check("it broke: ```secret = 1``` there", "it broke:  there");
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\n\
             ValueError: bad",
        "ValueError: bad",
    );
    check("File \"a.py\", line 3, in f\n\tkey = load()\nValueError: bad", "ValueError: bad");
    check("TypeError: x\n    at f (/a.js:1:2)", "TypeError: x");
    check("    at f (/a.js:1:2)\n    at g (/b.js:3:4)\n at /c.js:5:6", "none");
    check("at System.IO.File.Open(String path)\nat A.B() in /a.cs:line 3", "none");
    check("12 | let x = 1;\n   | ^^^^\nmismatched types", "mismatched types");
    check("const k = \"x\" +;\n        ^\n\nSyntaxError: Unexpected", "SyntaxError: Unexpected");
    check("#0  0x7f in foo () at x.c:3\n>>> x = 1\ncrashed", "crashed");
    check("> 3 | const s = 1;\n    | ^\nSyntaxError: q", "SyntaxError: q");
    check("3 │ let s\n4 │ let t\nmsg", "msg");
    check("#0 /a.php(3): f(\"s\")\nat f (native)\nat async Promise.all (index 0)", "none");
    check(
        "File \"a.py\", line 3, in f\n    g(\n        s\n    )\nValueError: bad",
        "ValueError: bad",
    );
    check("error\n  --> src/main.rs:3:5", "error");
    check("/tmp/x.js:1\nthrow new Error(1)\n^\n\nError: boom", "Error: boom");
    check("", "none");
}

#[test]
fn keeps_messages_that_only_resemble_code() {
    for message in [
        "at least one of: a, b is required",
        "at position 3: expected a value",
        "at most 5 items allowed: got 7",
        "goroutine limit reached",
        "File \"a.txt\", line 3 is malformed",
        "Value must match\n^[a-z]+$",
        "404 | Not Found",
        "at $.items[3] (expected string)",
        "at example.com (404)",
        "at 10:30",
        "at example.com:443",
        "at config.yaml (missing key)",
        "# 0x1F is no opcode",
        "^1.2.3 is not a valid range",
        "http://localhost:80",
        "~~~a~~~ message",
        "| pipe message",
        "--> arrow",
        "-",
    ] {
        check(message, message.lines().next().unwrap_or_default());
    }
}
