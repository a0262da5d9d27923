//! Separates messages from code: the output of a tool is often a mixture of both.

/// Returns the lines of `text` that are not code, trimmed and without blank lines.
pub(super) fn plain_lines(text: &str) -> impl Iterator<Item = String> {
    let mut is_fenced = false;
    let mut is_below_frame = false;
    let mut before = "";
    let mut lines = text.lines().peekable();
    std::iter::from_fn(move || {
        while let Some(line) = lines.next() {
            let trimmed = line.trim();
            let above = std::mem::replace(&mut before, trimmed);
            let below = lines.peek().map_or("", |next| next.trim());
            if is_fence(trimmed) {
                is_fenced = !is_fenced;
                continue;
            }
            let is_frame = is_stack_frame(trimmed);
            // The lines below a frame quote the source, as long as they are indented.
            is_below_frame = is_frame || (is_below_frame && line.starts_with([' ', '\t']));
            let is_quoted =
                is_marker(below) || (is_gutter(trimmed) && (is_gutter(above) || is_gutter(below)));
            if is_fenced || is_below_frame || is_quoted || is_source(trimmed) {
                continue;
            }
            let plain = without_inline_code(trimmed);
            if !plain.trim().is_empty() {
                return Some(plain.trim().to_owned());
            }
        }
        None
    })
}

/// Returns whether a line starts or ends a fenced block. A line with both fences does neither.
fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| line.starts_with(fence) && line.matches(fence).count() < 2)
}

/// Removes the text between two fences from a line.
fn without_inline_code(line: &str) -> String {
    line.split("```").step_by(2).collect()
}

/// Returns whether a line is a stack frame, or the heading of a stack trace.
fn is_stack_frame(line: &str) -> bool {
    let is_heading = line.starts_with("Traceback (most recent call last)")
        || line.starts_with("stack backtrace:")
        || line.strip_prefix("goroutine ").is_some_and(|rest| rest.contains('['));
    is_heading
        || is_python_frame(line)
        || is_numbered_frame(line)
        || line.strip_prefix("at ").is_some_and(is_frame_place)
}

/// Recognises `File "a.py", line 3, in f`.
fn is_python_frame(line: &str) -> bool {
    let place = line.strip_prefix("File \"").and_then(|rest| rest.split_once("\", line "));
    place.is_some_and(|(_, number)| {
        let rest = without_digits(number);
        rest.is_empty() || rest.starts_with(", in ")
    })
}

/// Recognises `#0 0x7f in foo () at x.c:3` and `#0 /a.php(3): f()`.
fn is_numbered_frame(line: &str) -> bool {
    let Some(numbered) = line.strip_prefix('#') else { return false };
    let rest = without_digits(numbered);
    let is_frame =
        rest.trim_start().starts_with("0x") || rest.contains(" () at ") || rest.contains("): ");
    rest.len() < numbered.len() && is_frame
}

/// Recognises the text after `at ` in the frames of JavaScript, Java and .NET.
fn is_frame_place(rest: &str) -> bool {
    let has_place = |text: &str| {
        let number = text.rsplit(':').next().unwrap_or_default();
        text.contains(['/', '\\', '.']) && !number.is_empty() && without_digits(number).is_empty()
    };
    if let Some((name, place)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        // Only JavaScript has a space before the bracket, and then the brackets contain a place.
        let is_qualified = name.contains('.') && !name.contains(' ');
        let is_known = matches!(place, "<anonymous>" | "native") || place.starts_with("index ");
        return is_qualified || is_known || has_place(place);
    }
    let is_dotnet = rest.contains(") in ") && rest.contains(":line ");
    is_dotnet || is_place(rest)
}

/// Recognises a file and a line with nothing else: `/a.js:1`, `src/main.rs:3:5`.
fn is_place(text: &str) -> bool {
    let (file, number) = text.rsplit_once(':').unwrap_or_default();
    let is_number = !number.is_empty() && without_digits(number).is_empty();
    is_number && file.contains(['/', '\\']) && !file.contains(' ') && !file.contains("://")
}

/// Recognises a line that quotes source or names its place, without regard to the lines around it:
/// `| ^^^`, `^~~~`, `> 3 | x`, `--> src/a.rs:3:5`, `/tmp/x.js:1`, `>>> x`.
fn is_source(line: &str) -> bool {
    let is_pointed_at = line.starts_with(['>', '→']) && is_gutter(line);
    let gutter = line.strip_prefix(['|', '│']).map(str::trim);
    let is_place = is_place(line.strip_prefix("--> ").unwrap_or(line));
    let is_prompt = line.starts_with(">>> ");
    is_pointed_at
        || gutter.is_some_and(|rest| rest.is_empty() || is_marker(rest))
        || is_marker(line)
        || is_place
        || is_prompt
}

/// Recognises the gutter of quoted source: `3 | let x`, `> 3 | let x`, `| ^`. A single such line
/// may be a message.
fn is_gutter(line: &str) -> bool {
    let line = line.trim_start_matches(['>', '→']).trim_start();
    without_digits(line).trim_start().starts_with(['|', '│'])
}

/// Recognises a marker that points into the line above: `^`, `^~~~`, `^^^^ here`.
fn is_marker(line: &str) -> bool {
    let rest = line.trim_start_matches(['^', '~']);
    line.contains('^') && rest.len() < line.len() && (rest.is_empty() || rest.starts_with(' '))
}

fn without_digits(text: &str) -> &str {
    text.trim_start_matches(|letter: char| letter.is_ascii_digit())
}

#[cfg(test)]
mod tests;
