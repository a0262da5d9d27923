//! E6: one line about what happened, without a line of anybody's code.

use crate::contract::content::cut;
use crate::outcome::Run;

/// E6: how many characters a message has at most.
const CHARS_MAX: usize = 500;

/// What the tool itself said: a program whose failure has no other name says it on stderr.
pub(super) fn told<'a>(
    message: &'a str,
    origin_code: Option<&str>,
    run: Option<&'a Run>,
) -> &'a str {
    let stderr = run.filter(|run| run.exit.is_some()).map(|run| run.stderr.trim());
    match (origin_code, stderr) {
        (None, Some(stderr)) if !stderr.is_empty() => stderr,
        _ => message.trim(),
    }
}

/// The first line of `text` that is no code, cut to 500 characters.
pub(super) fn first_line(text: &str) -> Option<String> {
    let mut is_fenced = false;
    let mut was_frame = false;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if is_fence(trimmed) {
            is_fenced = !is_fenced;
            continue;
        }
        let is_frame = is_stack_frame(trimmed);
        // The line below a frame, and the line above a marker, quote the source.
        let is_quoted = (was_frame && line.starts_with([' ', '\t']))
            || lines.peek().is_some_and(|next| is_marker(next.trim()));
        was_frame = is_frame;
        let is_code = is_fenced || is_frame || is_quoted || is_source(trimmed);
        if is_code || trimmed.is_empty() {
            continue;
        }
        let plain = without_inline_code(trimmed);
        if !plain.trim().is_empty() {
            return Some(cut(plain.trim(), CHARS_MAX).0.to_owned());
        }
    }
    None
}

/// The start or end of a fenced block. A line with both fences is no block.
fn is_fence(line: &str) -> bool {
    let is_open = line.starts_with("```") || line.starts_with("~~~");
    is_open && line.matches("```").count() < 2
}

/// A line without what stands between two fences in it.
fn without_inline_code(line: &str) -> String {
    line.split("```").step_by(2).collect()
}

/// Lines that tell where in a program something happened.
fn is_stack_frame(line: &str) -> bool {
    let is_heading = line.starts_with("Traceback (most recent call last)")
        || line.starts_with("stack backtrace:")
        || line.strip_prefix("goroutine ").is_some_and(|rest| rest.contains('['));
    is_heading
        || is_python_frame(line)
        || is_debugger_frame(line)
        || line.strip_prefix("at ").is_some_and(is_frame_place)
}

/// `File "a.py", line 3, in f`
fn is_python_frame(line: &str) -> bool {
    let place = line.strip_prefix("File \"").and_then(|rest| rest.split_once("\", line "));
    place.is_some_and(|(_, number)| {
        let rest = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
        rest.is_empty() || rest.starts_with(", in ")
    })
}

/// `#0 0x7f in foo () at x.c:3`
fn is_debugger_frame(line: &str) -> bool {
    let rest = line
        .strip_prefix('#')
        .map(|rest| rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start());
    rest.is_some_and(|rest| rest.starts_with("0x") || rest.contains(" () at "))
}

/// What follows `at ` in the frames of JavaScript, Java and .NET.
fn is_frame_place(rest: &str) -> bool {
    let name = rest.split('(').next().unwrap_or_default().trim_end();
    let is_qualified = name.contains('.') && !name.contains(' ');
    let inside = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    let has_place = |text: &str| {
        let last = text.rsplit(':').next().unwrap_or_default();
        text.contains(':') && !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit())
    };
    if let Some((_, place)) = inside {
        return is_qualified || has_place(place) || place == "<anonymous>";
    }
    let is_dotnet = rest.contains(") in ") && rest.contains(":line ");
    is_dotnet || (!rest.contains(' ') && has_place(rest))
}

/// Lines that quote source: `12 | let x`, `| ^^^`, `^~~~`, `--> src/main.rs:3:5`, `>>> x`.
fn is_source(line: &str) -> bool {
    let code = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = code.len() < line.len();
    let gutter = code.trim_start().strip_prefix('|');
    let is_gutter = gutter.is_some_and(|rest| {
        is_numbered
            || rest.trim().is_empty()
            || is_marker(rest.split_whitespace().next().unwrap_or(""))
    });
    let place = line.strip_prefix("--> ");
    is_gutter
        || is_marker(line)
        || line.starts_with(">>> ")
        || place.is_some_and(|place| place.ends_with(|last: char| last.is_ascii_digit()))
}

/// `^`, `^~~~`, `^^^^ here`: what points at a place in the line above.
fn is_marker(line: &str) -> bool {
    line.starts_with('^') || (line.starts_with('~') && line.contains('^'))
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(first_line(text).as_deref().unwrap_or("none"), expected, "in {text:?}");
    }

    #[test]
    fn takes_the_first_line_that_is_no_code() {
        check("File not found: /missing.py.", "File not found: /missing.py.");
        check("\n  broken \nmore", "broken");
        check("```\nlet x = 1;\n```\nit broke", "it broke");
        check("it broke: ```secret = 1``` there", "it broke:  there");
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nValueError: bad",
            "ValueError: bad",
        );
        check("File \"a.py\", line 3, in f\n\tkey = load()\nValueError: bad", "ValueError: bad");
        check("TypeError: x\n    at f (/a.js:1:2)", "TypeError: x");
        check("    at f (/a.js:1:2)\n    at g (/b.js:3:4)\n at /c.js:5:6", "none");
        check("at System.IO.File.Open(String path)\nat A.B() in /a.cs:line 3", "none");
        check("12 | let x = 1;\n   | ^^^^\nmismatched types", "mismatched types");
        check(
            "const k = \"x\" +;\n        ^\n\nSyntaxError: Unexpected",
            "SyntaxError: Unexpected",
        );
        check("#0  0x7f in foo () at x.c:3\n>>> x = 1\ncrashed", "crashed");
        check("error\n  --> src/main.rs:3:5", "error");
        check("", "none");
    }

    #[test]
    fn leaves_messages_alone_that_only_look_like_code() {
        for message in [
            "at least one of: a, b is required",
            "at position 3: expected a value",
            "at most 5 items allowed: got 7",
            "goroutine limit reached",
            "File \"a.txt\", line 3 is malformed",
            "| pipe message",
            "--> arrow",
            "-",
        ] {
            check(message, message);
        }
    }

    #[test]
    fn cuts_at_500_characters() {
        check(&"é".repeat(501), &"é".repeat(500));
    }
}
