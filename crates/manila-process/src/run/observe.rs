//! What became of a program, in the words of the pipeline.

use std::path::Path;

use manila::{
    Cancelled, Code, Cut, Exited, Failed, Notes, Observation, Observed, Payload, TimedOut,
    Unavailable, Warning,
};

use super::text::TRUNCATED;
use super::{Captured, Changes, End, Ran};
use crate::os::signal_name;

/// What is said of a program that is not there (M9).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// What is missing, for people.
    pub feature: String,
    /// What can be done.
    pub alternatives: Vec<String>,
}

impl Missing {
    /// What can be said of any program.
    #[must_use]
    pub fn of_program(name: &str) -> Missing {
        let is_bare = !name.contains(std::path::MAIN_SEPARATOR);
        let alternatives = if Path::new(name).is_file() && is_bare {
            vec![
                format!("Run the file in this folder as `./{name}`"),
                format!("Install `{name}`, or check that it is on PATH"),
            ]
        } else if Path::new(name).is_file() {
            vec![
                format!("Make `{name}` executable: chmod +x"),
                "Check that the program in its first line, after #!, is there".to_owned(),
            ]
        } else if !is_bare {
            vec![format!("Check the path `{name}`")]
        } else {
            vec![
                format!("Install `{name}`, or check the spelling"),
                format!("Check that `{name}` is on PATH and may be executed"),
            ]
        };
        Missing { feature: name.to_owned(), alternatives }
    }
}

/// What shells add to a signal's number to make it an exit code.
const BY_SIGNAL: i64 = 128;

impl Ran {
    /// What was seen of the program. `missing` is what is said where it could not be started.
    #[must_use]
    pub fn observation(self, missing: Missing) -> Observation {
        let Ran { command, end, duration, stdout, stderr } = self;
        let mut notes = Notes::default();
        note(&mut notes, "stdout", &stdout);
        note(&mut notes, "stderr", &stderr);
        let exited = |code, stdout: Captured, stderr: Captured| {
            let (stdout, stderr) = (stdout.text, stderr.text);
            let command = Some(command.clone());
            Observed::Exited(Exited { command, code, stdout, stderr, diagnosed: None })
        };
        let observed = match end {
            End::Exited(code) => exited(code.into(), stdout, stderr),
            End::Signalled(signal) => {
                let name = signal_name(signal).map_or(signal.to_string(), str::to_owned);
                notes.metadata.push(("signal".to_owned(), name));
                exited(BY_SIGNAL + i64::from(signal), stdout, stderr)
            }
            End::NotStarted(reason) => Observed::Unavailable(Unavailable {
                feature: missing.feature,
                reason: None,
                command: Some(command),
                details: Some(reason),
                alternatives: missing.alternatives,
            }),
            End::TimedOut(after) => Observed::TimedOut(TimedOut {
                after,
                command: Some(command),
                stdout: together(stdout, &stderr),
            }),
            End::Lost => {
                let message = "Nobody knows how the program ended: its keeper was killed";
                let mut failed = Failed::new(Code::ToolFailed, message);
                failed.partial = Payload::Text(together(stdout, &stderr));
                Observed::Failed(Box::new(failed))
            }
            End::Cancelled => {
                // What was cut has its mark where that was.
                let cut = Cut::Whole;
                let stdout = together(stdout, &stderr);
                Observed::Cancelled(Cancelled { command: Some(command), stdout, cut })
            }
        };
        let mut observation = Observation::new(observed);
        observation.call.duration = Some(duration);
        observation.notes = notes;
        observation
    }
}

/// What a program that was stopped had said: where only one stream counts, neither is lost.
fn together(stdout: Captured, stderr: &Captured) -> String {
    let mut text = stdout.text;
    if !stderr.text.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&stderr.text);
    text
}

/// Says what was changed about a stream, in a way that every contract has a place for (M13).
fn note(notes: &mut Notes, stream: &str, captured: &Captured) {
    let Captured { text, n_bytes, changes } = captured;
    let Changes { is_cut, is_mended, is_binary } = changes;
    let mut say = |key: &str, code: &'static str, message: String| {
        match notes.metadata.iter_mut().find(|(known, _)| known == key) {
            Some((_, told)) => *told = format!("{told}; {message}"),
            None => notes.metadata.push((key.to_owned(), message.clone())),
        }
        notes.warnings.push(Warning::coded(code, message));
    };
    if *is_cut {
        let what = if text == TRUNCATED {
            "nothing is there: its lines are too long for the limit"
        } else {
            "the beginning, the end, and lines about failures are there"
        };
        let message = format!("{stream}: of {n_bytes} bytes, {what}");
        say("truncated", "CONTENT_TRUNCATED", message);
    }
    if *is_binary {
        say(
            "binary",
            "CONTENT_BINARY",
            format!("{stream}: {n_bytes} bytes are no text, and not shown"),
        );
    }
    if *is_mended {
        let message = format!("{stream}: what is no UTF-8 is shown as replacement characters");
        say("encoding", "CONTENT_NOT_UTF8", message);
    }
}
