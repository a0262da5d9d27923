use std::fs::{self, File};
use std::path::Path;

use super::{Files, LATEST, is_journal_name};
use crate::telemetry::journal::tests::Scratch;
use manila_process::os::private;

const ID: &str = "0190a6d2-7a52-7c3e-9d55-5b2b8a4e1f00";

fn name(second: u8) -> String {
    format!("envelope_validation.20200101T0000{second:02}Z.{ID}.jsonl")
}

fn files(scratch: &Scratch, files_max: usize) -> Files {
    Files::new(scratch.path().join("runs/mcp_server"), files_max)
}

/// Creates a file, writes a line and announces it.
fn create(files: &Files) -> super::OpenFile {
    let appended = files.create().unwrap().append(b"{}\n");
    let Ok(mut created) = appended else { panic!("the line is not written") };
    files.announce(&mut created).unwrap();
    created
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn recognises_only_names_of_journal_files() {
    assert!(is_journal_name(&super::new_name()));
    assert!(is_journal_name(&name(7)));
    for other in [
        LATEST.to_owned(),
        String::new(),
        name(7).to_uppercase(),
        name(7).replace("2020", "x020"),
        name(7).replace("Z.", "."),
        name(7).replace("jsonl", "json"),
        name(7).replace("0190", "019G"),
        name(7).replace("0190", "01900"),
        format!("{}.bak", name(7)),
        format!("copy of {}", name(7)),
        format!(".{}", name(7)),
    ] {
        assert!(!is_journal_name(&other), "{other}");
    }
}

#[test]
fn removes_the_oldest_files_and_nothing_else() {
    let scratch = Scratch::new("files-oldest");
    let files = files(&scratch, 3);
    let folder = files.folder().to_path_buf();
    fs::create_dir_all(&folder).unwrap();
    let foreign = ["notes.txt".to_owned(), format!("{}.bak", name(1)), name(2).to_uppercase()];
    for name in foreign.iter().chain([&name(3), &name(4), &name(5), &name(6)]) {
        File::create(folder.join(name)).unwrap();
    }
    // A folder with the name of a journal file.
    fs::create_dir(folder.join(name(0))).unwrap();
    let created = create(&files);
    let found = names(&folder);
    for kept in foreign.iter().chain([&name(0), &name(5), &name(6)]) {
        assert!(found.contains(kept), "{kept} is missing in {found:?}");
    }
    assert_eq!(found.len(), foreign.len() + 5, "{found:?}");
    assert!(created.exists());
}

#[test]
fn does_not_remove_files_that_are_being_written() {
    let scratch = Scratch::new("files-claimed");
    let files = files(&scratch, 1);
    let others: Vec<_> = (0..3).map(|_| create(&files)).collect();
    let last = create(&files);
    assert!(others.iter().chain([&last]).all(super::OpenFile::exists));
    drop(others);
    let last = (last, create(&files));
    assert_eq!(names(files.folder()).len(), 3, "the two that are being written, and the link");
    drop(last);
}

#[test]
fn names_of_the_same_second_are_ordered() {
    let scratch = Scratch::new("files-order");
    let files = files(&scratch, 2);
    for _ in 0..20 {
        let before = create(&files).path;
        let created = create(&files);
        let both = [before.file_name().unwrap(), created.name()];
        let found = names(files.folder());
        assert_eq!(found, [both[0].to_str().unwrap(), both[1].to_str().unwrap(), LATEST]);
    }
}

#[test]
fn the_link_leads_to_the_newest_file() {
    let scratch = Scratch::new("files-link");
    let files = files(&scratch, 5);
    for _ in 0..3 {
        let created = create(&files);
        let latest = files.folder().join(LATEST);
        // A relative link is still valid after the folder is moved.
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new(created.name()));
        assert_eq!(fs::read(&latest).unwrap(), b"{}\n");
    }
    assert_eq!(names(files.folder()).len(), 4, "no temporary link is left");
}

#[test]
fn replaces_only_a_link() {
    let scratch = Scratch::new("files-no-link");
    let files = files(&scratch, 5);
    fs::create_dir_all(files.folder()).unwrap();
    let latest = files.folder().join(LATEST);
    fs::write(&latest, "mine").unwrap();
    let Ok(mut created) = files.create().unwrap().append(b"{}\n") else { panic!("no line") };
    let error = files.announce(&mut created).unwrap_err();
    assert!(error.to_string().contains("is not a link"), "{error}");
    assert_eq!(fs::read_to_string(&latest).unwrap(), "mine");
}

#[test]
fn probing_leaves_no_file() {
    let scratch = Scratch::new("files-try-out");
    let files = files(&scratch, 5);
    files.probe().unwrap();
    assert!(names(files.folder()).is_empty());
}

#[cfg(unix)]
#[test]
fn other_users_cannot_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("files-mode");
    let files = files(&scratch, 5);
    let created = create(&files);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&created.path), 0o600);
    assert_eq!(mode(files.folder()), 0o700);
    assert_eq!(mode(files.folder().parent().unwrap()), 0o700);
}

#[test]
fn a_claim_ends_with_its_file() {
    let scratch = Scratch::new("files-claim");
    let path = scratch.path().join("file");
    let file = private::create_file(&path).unwrap();
    assert!(private::claim(&file));
    private::remove_unclaimed(&path).unwrap();
    assert!(private::is_at(&file, &path));
    drop(file);
    private::remove_unclaimed(&path).unwrap();
    assert!(!path.exists());
}
