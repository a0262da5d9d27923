//! A pack for tests, and the program that it runs.

use serde_json::Value;

use crate::mcp::Client;
use crate::program::{RunOutput, Scratch, manila};

/// A pack whose program is a script.
pub(crate) const TEST_PACK: &str = r#"
name = "shelf"
about = "Books on a shelf"
program = "PROGRAM"

[missing]
feature = "shelf CLI"
alternatives = ["Buy a shelf"]

[probe]
arguments = ["--version"]
version = '^shelf (\d+\.\d+)'

[progress]
pattern = '^\[(?<done>\d+)/(?<total>\d+)\] (?<message>.+)'

[[diagnostic]]
pattern = """^(?<severity>bad|warning) (?<code>[A-Z]\\d+) at \
  (?<file>\\S+):(?<line>\\d+):(?<column>\\d+): (?<message>.+)"""
category = "Build"
link = "https://example.org/{code}"

[[tool]]
name = "book"
about = "One book"

[[tool.parameter]]
name = "title"
about = "The title"
characters = "A-Za-z0-9 ._-"

[[tool.parameter]]
name = "file"
about = "The file"
type = "path"

[[tool.parameter]]
name = "rest"
about = "Anything"
type = "strings"

[[tool.action]]
name = "Read"
about = "Reads it."
arguments = ["read", "{title}", "{file}", "-- {?rest}", "{rest}"]

[[tool.action]]
name = "WriteIt"
about = "Writes it."
arguments = ["write", "{file}"]
effect = "writes"
target = "file"

[[tool.action]]
name = "Burn"
about = "Burns all."
arguments = ["burn"]
effect = "global"

[[tool.action]]
name = "Newer"
about = "For newer shelves."
arguments = ["newer"]
minimum = "9.0"

[[tool.action]]
name = "Quick"
about = "Does not take long."
arguments = ["hang"]
timeout = "3s"
"#;

/// The program; `$D` is the test's temporary folder.
const SCRIPT: &str = r#"#!/bin/sh
D="DIR"
[ "$1" = write ] && echo $$ > "$D/pid"
echo "$*" >> "$D/ran"
case "$1" in
--version) echo "shelf 2.5" ;;
read) echo "reading $*" ;;
write) echo "writing"; while [ ! -e "$D/go" ]; do sleep 0.02; done; echo "written" ;;
burn) while [ ! -e "$D/go" ]; do sleep 0.02; done; echo "burnt" ;;
hang) echo "begun"; echo $$ > "$D/pid"; sleep 100 ;;
newer) echo "newer" ;;
esac
"#;

/// The script on disk, and its pack.
pub(crate) struct TestPack {
    pub(crate) scratch: Scratch,
    pub(crate) work: String,
    pub(crate) pack: String,
}

impl TestPack {
    pub(crate) fn new(test: &str) -> TestPack {
        TestPack::with(test, SCRIPT)
    }

    pub(crate) fn with(test: &str, script: &str) -> TestPack {
        let scratch = Scratch::new(test);
        let note = scratch.file("work/notes.txt", "notes");
        let work = note.trim_end_matches("/notes.txt").to_owned();
        let folder = work.trim_end_matches("/work").to_owned();
        let program = executable(&scratch, "shelf", &script.replace("DIR", &folder));
        let pack = scratch.file("shelf.toml", TEST_PACK.replace("PROGRAM", &program));
        TestPack { scratch, work, pack }
    }

    pub(crate) fn config(&self, more: &str) -> String {
        let TestPack { scratch, work, pack } = self;
        let text = format!("{more}\n[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\n");
        scratch.file("manila.toml", text)
    }

    pub(crate) fn client(&self, more: &str) -> Client {
        let mut client =
            Client::start_manila(&["serve", "--stdio", "--config", &self.config(more)]);
        client.handshake("2025-11-25");
        client
    }

    /// Returns how often the program was run with arguments that start like this.
    pub(crate) fn count_runs(&self, arguments: &str) -> usize {
        let ran = std::fs::read_to_string(format!("{}/../ran", self.work)).unwrap_or_default();
        ran.lines().filter(|line| line.starts_with(arguments)).count()
    }

    pub(crate) fn create_go_file(&self) {
        self.scratch.file("go", "");
    }
}

/// Writes an executable script and returns its path.
pub(crate) fn executable(scratch: &Scratch, name: &str, script: &str) -> String {
    let path = scratch.file(name, script);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&path, permissions).unwrap();
    path
}

/// The text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// Calls an action of the pack in this file.
pub(crate) fn call(pack: &str, options: &[&str], action: &str) -> RunOutput {
    let action = format!("action={action}");
    manila(&[&["call", "shelf_book", "--arg", &action, "--pack", pack], options].concat(), b"")
}

/// Parses the printed envelope.
#[track_caller]
pub(crate) fn envelope(ran: &RunOutput) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}
