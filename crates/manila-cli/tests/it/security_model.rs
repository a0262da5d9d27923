//! `docs/security-model.md`: each statement names tests that exist.

use crate::program::{read, root};

#[test]
fn every_statement_names_a_test_that_exists() {
    let page = read(&root().join("docs/security-model.md"));
    let statements = page.split("## Statements").nth(1).unwrap();
    let statements = statements.split("\n## ").next().unwrap();
    let rows = statements.lines().filter_map(|line| line.strip_prefix("| "));
    let rows: Vec<&str> = rows.filter(|row| !row.starts_with("statement")).collect();
    assert!(rows.len() > 20, "{rows:?}");
    for row in rows {
        let (statement, tests) = row.trim_end_matches(" |").rsplit_once(" | ").unwrap();
        let tests: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {statement}");
        for test in tests {
            let (file, name) = test.split_once("::").unwrap();
            let folder =
                if file.starts_with("crates/") { "" } else { "crates/manila-cli/tests/it" };
            let source = read(&root().join(folder).join(file));
            assert!(has_test(&source, name), "{test} is not a test: {statement}");
        }
    }
}

/// Returns whether a source has a test with this name. Other attributes may be beside `#[test]`.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let start = format!("fn {name}(");
    let is_test = |at: usize| {
        let before = lines[..at].iter().rev();
        before.take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]")
    };
    (0..lines.len()).any(|at| lines[at].starts_with(&start) && is_test(at))
}

#[test]
fn only_a_test_counts_as_one() {
    for (source, expected) in [
        ("#[test]\nfn holds() {", true),
        ("#[test]\n#[cfg(unix)]\nfn holds() {", true),
        ("    #[test]\n    fn holds(n in 0..9) {", true),
        ("fn holds() {", false),
        ("#[track_caller]\nfn holds() {", false),
        ("#[test]\nfn other() {}\n\nfn holds() {", false),
        ("#[test]\nfn other() {\n    fn holds() {", false),
        ("// #[test]\n// fn holds() {", false),
        ("#[test]\nfn holds_not() {", false),
    ] {
        assert_eq!(has_test(source, "holds"), expected, "{source}");
    }
}
