use std::path::{Path, PathBuf};

use super::{Files, ReadOptions, Reading, Target, may_match_below};

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[&str]) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("manila-files-{name}-{}", std::process::id()));
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        Folder(folder)
    }

    /// Lists the files that an argument resolves to, with `!` before refusals.
    fn find(&self, argument: &str) -> String {
        let options = ReadOptions { is_by_line: false, bytes_max: 100 };
        let files = Files::find(&[self.0.join(argument)], options);
        let mut found: Vec<String> = files.found.iter().map(|found| self.describe(found)).collect();
        if files.n_skipped > 0 {
            found.push(format!("+{}", files.n_skipped));
        }
        found.join(" ")
    }

    fn describe(&self, found: &Target) -> String {
        let short = |label: &str| {
            let path = Path::new(label).strip_prefix(&self.0).unwrap();
            path.to_str().unwrap().to_owned()
        };
        match found {
            Target::Source(source) => match source.reading {
                Reading::Whole => short(&source.label),
                Reading::ByLine => short(&source.label) + ":lines",
            },
            Target::Nothing { label, .. } => format!("!{}", short(label)),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn walks_a_folder_in_order() {
    let files =
        ["b/c/x.ndjson", "b/a.JSON", "a.json", "c.jsonl", "b.txt", "z/notes.md", ".h/y.json"];
    let folder = Folder::with("walk", &files);
    assert_eq!(folder.find(""), ".h/y.json a.json b/a.JSON b/c/x.ndjson:lines c.jsonl:lines +2");
    assert_eq!(folder.find("b"), "b/a.JSON b/c/x.ndjson:lines");
    assert_eq!(folder.find("z"), "!z +1");
    assert_eq!(folder.find("b.txt"), "b.txt");
    assert_eq!(folder.find("no.json"), "no.json");
}

#[test]
fn matches_patterns_like_a_shell() {
    let files = ["a1.json", "a2.txt", "b/a3.json", "b/c/a4.json", ".hidden.json", "d[1].json"];
    let folder = Folder::with("glob", &files);
    assert_eq!(folder.find("*.json"), "a1.json d[1].json");
    assert_eq!(folder.find("a?.*"), "a1.json a2.txt");
    assert_eq!(folder.find("*/*.json"), "b/a3.json");
    assert_eq!(folder.find("**/a*.json"), "a1.json b/a3.json b/c/a4.json");
    assert_eq!(folder.find("b/**/*.json"), "b/a3.json b/c/a4.json");
    assert_eq!(folder.find("a[12].*"), "a1.json a2.txt");
    assert_eq!(folder.find("b//*.json"), "b/a3.json");
    assert_eq!(folder.find("*.xml"), "!*.xml");
    assert_eq!(folder.find("a**b"), "!a**b");
    assert_eq!(folder.find("no/*.json"), "!no/*.json");
    // A file of that name takes precedence over the pattern.
    assert_eq!(folder.find("d[1].json"), "d[1].json");
}

/// A folder that cannot be listed is an error only if files below it can match.
#[test]
fn finds_directories_below_which_a_pattern_can_match() {
    let may_match =
        |pattern: &str, folder: &str| may_match_below(Path::new(pattern), Path::new(folder));
    assert!(may_match("x*/a.json", "x1") && !may_match("x*/a.json", "private"));
    assert!(may_match("a/**/*.json", "a/b/c") && may_match("a/**/*.json", "a"));
    assert!(!may_match("a/**/*.json", "b") && !may_match("**/*.json", ".git"));
    assert!(may_match("/logs/*/x.json", "/logs") && !may_match("/logs/d*/x.json", "/logs/e"));
}

#[cfg(unix)]
#[test]
fn does_not_follow_links_to_directories() {
    use std::os::unix::fs::symlink;

    let folder = Folder::with("links", &["a/x.json"]);
    symlink(&folder.0, folder.0.join("a/loop.json")).unwrap();
    symlink(folder.0.join("a/x.json"), folder.0.join("a/y.json")).unwrap();
    symlink("nowhere", folder.0.join("a/z.json")).unwrap();
    assert_eq!(folder.find(""), "a/x.json a/y.json a/z.json +1");
    assert_eq!(folder.find("**/*.json"), "a/x.json a/y.json a/z.json");
    assert_eq!(
        folder.find("a/loop.json"),
        "a/loop.json/a/x.json a/loop.json/a/y.json a/loop.json/a/z.json +1"
    );
}
