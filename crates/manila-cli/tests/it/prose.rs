//! Tests on texts for people: plain words, names of functions, and widths.
//!
//! These tests catch the worst mistakes. They do not replace reading the text.

use std::path::{Path, PathBuf};

use crate::program::{read, root};
use crate::tidy::{below, sources};

/// Words that a reader stumbles over, and their replacements.
const ODD: [(&str, &str); 17] = [
    ("told", "reported, sent, logged"),
    ("hears", "receives"),
    ("heard", "received"),
    ("says", "reports, contains, requires"),
    ("wishes", "preferences, options"),
    ("whoever", "the client, the caller, the server"),
    ("somebody", "another client, another process"),
    ("nobody", "no client, no process"),
    ("is none", "does not exist, is not one"),
    ("what becomes of", "what happens to"),
    ("stand in front", "proxy"),
    ("stands in front", "proxies"),
    ("as it came", "unchanged"),
    ("own words", "spelling"),
    ("draw breath", "wait"),
    ("draws breath", "waits"),
    ("hello", "handshake"),
];

#[test]
fn texts_use_plain_words() {
    let mut found = Vec::new();
    let texts = documents().into_iter().chain(sources()).chain(scripts()).chain(data());
    for path in texts {
        let prose = prose(&path).into_iter().map(|(number, line)| (number, without_code(&line)));
        let lines: Vec<(usize, String)> = prose.chain(messages(&path)).collect();
        let pairs = lines.windows(2).filter_map(|pair| match pair {
            [(number, line), (next, below)] if number + 1 == *next => {
                Some((*number, format!("{} {}", line.trim_end(), below.trim_start_matches(MARKS))))
            }
            _ => None,
        });
        // A phrase may continue on the next line.
        let phrases = pairs.flat_map(|(number, text)| {
            let phrases = odd_in(&text).filter(|odd| odd.0.contains(' '));
            phrases.map(|odd| (number, odd)).collect::<Vec<_>>()
        });
        let words = lines.iter().flat_map(|(number, line)| {
            let words = odd_in(line).filter(|odd| !odd.0.contains(' '));
            words.map(|odd| (*number, odd)).collect::<Vec<_>>()
        });
        let name = name(&path);
        let all = words.chain(phrases);
        found.extend(all.map(|(at, (odd, use_))| format!("{name}:{at}: {odd:?}: use {use_}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What comments and list items start with.
const MARKS: &[char] = &['/', '!', '#', ' ', '-'];

/// Returns the odd words and phrases in a text.
fn odd_in(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = text.to_lowercase();
    ODD.into_iter().filter(move |(odd, _)| has_word(&text, odd))
}

/// Returns the data files with texts: schemas, diagnostics, packs and vectors.
fn data() -> Vec<PathBuf> {
    let folders = ["crates/manila/schemas", "crates/manila/data", "crates/manila-pack/packs"];
    let mut all = below(&[&folders[..], &["conformance", "docs"]].concat());
    all.retain(|path| path.extension().is_some_and(|it| it == "json" || it == "toml"));
    all
}

/// Returns the Markdown files, and the handwritten parts of generated ones.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut all = below(&["docs", "conformance", "crates", "examples", "tests", ".github"]);
    all.extend(std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()));
    all.retain(|path| path.extension().is_some_and(|it| it == "md") || is_page(path));
    assert!(all.len() > 25, "the documents were not found");
    all
}

/// Returns whether a file is a handwritten part of a generated document.
fn is_page(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.ends_with("tests/it/pages"))
}

/// Returns the files whose comments start with `#`.
fn scripts() -> Vec<PathBuf> {
    let mut all = below(&["crates", "examples", "bench", "tests", ".ci"]);
    all.retain(|path| path.extension().is_none_or(|it| it == "toml" || it == "sh"));
    all.extend(["justfile", "clippy.toml", "deny.toml"].map(|it| root().join(it)));
    all
}

/// Returns the lines of a file that people read as text, with their numbers.
///
/// In code, these are the comments; in documents, everything but fenced code. The help is part of
/// both: it consists of doc comments, and `docs/commands.md` contains it as fenced blocks.
fn prose(path: &Path) -> Vec<(usize, String)> {
    let text = read(path);
    let lines = (1..).zip(text.lines());
    let extension = path.extension().and_then(|it| it.to_str());
    match extension {
        Some("rs") => lines.filter_map(|(n, line)| Some((n, comment(line, "//")?))).collect(),
        Some("md" | "txt") => {
            let mut is_fenced = false;
            let keeps_fences = path.ends_with("docs/commands.md");
            let is_text = |(n, line): (usize, &str)| {
                let is_fence = line.trim_start().starts_with("```");
                is_fenced ^= is_fence;
                (keeps_fences || !(is_fenced || is_fence)).then(|| (n, line.to_owned()))
            };
            lines.filter_map(is_text).collect()
        }
        _ => lines.filter_map(|(n, line)| Some((n, comment(line, "#")?))).collect(),
    }
}

/// Returns the literals of a file that are more than a word, with their numbers: errors, hints and
/// descriptions. Tests are left out, and of a vector everything but its description.
fn messages(path: &Path) -> Vec<(usize, String)> {
    let extension = path.extension().and_then(|it| it.to_str());
    let has = |part: &str| path.components().any(|it| it.as_os_str() == part);
    let is_product = match extension {
        Some("rs") => has("src") && !path.components().any(|it| is_test_name(it.as_os_str())),
        Some("toml") => has("packs"),
        Some("json") => true,
        _ => false,
    };
    if !is_product {
        return Vec::new();
    }
    let text = read(path);
    let mut is_continued = false;
    let is_code = |line: &str| !line.trim_start().starts_with("//") && !is_example(line);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| is_code(line));
    let lines = lines.filter(|(_, line)| !has("conformance") || line.contains("\"about\": "));
    let literals = lines.map(|(number, line)| {
        // A literal that ends with `\\` continues on the next line.
        let parts = line.split('"').skip(usize::from(!is_continued)).step_by(2);
        is_continued = line.ends_with('\\');
        (number, parts.filter(|it| it.contains(' ')).collect::<Vec<_>>().join(" | "))
    });
    literals.filter(|(_, literals)| !literals.is_empty()).collect()
}

/// Returns the comment that a line consists of or ends with.
fn comment(line: &str, mark: &str) -> Option<String> {
    let is_whole = line.trim_start().starts_with(mark);
    let trailing = || line.split_once(&format!(" {mark} ")).map(|(_, comment)| comment.to_owned());
    if is_whole { Some(line.to_owned()) } else { trailing() }
}

/// Removes code spans, quoted text and examples of commands, which may contain any word.
fn without_code(line: &str) -> String {
    if is_example(line) {
        return String::new();
    }
    line.split('`').step_by(2).flat_map(|part| part.split('"').step_by(2)).collect()
}

/// Returns whether a line is an example of a command.
fn is_example(line: &str) -> bool {
    line.trim_start_matches(['/', ' ']).starts_with("manila ")
}

/// Returns whether a text contains a word or phrase, between boundaries of words.
fn has_word(text: &str, word: &str) -> bool {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
    })
}

pub(crate) fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Participles that do not end in `ed`.
const IRREGULAR: &str = " begun bound bought broken brought built chosen done drawn driven fallen \
    fed felt forgotten found given gone got grown heard held hidden hung kept known laid led left \
    lent lost made meant met paid said seen sent shown shut spent spoken stolen taken thought told \
    torn thrown understood woken won written ";

/// Particles that make a name of a participle no clearer.
const PARTICLES: [&str; 11] =
    ["apart", "away", "back", "by", "down", "in", "off", "on", "out", "up", "whole"];

/// Functions that may be named by a participle: the name, the file, and the reason.
const PARTICIPLES: [(&str, &str, &str); 12] = [
    ("enabled", "dispatch/tests.rs", "a method of a trait of `tracing`"),
    ("enabled", "tracing_events/tests.rs", "a method of a trait of `tracing`"),
    ("redacted", "prepared/fit.rs", "returns the `Redacted` in a `Fitted`"),
    ("redacted", "prepared/attest.rs", "returns the `Redacted` in an `Attested`"),
    ("fitted", "prepared/attest.rs", "returns the `Fitted` in an `Attested`"),
    ("dropped", "prepared/fit.rs", "returns the field of that name"),
    ("unauthorized", "src/answer.rs", "a builder in the crate's API, beside `forbidden`"),
    ("broken", "examples/rmcp_server.rs", "handles the tool of that name"),
    ("embedded", "tools/media.rs", "handles the tool of that name"),
    ("enveloped", "tools/enveloped.rs", "handles the tool of that name"),
    ("mixed", "tools/media.rs", "handles the tool of that name"),
    ("structured", "tools/structured.rs", "handles the tool of that name"),
];

#[test]
fn functions_are_named_by_verbs() {
    let mut found = Vec::new();
    for path in sources() {
        for (number, line) in (1..).zip(read(&path).lines()) {
            let rest = line.split_once("fn ").map_or("", |(_, rest)| rest);
            let function = rest.split(['(', '<']).next().unwrap_or_default();
            let is_allowed = PARTICIPLES
                .iter()
                .any(|(known, file, _)| *known == function && path.ends_with(file));
            if is_participle(function) && !is_allowed {
                found.push(format!("{}:{number}: {function}", name(&path)));
            }
        }
    }
    assert!(found.is_empty(), "named by a bare participle:\n{}", found.join("\n"));
}

fn is_participle(function: &str) -> bool {
    let first = match function.rsplit_once('_') {
        Some((first, last)) if PARTICLES.contains(&last) => first,
        _ => function,
    };
    let is_one_word = !first.is_empty() && first.chars().all(|it| it.is_ascii_lowercase());
    let is_regular = first.len() > 3 && first.ends_with("ed") && !first.ends_with("eed");
    is_one_word && (is_regular && first != "embed" || IRREGULAR.contains(&format!(" {first} ")))
}

#[test]
fn participles_are_recognised() {
    for function in ["answered", "told", "taken", "taken_apart", "turned_away", "found", "met"] {
        assert!(is_participle(function), "{function}");
    }
    for function in ["answer", "feed", "proceed", "embed", "is_answered", "read", "new"] {
        assert!(!is_participle(function), "{function}");
    }
}

/// The width of prose in documents.
const DOCUMENT_WIDTH_MAX: usize = 120;

/// The width of a cell in a table of ARCHITECTURE.md.
const CELL_WIDTH_MAX: usize = 200;

#[test]
fn documents_keep_the_width() {
    let mut wide = Vec::new();
    for path in documents() {
        let is_architecture = path.ends_with("ARCHITECTURE.md");
        for (number, line) in prose(&path) {
            let width = |text: &str| text.trim().chars().count();
            let is_wide = if line.trim_start().starts_with('|') {
                is_architecture && line.split('|').any(|it| width(it) > CELL_WIDTH_MAX)
            } else {
                width(&line) > DOCUMENT_WIDTH_MAX && !is_generated(&path)
            };
            if is_wide {
                wide.push(format!("{}:{number}", name(&path)));
            }
        }
    }
    assert!(wide.is_empty(), "too wide:\n{}", wide.join("\n"));
}

fn is_generated(path: &Path) -> bool {
    read(path).contains("<!-- Generated from the code")
}

/// The width of the first line of an option's help, which `-h` shows.
const HELP_WIDTH_MAX: usize = 80;

#[test]
fn the_help_of_an_option_starts_with_a_short_line() {
    let page = read(&root().join("docs/commands.md"));
    let lines: Vec<&str> = page.lines().collect();
    let is_option = |line: &str| line.starts_with("  -") || line.starts_with("      --");
    let (mut n_options, mut long) = (0, Vec::new());
    for pair in lines.windows(2) {
        if let [option, help] = pair
            && is_option(option)
        {
            n_options += 1;
            if help.trim().chars().count() > HELP_WIDTH_MAX {
                long.push(help.trim());
            }
        }
    }
    assert!(n_options > 100, "only {n_options} options were found");
    assert!(long.is_empty(), "longer than {HELP_WIDTH_MAX} characters:\n{}", long.join("\n"));
}

/// Returns whether a part of a path is that of tests.
pub(crate) fn is_test_name(name: &std::ffi::OsStr) -> bool {
    ["tests", "tests.rs"].iter().any(|known| name == *known)
}
