//! Running the real program, and finding the repository's files.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The output and the exit code of the program.
#[derive(Debug)]
pub(crate) struct RunOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

/// Starts `manila` with these arguments and all its streams piped.
pub(crate) fn start(args: &[&str]) -> Child {
    spawn(Command::new(env!("CARGO_BIN_EXE_manila")).args(args))
}

/// Does the same as `start`, after a shell has run `first`, e.g. `ulimit -Sn 64`.
pub(crate) fn start_after(first: &str, args: &[&str]) -> Child {
    let script = format!("{first}; exec \"$0\" \"$@\"");
    spawn(Command::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_manila")]).args(args))
}

fn spawn(command: &mut Command) -> Child {
    command
        .env("PATH", path_with_manila())
        // The journals of tests do not belong in the repository.
        .env("MANILA_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/home"))
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns a `PATH` that contains `manila`, because documents call it by its name.
#[allow(clippy::disallowed_methods, reason = "the one place where tests read the environment")]
fn path_with_manila() -> std::ffi::OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_manila")).parent().unwrap().to_path_buf();
    let current = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&current))).unwrap()
}

/// Runs `manila` with these arguments and this stdin.
pub(crate) fn manila(args: &[&str], stdin: &[u8]) -> RunOutput {
    finish(start(args), stdin)
}

/// Does the same as `manila` without stdin, with arguments that need not be UTF-8.
pub(crate) fn manila_with(args: &[&OsStr]) -> RunOutput {
    finish(spawn(Command::new(env!("CARGO_BIN_EXE_manila")).args(args)), b"")
}

fn finish(mut child: Child, stdin: &[u8]) -> RunOutput {
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // A program that fails early does not read all its input.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    RunOutput {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().expect("the program was not killed"),
    }
}

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The files directly below a folder of the repository, sorted.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|_| panic!("no {folder}"));
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns whether tests write generated files instead of checking them.
#[allow(clippy::disallowed_methods, reason = "the one place where tests read the environment")]
pub(crate) fn is_update() -> bool {
    std::env::var("UPDATE").is_ok()
}

/// Checks a generated file, or writes it when `UPDATE=1` is set.
#[track_caller]
pub(crate) fn check_generated(path: &Path, expected: &str) {
    if is_update() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "{} is out of date; run the test with UPDATE=1 and review the change with git diff",
        path.display()
    );
}

/// A temporary folder of one test, which is removed when the test ends.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder; `test` is part of its name.
    pub(crate) fn new(test: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("manila-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The system removes temporary files that cannot be removed here.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
