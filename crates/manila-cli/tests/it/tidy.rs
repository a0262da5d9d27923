//! Tests on the repository: size and width of files, documentation, dependencies and links.

use std::path::{Path, PathBuf};

use manila::{Code, Contract, DocumentKind};

use crate::docs::commands;
use crate::program::{files, read, root};

const LINES_MAX: usize = 400;

/// Returns the Rust files of the repository.
pub(crate) fn sources() -> Vec<PathBuf> {
    let mut found = below(&["crates", "bench", "fuzz/fuzz_targets"]);
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    assert!(found.len() > 50, "the sources were not found");
    found
}

/// Returns all files below folders of the repository.
pub(crate) fn below(folders: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = folders.iter().map(|it| root().join(it)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn files_are_short_and_finished() {
    // Split, so that this file does not contain them.
    let unfinished =
        [concat!("to", "do!("), concat!("unimple", "mented!("), concat!("#[ig", "nore")];
    for path in sources() {
        let text = read(&path);
        let n_lines = text.lines().count();
        assert!(n_lines <= LINES_MAX, "{} has {n_lines} lines", path.display());
        assert!(!path.ends_with("mod.rs"), "{}: use `name.rs` beside `name/`", path.display());
        for word in unfinished {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

/// rustfmt's `max_width`. rustfmt does not break comments, literals, and statements that contain
/// them.
const WIDTH_MAX: usize = 100;

/// Tables of literals with one row per line, which are easier to compare that way.
const TABLES: [&str; 2] = [
    // Requests and responses as JSON.
    "crates/manila-sample-server/src/tests/",
    // A rule with its pattern, an example and a counterexample.
    "crates/manila-redact/src/rules/",
];

#[test]
fn lines_keep_the_width() {
    let is_wide = |line: &str| line.chars().count() > WIDTH_MAX && !is_one_literal(line);
    let mut wide = Vec::new();
    for path in sources() {
        let name = path.strip_prefix(root()).unwrap().display();
        let text = read(&path);
        let lines = (1..).zip(text.lines()).filter(|(_, line)| is_wide(line));
        wide.extend(lines.map(|(n, _)| format!("{name}:{n}")));
    }
    for table in TABLES {
        let is_needed = wide.iter().any(|line| line.starts_with(table));
        assert!(is_needed, "{table} has no wide line: remove it from `TABLES`");
    }
    wide.retain(|line| !TABLES.iter().any(|known| line.starts_with(known)));
    assert!(wide.is_empty(), "over {WIDTH_MAX} characters:\n{}", wide.join("\n"));
}

/// Returns whether a line is one string literal, such as JSON, a row of expected output or an
/// example of a secret. Those are easier to read unbroken.
fn is_one_literal(line: &str) -> bool {
    let line = line.trim().trim_end_matches([',', ';']);
    if let Some(raw) = line.strip_prefix("r#\"") {
        return raw.split_once("\"#").is_some_and(|(_, rest)| rest.is_empty());
    }
    let Some(plain) = line.strip_prefix('"') else { return false };
    let plain = plain.replace(r"\\", "").replace(r#"\""#, "");
    plain.split_once('"').is_some_and(|(_, rest)| rest.is_empty())
}

#[test]
fn only_whole_literals_may_be_wide() {
    for line in [r##"    r#"{"a":1}"#,"##, r#""a \" b";"#, r#""ends with \\""#] {
        assert!(is_one_literal(line), "{line}");
    }
    for line in [r##"let a = r#"{}"#;"##, r#""a", "b""#, r#""goes on \"#, r##"r#"a"#, r#"b"#"##] {
        assert!(!is_one_literal(line), "{line}");
    }
}

#[test]
fn every_module_has_documentation() {
    for path in sources() {
        let is_test_module = path.ends_with("tests.rs");
        let first = read(&path);
        assert!(
            is_test_module || first.starts_with("//! "),
            "{} has no module documentation",
            path.display()
        );
    }
}

#[test]
fn a_contract_has_one_name_everywhere() {
    let contracts = read(&root().join("docs/contracts.md"));
    let readme = read(&root().join("README.md"));
    for contract in Contract::ALL {
        let info = contract.info();
        assert_eq!(info.stem, info.id.replace(['-', '.'], "_"));
        for path in [
            format!("crates/manila/src/contract/{}.rs", info.stem),
            format!("crates/manila/schemas/{}.json", info.stem),
            format!("conformance/given/{}", info.stem),
            format!("conformance/recorded/{}", info.stem),
        ] {
            assert!(root().join(&path).exists(), "{path} is missing");
        }
        for document in [&contracts, &readme] {
            assert!(document.contains(info.id), "{contract} is not in the documents");
        }
    }
    for folder in ["conformance/given", "conformance/recorded", "conformance/refused"] {
        for path in files(folder) {
            let stem = path.file_name().unwrap().to_string_lossy().into_owned();
            let is_of = |kind: &DocumentKind| kind.id().replace(['-', '.'], "_") == stem;
            let is_known = DocumentKind::ALL.iter().any(is_of) || stem == "json";
            assert!(is_known, "{} belongs to no contract", path.display());
        }
    }
}

#[test]
fn codes_kinds_and_commands_are_documented() {
    let errors = read(&root().join("docs/errors.md"));
    for code in Code::ALL {
        assert!(errors.contains(&format!("### `{code}`")), "{code} is not in docs/errors.md");
    }
    let documented = read(&root().join("docs/commands.md"));
    for command in commands() {
        assert!(documented.contains(&format!("## `manila {command}`")), "{command}");
    }
    let observations = read(&root().join("docs/observations.md"));
    let source = read(&root().join("crates/manila/src/observed/read_kind.rs"));
    let kinds =
        source.split("const KINDS: &[&str] = &[").nth(1).unwrap().split(']').next().unwrap();
    let names: Vec<&str> = kinds.split('"').skip(1).step_by(2).collect();
    assert_eq!(names.len(), 13);
    for name in names {
        assert!(observations.contains(&format!("## `{name}`")), "{name} is not documented");
    }
}

/// The dependencies of the pure library: none of them does I/O, waits or generates random numbers.
const PURE: [&str; 17] = [
    "base64",
    "bytes",
    "fancy-regex",
    "jsonschema",
    "jsonschema-regex",
    "manila-redact",
    "memchr",
    "regex-automata",
    "regex-syntax",
    "ryu-js",
    "serde",
    "serde_json",
    "sha2",
    "strsim",
    "thiserror",
    "uuid",
    "wide",
];

#[test]
fn the_library_stays_pure() {
    let manifest = read(&root().join("crates/manila/Cargo.toml"));
    for (name, line) in dependencies(&manifest, "[dependencies]") {
        assert!(PURE.contains(&name), "`manila` must not depend on {name}");
        let is_random =
            ["\"v4\"", "\"v7\"", "\"rng\""].iter().any(|feature| line.contains(feature));
        assert!(!is_random, "`manila` must not generate random values: {line}");
    }
    let library = root().join("crates/manila/src");
    for path in sources().iter().filter(|path| path.starts_with(&library)) {
        let text = read(path);
        for word in [
            "std::fs",
            "std::net",
            "std::io",
            "std::env",
            "std::process",
            "std::thread",
            "async fn",
            "::now(",
        ] {
            assert!(!text.contains(word), "{} uses {word}", path.display());
        }
    }
    assert!(read(&library.join("lib.rs")).contains("#![forbid(unsafe_code)]"));
}

#[test]
fn every_dependency_has_a_reason() {
    for manifest in [
        "crates/manila/Cargo.toml",
        "crates/manila-files/Cargo.toml",
        "crates/manila-process/Cargo.toml",
        "crates/manila-pack/Cargo.toml",
        "crates/manila-gateway/Cargo.toml",
        "crates/manila-sample-server/Cargo.toml",
        "crates/manila-cli/Cargo.toml",
        "bench/Cargo.toml",
    ] {
        let text = read(&root().join(manifest));
        let lines: Vec<&str> = text.lines().collect();
        for section in ["[dependencies]", "[dev-dependencies]"] {
            for (name, line) in dependencies(&text, section) {
                let at = lines.iter().position(|known| *known == line).unwrap();
                assert!(
                    lines[at - 1].starts_with("# "),
                    "{manifest}: {name} has no comment that explains it"
                );
            }
        }
    }
}

/// Returns the dependencies of a section, each with its name and line.
fn dependencies<'a>(manifest: &'a str, section: &str) -> Vec<(&'a str, &'a str)> {
    let heading = format!("\n{section}\n");
    let body = manifest.split(heading.as_str()).nth(1).unwrap_or_default();
    let body = body.split("\n[").next().unwrap_or_default();
    let lines = body.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| (line.split(['=', '.', ' ']).next().unwrap().trim(), line)).collect()
}

#[test]
fn links_between_documents_are_valid() {
    let documents: Vec<PathBuf> = files("docs")
        .into_iter()
        .chain(files("").into_iter().filter(|path| path.extension().is_some_and(|it| it == "md")))
        .chain([root().join("conformance/README.md"), root().join("crates/manila/README.md")])
        .collect();
    for document in documents {
        let text = read(&document);
        let folder = document.parent().unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap();
            let is_local = !path.is_empty() && !path.contains("://");
            assert!(!is_local || leads_somewhere(folder, path), "{}: {link}", document.display());
        }
    }
}

fn leads_somewhere(folder: &Path, path: &str) -> bool {
    folder.join(path).exists()
}
