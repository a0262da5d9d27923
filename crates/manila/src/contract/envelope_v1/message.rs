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
        _ => message,
    }
}

/// The first line of `text` that is no code, cut to 500 characters.
pub(super) fn first_line(text: &str) -> Option<String> {
    let mut is_fenced = false;
    let mut was_frame = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
            continue;
        }
        let is_frame = is_stack_frame(trimmed);
        // The line below a frame quotes the source; it is indented deeper than any message.
        let is_quoted = was_frame && line.starts_with("    ");
        was_frame = is_frame;
        if is_fenced || is_frame || is_quoted || trimmed.is_empty() || is_source(trimmed) {
            continue;
        }
        return Some(cut(trimmed, CHARS_MAX).0.to_owned());
    }
    None
}

/// Lines that tell where in a program something happened.
fn is_stack_frame(line: &str) -> bool {
    let is_python = line.starts_with("File \"") && line.contains(", line ");
    let is_javascript_or_java =
        line.starts_with("at ") && (line.contains(':') || line.ends_with(')'));
    let is_dotnet = line.starts_with("at ") && line.contains(" in ");
    let is_heading = line.starts_with("Traceback (most recent call last)")
        || line.starts_with("stack backtrace:")
        || line.starts_with("goroutine ");
    is_python || is_javascript_or_java || is_dotnet || is_heading
}

/// Lines that quote source: `12 | let x`, `| ^^^`, `^~~~`, `--> src/main.rs:3:5`.
fn is_source(line: &str) -> bool {
    let unnumbered = line.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start();
    let is_marker = line.chars().all(|letter| matches!(letter, '^' | '~' | '-' | ' ' | '|'));
    unnumbered.starts_with("| ") || unnumbered == "|" || is_marker || line.starts_with("--> ")
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
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nValueError: bad",
            "ValueError: bad",
        );
        check("TypeError: x\n    at f (/a.js:1:2)", "TypeError: x");
        check("    at f (/a.js:1:2)\n    at g (/b.js:3:4)", "none");
        check("12 | let x = 1;\n   | ^^^^\nmismatched types", "mismatched types");
        check("", "none");
    }

    #[test]
    fn cuts_at_500_characters() {
        check(&"é".repeat(501), &"é".repeat(500));
    }
}
