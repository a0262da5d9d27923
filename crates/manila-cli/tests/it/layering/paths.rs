//! Finds the paths in a source file without a compiler; a simple tokenizer is enough.

use std::collections::BTreeSet;

/// The references of a file to other modules.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileReferences {
    /// Paths from the crate's root; `*` stands for a glob import.
    pub(super) paths: BTreeSet<Vec<String>>,
    /// Modules that are compiled for tests only.
    pub(super) for_tests: BTreeSet<String>,
}

/// Reads a file whose module has this path from the crate's root.
pub(super) fn read_references(text: &str, module: &[String]) -> FileReferences {
    let tokens = tokens(text);
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        module: module.to_vec(),
        found: FileReferences::default(),
    };
    reader.read_items(false);
    reader.found
}

struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    /// The path of the current module, which is longer inside an inline module.
    module: Vec<String>,
    found: FileReferences,
}

impl<'a> Reader<'a> {
    fn token(&self, n: usize) -> &'a str {
        self.tokens.get(self.at + n).copied().unwrap_or_default()
    }

    fn next_are(&self, expected: &[&str]) -> bool {
        expected.iter().enumerate().all(|(n, it)| self.token(n) == *it)
    }

    /// Reads to the end, or to the `}` of an inline module.
    fn read_items(&mut self, is_inline: bool) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            if self.next_are(&["#", "[", "cfg", "(", "test", ")", "]"]) {
                self.at += 7;
                self.skip_item();
                continue;
            }
            match self.token(0) {
                "mod" if self.token(2) == "{" => {
                    self.module.push(self.token(1).to_owned());
                    self.at += 3;
                    self.read_items(true);
                    self.module.pop();
                    continue;
                }
                "crate" | "super" | "self" if self.token(1) == "::" => {
                    self.read_path();
                    continue;
                }
                "use" if !matches!(self.token(1), "crate" | "super" | "self") => {
                    self.at += 1;
                    self.read_rest(&self.module.clone());
                    continue;
                }
                "{" => depth += 1,
                "}" if depth == 0 && is_inline => {
                    self.at += 1;
                    return;
                }
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Skips an item that is compiled for tests only.
    fn skip_item(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            match self.token(0) {
                "mod" if depth == 0 && self.token(2) == ";" => {
                    self.found.for_tests.insert(self.token(1).to_owned());
                }
                "{" => depth += 1,
                "}" if depth <= 1 => {
                    self.at += 1;
                    // A group of a `use` ends with a semicolon.
                    self.at += usize::from(self.token(0) == ";");
                    return;
                }
                "}" => depth -= 1,
                ";" if depth == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a path, starting at its first segment.
    fn read_path(&mut self) {
        let mut base = self.module.clone();
        loop {
            match self.token(0) {
                "crate" => base.clear(),
                "super" => drop(base.pop()),
                "self" => {}
                _ => break,
            }
            self.at += 1;
            if self.token(0) != "::" {
                return;
            }
            self.at += 1;
        }
        self.read_rest(&base);
    }

    /// Reads the rest of a path after `base::`.
    fn read_rest(&mut self, base: &[String]) {
        if self.next_are(&["super", "::"]) {
            self.at += 2;
            return self.read_rest(base.split_last().map_or(&[], |(_, parents)| parents));
        }
        if self.token(0) != "{" {
            let with = |name: &str| [base, &[name.to_owned()]].concat();
            let path = with(self.token(0));
            self.at += 1;
            if self.token(0) == "::" && path.len() < 2 {
                self.at += 1;
                return self.read_rest(&path);
            }
            if self.token(0) == "as" {
                self.found.paths.insert(with(self.token(1)));
            }
            self.found.paths.insert(path);
            return;
        }
        self.at += 1;
        while !matches!(self.token(0), "}" | "") {
            self.read_rest(base);
            // Only the first two segments of each path matter, so the rest of it is skipped.
            let mut depth = 0_usize;
            while self.at < self.tokens.len() {
                match self.token(0) {
                    "," | "}" if depth == 0 => break,
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                self.at += 1;
            }
            self.at += usize::from(self.token(0) == ",");
        }
        self.at += 1;
    }
}

/// Splits text into words, `::` and single characters, without comments and literals.
fn tokens(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let len = if let Some(len) = skipped_bytes(rest) {
            rest = &rest[len..];
            continue;
        } else if is_word(first) {
            rest.find(|it| !is_word(it)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    tokens
}

/// Returns the length of the comment or literal at the start, if there is one.
fn skipped_bytes(text: &str) -> Option<usize> {
    let until = |start: usize, end: &str| {
        text[start..].find(end).map_or(text.len(), |at| start + at + end.len())
    };
    if text.starts_with("//") {
        return Some(until(2, "\n"));
    }
    if text.starts_with("/*") {
        return Some(until(2, "*/"));
    }
    let raw = text.strip_prefix('b').unwrap_or(text);
    if let Some(raw) = raw.strip_prefix('r') {
        let n_hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[n_hashes..].starts_with('"') {
            let start = text.len() - raw.len() + n_hashes + 1;
            return Some(until(start, &format!("\"{}", "#".repeat(n_hashes))));
        }
    }
    let quoted = text.strip_prefix('b').unwrap_or(text);
    let n_before = text.len() - quoted.len();
    match quoted.chars().next()? {
        '"' => {
            let mut is_escaped = false;
            for (at, it) in quoted.char_indices().skip(1) {
                match it {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' => return Some(n_before + at + 1),
                    _ => {}
                }
            }
            Some(text.len())
        }
        // A lifetime has no quote after its first letter.
        '\'' if quoted[1..].starts_with('\\') => Some(n_before + 3 + quoted[3..].find('\'')? + 1),
        '\'' => {
            let letter = quoted[1..].chars().next()?;
            let end = 1 + letter.len_utf8();
            quoted[end..].starts_with('\'').then_some(n_before + end + 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::read_references;

    /// Compares the paths in a file `a/b.rs`, and the modules for tests, with `expected`.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = read_references(text, &["a".to_owned(), "b".to_owned()]);
        let paths: Vec<String> = found.paths.iter().map(|path| path.join("::")).collect();
        let for_tests: Vec<&str> = found.for_tests.iter().map(String::as_str).collect();
        assert_eq!(format!("{} | {}", paths.join(" "), for_tests.join(" ")), expected, "{text}");
    }

    #[test]
    fn finds_paths_everywhere() {
        check("use crate::x::Y; fn f() { crate::z::g::<crate::w::T>() }", "w::T x::Y z::g | ");
        check("use crate::{x, y::{Z, w}, v::A as B};", "v::A v::B x y::Z y::w | ");
        check("use super::c; use super::super::d; use self::e;", "a::b::e a::c d | ");
        check("use super::{super::x, y};", "a::y x | ");
        check("mod m { use super::n; } use super::o;", "a::b::n a::o | ");
        check("use c::{d, e::F}; use std::fmt;", "a::b::c a::b::std | ");
        check("use crate::*; pub(crate) fn f() {} pub(in crate::x) struct S;", "* x | ");
    }

    #[test]
    fn skips_comments_and_literals() {
        check("// crate::x\n/* crate::y */ /// crate::z\n", " | ");
        check(r##"let a = "crate::x \" crate::y"; let b = r#"crate::"z"#; "##, " | ");
        check(
            r#"let a = '"'; crate::x::f(); let b: &'a str = "crate::y"; b'\''; b"crate::w""#,
            "x::f | ",
        );
    }

    #[test]
    fn skips_tests() {
        check("#[cfg(test)]\nmod tests;\nuse crate::x;", "x | tests");
        check("#[cfg(test)] mod tests { use crate::y; fn f() { } } use crate::x;", "x | ");
        check("#[cfg(test)] use crate::{y, z}; use crate::x;", "x | ");
        check("#[cfg(test)] pub(crate) mod table; use crate::x;", "x | table");
        check("#[cfg(feature = \"f\")] use crate::x;", "x | ");
    }
}
