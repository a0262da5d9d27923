//! Dependencies point one way: between crates, and between the modules of a crate.
//!
//! A module here is a file or folder directly below a crate's `src`, without its tests. The tests
//! find its dependencies in its paths: `crate::x`, `super::` chains and groups in `use`.

mod graph;
mod paths;

use std::path::Path;

use graph::Graph;

use crate::program::{read, root};

/// A crate whose modules must not have cyclic dependencies.
struct Layered {
    name: &'static str,
    /// The allowed dependencies between its modules, if they are fixed.
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

/// Modules in layers. Each module may use those of the layers below its own.
struct Layers {
    /// The topmost layer first. Modules of one layer do not use each other.
    order: &'static [&'static [&'static str]],
    /// Modules that all of `order` may use, and that use no other module.
    shared: &'static [&'static str],
    /// Exceptions: a shared module, and the module that it may use.
    exceptions: &'static [(&'static str, &'static str)],
}

/// (fuzz →) downstream → gateway → {admit, backend} → {notifications, upstream} → protocol.
const GATEWAY: Layers = Layers {
    order: &[
        &["fuzz"],
        &["downstream"],
        &["gateway"],
        &["admit", "backend"],
        &["notifications", "upstream"],
        &["protocol"],
    ],
    shared: &["config", "telemetry", "rt"],
    exceptions: &[("config", "protocol"), ("telemetry", "rt")],
};

/// The crates of the workspace that a crate may depend on. A crate that is not listed may use any.
const CRATES: &[(&str, &[&str])] = &[
    ("manila-redact", &[]),
    ("manila", &["manila-redact"]),
    ("manila-process", &["manila", "manila-redact"]),
    ("manila-files", &["manila", "manila-redact"]),
    ("manila-pack", &["manila", "manila-files", "manila-process", "manila-redact"]),
    // The fixture shares no code with the gateway that it tests.
    ("manila-sample-server", &[]),
    (
        "manila-gateway",
        &["manila", "manila-files", "manila-pack", "manila-process", "manila-redact"],
    ),
];

impl Layers {
    /// Returns why `from` may not use `to`; `None` if it may.
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
            panic!("{name}: modules have a cyclic dependency:\n{cycle}");
        }
        for (from, to, files) in graph.edges() {
            if let Some(refusal) = layers.and_then(|layers| layers.refusal(from, to)) {
                panic!("{name}: {refusal}: {files}");
            }
        }
    }
}

#[test]
fn finds_known_dependencies_of_the_library() {
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

/// A name that the crate's root re-exports hides the module that defines it.
#[test]
fn gateway_modules_do_not_use_reexports_of_the_root() {
    for path in crate::tidy::sources().iter().filter(|it| it.starts_with(source("manila-gateway")))
    {
        let text = read(path);
        for (_, rest) in text.match_indices("crate::").map(|(at, _)| text.split_at(at + 7)) {
            let is_module = rest.starts_with(|it: char| it.is_ascii_lowercase() || it == '{');
            assert!(is_module, "{}: crate::{:.20} names no module", path.display(), rest);
        }
    }
}

/// A crate exists because it makes a dependency impossible.
#[test]
fn crates_have_only_allowed_dependencies() {
    for (name, allowed) in CRATES {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        for dependency in workspace_dependencies(&manifest) {
            assert!(allowed.contains(&dependency), "`{name}` must not depend on `{dependency}`");
        }
    }
}

/// Returns the workspace's own crates in a manifest, without those for tests.
fn workspace_dependencies(manifest: &str) -> Vec<&str> {
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
    assert_eq!(workspace_dependencies(manifest), ["manila", "manila-redact"]);
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

/// Returns the name of the module that contains a file below `src`; `None` for the crate's root.
fn module_of(file: &Path) -> Option<String> {
    let first = file.iter().next()?.to_str()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(name, "lib" | "main")).then(|| name.to_owned())
}
