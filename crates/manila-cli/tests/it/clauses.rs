//! Tests on the clauses that code, documents and vectors cite.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{read, root};
use crate::prose::{documents, is_test_name, name};
use crate::tidy::{below, sources};

#[test]
fn cited_clauses_exist_and_every_clause_has_a_test() {
    let page = read(&root().join("docs/clauses.md"));
    let sections: BTreeMap<&str, &str> = page
        .split("\n### ")
        .skip(1)
        .filter_map(|section| Some((section.split_once(' ')?.0, section)))
        .collect();
    assert!(sections.len() > 50, "the clauses were not found");
    let (mut unknown, mut tested) = (Vec::new(), BTreeSet::new());
    let vectors = below(&["conformance"]);
    let schemas = below(&["crates/manila/schemas"]);
    let documents = documents().into_iter().filter(|path| !path.ends_with("docs/clauses.md"));
    for path in sources().into_iter().chain(documents).chain(vectors).chain(schemas) {
        let is_vector = path.starts_with(root().join("conformance"));
        let is_test = is_vector || path.components().any(|it| is_test_name(it.as_os_str()));
        for (number, line) in (1..).zip(read(&path).lines()) {
            for clause in clauses(line) {
                if !sections.contains_key(clause) {
                    unknown.push(format!("{}:{number}: {clause}", name(&path)));
                } else if is_test {
                    tested.insert(clause.to_owned());
                }
            }
        }
    }
    assert!(unknown.is_empty(), "not in docs/clauses.md:\n{}", unknown.join("\n"));
    let is_open =
        |(clause, text): &(&&str, &&str)| !tested.contains(**clause) && !text.contains("*not yet*");
    let open: Vec<&str> = sections.iter().filter(is_open).map(|(clause, _)| *clause).collect();
    assert!(open.is_empty(), "no vector or test cites {open:?}: add one, or mark it *not yet*");
}

/// Returns the clauses that a line cites: a letter of a contract and a number.
fn clauses(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| {
        let number = word.strip_prefix(['E', 'R', 'M', 'P', 'Q']).unwrap_or_default();
        let is_number = number.bytes().all(|digit| digit.is_ascii_digit());
        let is_percentile = ["P50", "P95"].contains(word);
        is_number && (1..=2).contains(&number.len()) && !is_percentile
    })
}
