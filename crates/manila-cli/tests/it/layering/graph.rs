//! The dependencies between the modules of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::module_of;
use super::paths::{FileReferences, read_references};
use crate::program::read;

/// Modules, their dependencies, and the files that contain these dependencies.
#[derive(Default)]
pub(super) struct Graph {
    edges: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Graph {
    /// Reads the crate whose sources are below `src`.
    pub(super) fn of(src: &Path) -> Graph {
        let sources = Sources::below(src);
        let modules: BTreeSet<String> =
            sources.files.keys().filter_map(|it| module_of(it)).collect();
        let reexports = sources.reexports();
        let mut graph = Graph::default();
        for (file, found) in &sources.files {
            let Some(from) = module_of(file) else { continue };
            for path in &found.paths {
                let first = path.first().map(String::as_str).unwrap_or_default();
                assert!(first != "*", "{} uses `crate::*`", file.display());
                // A name of the crate's root counts as the module that defines it.
                let to = if modules.contains(first) {
                    Some(first)
                } else {
                    reexports.get(first).map(String::as_str).filter(|it| modules.contains(*it))
                };
                if let Some(to) = to.filter(|to| *to != from) {
                    graph.add(&from, to, &file.display().to_string());
                }
            }
        }
        graph
    }

    fn add(&mut self, from: &str, to: &str, file: &str) {
        let files =
            self.edges.entry(from.to_owned()).or_default().entry(to.to_owned()).or_default();
        files.insert(file.to_owned());
    }

    /// Returns the dependencies: from, to, and the files that contain them.
    pub(super) fn edges(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let files = |files: &BTreeSet<String>| files.iter().cloned().collect::<Vec<_>>().join(", ");
        self.edges.iter().flat_map(move |(from, all)| {
            all.iter().map(move |(to, names)| (from.as_str(), to.as_str(), files(names)))
        })
    }

    /// Returns a cycle, if there is one, with a line for each step.
    pub(super) fn cycle(&self) -> Option<String> {
        let mut done = BTreeSet::new();
        for start in self.edges.keys() {
            let mut path = Vec::new();
            if let Some(cycle) = self.visit(start, &mut path, &mut done) {
                return Some(cycle);
            }
        }
        None
    }

    fn visit<'a>(
        &'a self,
        module: &'a str,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<String> {
        if let Some(start) = path.iter().position(|it| *it == module) {
            path.push(module);
            return Some(self.describe(&path[start..]));
        }
        if !done.insert(module) {
            return None;
        }
        path.push(module);
        for to in self.edges.get(module).into_iter().flat_map(BTreeMap::keys) {
            if let Some(cycle) = self.visit(to, path, done) {
                return Some(cycle);
            }
        }
        path.pop();
        None
    }

    fn describe(&self, path: &[&str]) -> String {
        let step = |pair: &[&str]| {
            let (from, to) = (pair[0], pair[1]);
            let files = self.edges().find(|it| (it.0, it.1) == (from, to)).map(|it| it.2);
            format!("  {from} -> {to}: {}", files.unwrap_or_default())
        };
        path.windows(2).map(step).collect::<Vec<_>>().join("\n")
    }
}

/// The files of a crate and their references, without the files for tests.
struct Sources {
    files: BTreeMap<PathBuf, FileReferences>,
}

impl Sources {
    fn below(src: &Path) -> Sources {
        let mut files = BTreeMap::new();
        let mut folders = vec![src.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "rs") {
                    let file = path.strip_prefix(src).unwrap().to_owned();
                    let found = read_references(&read(&path), &module_path(&file));
                    files.insert(file, found);
                }
            }
        }
        let mut for_tests = Vec::new();
        for (file, found) in &files {
            let folder =
                if module_of(file).is_some() { file.with_extension("") } else { PathBuf::new() };
            for_tests.extend(found.for_tests.iter().map(|name| folder.join(name)));
        }
        files.retain(|file, _| !for_tests.iter().any(|it| file.with_extension("").starts_with(it)));
        Sources { files }
    }

    /// Returns the names that the crate's root re-exports, with their modules.
    fn reexports(&self) -> BTreeMap<String, String> {
        let roots = self.files.iter().filter(|(file, _)| module_of(file).is_none());
        let paths = roots.flat_map(|(_, found)| &found.paths);
        let of_module = paths.filter_map(|path| match path.as_slice() {
            [module, name] => Some((name.clone(), module.clone())),
            _ => None,
        });
        of_module.collect()
    }
}

/// Returns the path of a file's module from the crate's root.
fn module_path(file: &Path) -> Vec<String> {
    if module_of(file).is_none() {
        return Vec::new();
    }
    file.with_extension("").iter().map(|it| it.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::Graph;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.add(from, to, &format!("{from}.rs"));
        }
        graph
    }

    #[test]
    fn describes_a_cycle_with_its_files() {
        let found = graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]).cycle().unwrap();
        assert_eq!(found, "  b -> c: b.rs\n  c -> d: c.rs\n  d -> b: d.rs");
        assert_eq!(graph(&[("a", "b"), ("a", "c"), ("b", "c"), ("d", "b")]).cycle(), None);
    }
}
