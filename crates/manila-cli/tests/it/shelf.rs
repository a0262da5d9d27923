//! A pack of a test's own, and the program behind it.

use serde_json::Value;

use crate::mcp::Client;
use crate::program::{Ran, Scratch, manila};

/// A pack of our own whose program is a script.
pub(crate) const SHELF: &str = r#"
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

/// What the program does; `$D` is a folder of the test's own.
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

/// The script on disk, and the pack around it.
pub(crate) struct Shelf {
    pub(crate) scratch: Scratch,
    pub(crate) work: String,
    pub(crate) pack: String,
}

impl Shelf {
    pub(crate) fn new(test: &str) -> Shelf {
        Shelf::with(test, SCRIPT)
    }

    pub(crate) fn with(test: &str, script: &str) -> Shelf {
        let scratch = Scratch::new(test);
        let note = scratch.file("work/notes.txt", "notes");
        let work = note.trim_end_matches("/notes.txt").to_owned();
        let folder = work.trim_end_matches("/work").to_owned();
        let program = executable(&scratch, "shelf", &script.replace("DIR", &folder));
        let pack = scratch.file("shelf.toml", SHELF.replace("PROGRAM", &program));
        Shelf { scratch, work, pack }
    }

    pub(crate) fn config(&self, more: &str) -> String {
        let Shelf { scratch, work, pack } = self;
        let text = format!("{more}\n[pack.shelf]\nfile = \"{pack}\"\nroots = [\"{work}\"]\n");
        scratch.file("manila.toml", text)
    }

    pub(crate) fn client(&self, more: &str) -> Client {
        let mut client = Client::started(&["serve", "--stdio", "--config", &self.config(more)]);
        client.greet("2025-11-25");
        client
    }

    /// How often the program was run with these arguments.
    pub(crate) fn n_ran(&self, arguments: &str) -> usize {
        let ran = std::fs::read_to_string(format!("{}/../ran", self.work)).unwrap_or_default();
        ran.lines().filter(|line| line.starts_with(arguments)).count()
    }

    pub(crate) fn go(&self) {
        self.scratch.file("go", "");
    }
}

/// A program of a test's own.
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
pub(crate) fn call(pack: &str, options: &[&str], action: &str) -> Ran {
    let action = format!("action={action}");
    manila(&[&["call", "shelf_book", "--arg", &action, "--pack", pack], options].concat(), b"")
}

/// What was printed.
#[track_caller]
pub(crate) fn envelope(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}
