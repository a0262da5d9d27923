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
            assert!(source.contains(&format!("fn {name}(")), "{test} does not exist: {statement}");
        }
    }
}
