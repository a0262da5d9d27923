//! Which module of a crate depends on which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::module_of;
use super::paths::{Named, named};
use crate::program::read;

/// Modules, what each depends on, and the files that say so.
#[derive(Default)]
pub(super) struct Graph {
    edges: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Graph {
    /// The modules of the crate whose sources are below `src`.
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
                assert!(first != "*", "{} names everything of the crate", file.display());
                // A name of the crate's root stands for the module that it comes from.
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

    /// From, to, and the files that say so.
    pub(super) fn edges(&self) -> impl Iterator<Item = (&str, &str, String)> {
        let files = |files: &BTreeSet<String>| files.iter().cloned().collect::<Vec<_>>().join(", ");
        self.edges.iter().flat_map(move |(from, all)| {
            all.iter().map(move |(to, named)| (from.as_str(), to.as_str(), files(named)))
        })
    }

    /// A circle, one line for each step, if there is one.
    pub(super) fn cycle(&self) -> Option<String> {
        let mut done = BTreeSet::new();
        for start in self.edges.keys() {
            let mut way = Vec::new();
            if let Some(cycle) = self.visit(start, &mut way, &mut done) {
                return Some(cycle);
            }
        }
        None
    }

    fn visit<'a>(
        &'a self,
        module: &'a str,
        way: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> Option<String> {
        if let Some(start) = way.iter().position(|it| *it == module) {
            way.push(module);
            return Some(self.shown(&way[start..]));
        }
        if !done.insert(module) {
            return None;
        }
        way.push(module);
        for to in self.edges.get(module).into_iter().flat_map(BTreeMap::keys) {
            if let Some(cycle) = self.visit(to, way, done) {
                return Some(cycle);
            }
        }
        way.pop();
        None
    }

    fn shown(&self, way: &[&str]) -> String {
        let step = |pair: &[&str]| {
            let (from, to) = (pair[0], pair[1]);
            let files = self.edges().find(|it| (it.0, it.1) == (from, to)).map(|it| it.2);
            format!("  {from} -> {to}: {}", files.unwrap_or_default())
        };
        way.windows(2).map(step).collect::<Vec<_>>().join("\n")
    }
}

/// The files of a crate and what they name, without those for tests.
struct Sources {
    files: BTreeMap<PathBuf, Named>,
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
                    let found = named(&read(&path), &module_path(&file));
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

    /// Names of the crate's root, and what each is a part of.
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

/// The path of a file's module from the crate's root.
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
    fn a_circle_is_shown_with_its_files() {
        let found = graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")]).cycle().unwrap();
        assert_eq!(found, "  b -> c: b.rs\n  c -> d: c.rs\n  d -> b: d.rs");
        assert_eq!(graph(&[("a", "b"), ("a", "c"), ("b", "c"), ("d", "b")]).cycle(), None);
    }
}
