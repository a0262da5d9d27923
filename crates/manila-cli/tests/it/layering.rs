//! Dependencies point one way: between crates, and between the modules of a crate.
//!
//! A module here is a file or folder directly below a crate's `src`, without its tests. What it
//! depends on is read from its paths: `crate::x`, `super::` chains and groups in `use`.

mod graph;
mod paths;

use std::path::Path;

use graph::Graph;

use crate::program::{read, root};

/// A crate whose modules must not depend on each other in a circle.
struct Layered {
    name: &'static str,
    /// Which module may depend on which, where that is laid down.
    layers: Option<&'static Layers>,
}

const LAYERED: &[Layered] = &[
    Layered { name: "manila-redact", layers: None },
    Layered { name: "manila", layers: None },
    Layered { name: "manila-process", layers: None },
    Layered { name: "manila-files", layers: None },
    Layered { name: "manila-pack", layers: None },
    Layered { name: "manila-gateway", layers: Some(&GATEWAY) },
];

/// Modules in layers: each may use those of the layers below its own.
struct Layers {
    /// The topmost layer first. Modules of one layer do not use each other.
    order: &'static [&'static [&'static str]],
    /// Modules that all of `order` may use, and that use none.
    shared: &'static [&'static str],
    /// What a shared module may use all the same.
    exceptions: &'static [(&'static str, &'static str)],
}

/// downstream → gateway → {admit, backend} → {notifications, upstream} → protocol.
const GATEWAY: Layers = Layers {
    order: &[
        &["downstream"],
        &["gateway"],
        &["admit", "backend"],
        &["notifications", "upstream"],
        &["protocol"],
    ],
    shared: &["config", "telemetry", "rt"],
    exceptions: &[("config", "protocol"), ("telemetry", "rt")],
};

/// Which crates of the workspace a crate may depend on; what is not listed may use any.
const CRATES: &[(&str, &[&str])] = &[
    ("manila-redact", &[]),
    ("manila", &["manila-redact"]),
    ("manila-process", &["manila", "manila-redact"]),
    ("manila-files", &["manila", "manila-redact"]),
    ("manila-pack", &["manila", "manila-files", "manila-process", "manila-redact"]),
    // The fixture shares no code with what it is there to test.
    ("manila-sample-server", &[]),
    (
        "manila-gateway",
        &["manila", "manila-files", "manila-pack", "manila-process", "manila-redact"],
    ),
];

impl Layers {
    /// Says why `from` may not use `to`; `None` if it may.
    fn refusal(&self, from: &str, to: &str) -> Option<String> {
        let layer = |name: &str| self.order.iter().position(|layer| layer.contains(&name));
        let is_shared = |name: &str| self.shared.contains(&name);
        let unplaced = [from, to].into_iter().find(|it| layer(it).is_none() && !is_shared(it));
        if let Some(name) = unplaced {
            return Some(format!("`{name}` is in no layer"));
        }
        let may_use = match (layer(from), layer(to)) {
            (Some(from), Some(to)) => from < to,
            (Some(_), None) => true,
            (None, _) => self.exceptions.contains(&(from, to)),
        };
        (!may_use).then(|| format!("`{from}` must not use `{to}`"))
    }
}

fn source(name: &str) -> std::path::PathBuf {
    root().join("crates").join(name).join("src")
}

#[test]
fn modules_depend_on_each_other_in_one_direction() {
    for Layered { name, layers } in LAYERED {
        let graph = Graph::of(&source(name));
        assert!(graph.edges().count() > 1, "{name}: the modules were not found");
        if let Some(cycle) = graph.cycle() {
            panic!("{name}: modules depend on each other in a circle:\n{cycle}");
        }
        for (from, to, files) in graph.edges() {
            if let Some(refusal) = layers.and_then(|layers| layers.refusal(from, to)) {
                panic!("{name}: {refusal}: {files}");
            }
        }
    }
}

#[test]
fn what_is_known_of_the_library_is_found() {
    let graph = Graph::of(&source("manila"));
    for (from, to) in [
        ("pipeline", "stage"),
        ("stage", "contract"),
        ("contract", "prepared"),
        ("cursor", "observed"),
    ] {
        assert!(graph.edges().any(|it| (it.0, it.1) == (from, to)), "{from} uses {to}");
    }
    assert!(!graph.edges().any(|it| (it.0, it.1) == ("stage", "pipeline")));
}

/// What a crate offers to others hides which room it comes from.
#[test]
fn rooms_of_the_gateway_name_each_other() {
    for path in crate::tidy::sources().iter().filter(|it| it.starts_with(source("manila-gateway")))
    {
        let text = read(path);
        for (_, rest) in text.match_indices("crate::").map(|(at, _)| text.split_at(at + 7)) {
            let is_room = rest.starts_with(|it: char| it.is_ascii_lowercase() || it == '{');
            assert!(is_room, "{}: crate::{:.20} names no room", path.display(), rest);
        }
    }
}

/// A crate exists because it makes a dependency impossible.
#[test]
fn crates_depend_on_those_that_they_may_know() {
    for (name, allowed) in CRATES {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        for dependency in own_dependencies(&manifest) {
            assert!(allowed.contains(&dependency), "`{name}` must not depend on `{dependency}`");
        }
    }
}

/// The workspace's own crates that a manifest names, but for tests.
fn own_dependencies(manifest: &str) -> Vec<&str> {
    let mut is_for_tests = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_for_tests = line.contains("dev-dependencies");
        }
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
        if name.starts_with("manila") && !is_for_tests {
            found.push(name);
        }
    }
    found
}

#[test]
fn reads_manifests() {
    let manifest = r#"
[package]
name = "manila-x"
[dependencies]
# manila-pack is not named here
manila.workspace = true
bytes = "1"
manila-redact = { path = "../x" }
[dev-dependencies]
manila-cli = "1"
"#;
    assert_eq!(own_dependencies(manifest), ["manila", "manila-redact"]);
}

#[test]
fn layers_of_the_gateway_point_down() {
    let check = |from: &str, to: &str, expected: &str| {
        assert_eq!(GATEWAY.refusal(from, to).unwrap_or_default(), expected);
    };
    for (from, to) in [
        ("downstream", "gateway"),
        ("downstream", "protocol"),
        ("gateway", "admit"),
        ("backend", "upstream"),
        ("protocol", "rt"),
        ("admit", "telemetry"),
        ("config", "protocol"),
    ] {
        check(from, to, "");
    }
    for (from, to) in [
        ("gateway", "downstream"),
        ("admit", "backend"),
        ("upstream", "notifications"),
        ("protocol", "upstream"),
        ("config", "rt"),
        ("rt", "telemetry"),
        ("telemetry", "gateway"),
    ] {
        check(from, to, &format!("`{from}` must not use `{to}`"));
    }
    check("hub", "gateway", "`hub` is in no layer");
}

/// The name of the module that a file below `src` belongs to; `None` for the crate's root.
fn module_of(file: &Path) -> Option<String> {
    let first = file.iter().next()?.to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(name, "lib" | "main")).then(|| name.to_owned())
}
