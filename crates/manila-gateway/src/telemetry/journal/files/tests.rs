use std::fs::{self, File};
use std::path::Path;

use super::{Files, LATEST, is_own_name};
use crate::telemetry::journal::tests::Scratch;
use manila_process::os::private;

const ID: &str = "0190a6d2-7a52-7c3e-9d55-5b2b8a4e1f00";

fn name(second: u8) -> String {
    format!("envelope_validation.20200101T0000{second:02}Z.{ID}.jsonl")
}

fn files(scratch: &Scratch, files_max: usize) -> Files {
    Files::new(scratch.path().join("runs/mcp_server"), files_max)
}

/// Begins a file, writes a line and announces it.
fn begin(files: &Files) -> super::Begun {
    let begun = files.begin().unwrap().append(b"{}\n");
    let Ok(mut begun) = begun else { panic!("the line is not written") };
    files.announce(&mut begun).unwrap();
    begun
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn own_names_are_known_and_no_others() {
    assert!(is_own_name(&super::fresh_name()));
    assert!(is_own_name(&name(7)));
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
        assert!(!is_own_name(&other), "{other}");
    }
}

#[test]
fn the_oldest_go_and_nothing_else_is_touched() {
    let scratch = Scratch::new("files-oldest");
    let files = files(&scratch, 3);
    let folder = files.folder().to_path_buf();
    fs::create_dir_all(&folder).unwrap();
    let foreign = ["notes.txt".to_owned(), format!("{}.bak", name(1)), name(2).to_uppercase()];
    for name in foreign.iter().chain([&name(3), &name(4), &name(5), &name(6)]) {
        File::create(folder.join(name)).unwrap();
    }
    // Our name, but no file.
    fs::create_dir(folder.join(name(0))).unwrap();
    let begun = begin(&files);
    let found = names(&folder);
    for kept in foreign.iter().chain([&name(0), &name(5), &name(6)]) {
        assert!(found.contains(kept), "{kept} is missing in {found:?}");
    }
    assert_eq!(found.len(), foreign.len() + 5, "{found:?}");
    assert!(begun.is_there());
}

#[test]
fn what_somebody_writes_is_not_removed() {
    let scratch = Scratch::new("files-claimed");
    let files = files(&scratch, 1);
    let others: Vec<_> = (0..3).map(|_| begin(&files)).collect();
    let last = begin(&files);
    assert!(others.iter().chain([&last]).all(super::Begun::is_there));
    drop(others);
    let last = (last, begin(&files));
    assert_eq!(names(files.folder()).len(), 3, "the two that are written, and the link");
    drop(last);
}

#[test]
fn files_of_one_second_are_in_order() {
    let scratch = Scratch::new("files-order");
    let files = files(&scratch, 2);
    for _ in 0..20 {
        let before = begin(&files).path;
        let begun = begin(&files);
        let both = [before.file_name().unwrap(), begun.name()];
        let found = names(files.folder());
        assert_eq!(found, [both[0].to_str().unwrap(), both[1].to_str().unwrap(), LATEST]);
    }
}

#[test]
fn the_link_leads_to_the_file_that_was_begun_last() {
    let scratch = Scratch::new("files-link");
    let files = files(&scratch, 5);
    for _ in 0..3 {
        let begun = begin(&files);
        let latest = files.folder().join(LATEST);
        // It stays right where the folder is moved.
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new(begun.name()));
        assert_eq!(fs::read(&latest).unwrap(), b"{}\n");
    }
    assert_eq!(names(files.folder()).len(), 4, "no temporary link is left");
}

#[test]
fn what_is_no_link_is_not_replaced() {
    let scratch = Scratch::new("files-no-link");
    let files = files(&scratch, 5);
    fs::create_dir_all(files.folder()).unwrap();
    let latest = files.folder().join(LATEST);
    fs::write(&latest, "mine").unwrap();
    let Ok(mut begun) = files.begin().unwrap().append(b"{}\n") else { panic!("no line") };
    let refused = files.announce(&mut begun).unwrap_err();
    assert!(refused.to_string().contains("is no link"), "{refused}");
    assert_eq!(fs::read_to_string(&latest).unwrap(), "mine");
}

#[test]
fn trying_out_leaves_nothing_behind() {
    let scratch = Scratch::new("files-try-out");
    let files = files(&scratch, 5);
    files.try_out().unwrap();
    assert!(names(files.folder()).is_empty());
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_them() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("files-mode");
    let files = files(&scratch, 5);
    let begun = begin(&files);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&begun.path), 0o600);
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
