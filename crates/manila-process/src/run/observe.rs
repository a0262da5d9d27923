//! Conversion of a program's run to an observation.

use std::path::Path;

use manila::{
    Cancelled, Code, Exited, Failed, Notes, Observation, Observed, Payload, TimedOut, Truncation,
    Unavailable, Warning,
};

use super::text::TRUNCATED;
use super::{Captured, Changes, End, ProgramRun};
use crate::os::signal_name;

/// The report about a missing program (M9).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingProgram {
    /// The name of the missing program, for people.
    pub feature: String,
    /// What the caller can do instead.
    pub alternatives: Vec<String>,
}

impl MissingProgram {
    /// Creates the default report for a program.
    #[must_use]
    pub fn of_program(name: &str) -> MissingProgram {
        let is_bare = !name.contains(std::path::MAIN_SEPARATOR);
        let alternatives = if Path::new(name).is_file() && is_bare {
            vec![
                format!("Run the file in this folder as `./{name}`"),
                format!("Install `{name}`, or check that it is on PATH"),
            ]
        } else if Path::new(name).is_file() {
            vec![
                format!("Make `{name}` executable: chmod +x"),
                "Check that the program in its first line, after #!, exists".to_owned(),
            ]
        } else if !is_bare {
            vec![format!("Check the path `{name}`")]
        } else {
            vec![
                format!("Install `{name}`, or check the spelling"),
                format!("Check that `{name}` is on PATH and may be executed"),
            ]
        };
        MissingProgram { feature: name.to_owned(), alternatives }
    }
}

/// The number that shells add to a signal's number to form an exit code.
const SIGNAL_EXIT_BASE: i64 = 128;

impl ProgramRun {
    /// Converts the run to an observation. `missing` describes the program if it did not start.
    #[must_use]
    pub fn observation(self, missing: MissingProgram) -> Observation {
        let ProgramRun { command, end, duration, stdout, stderr } = self;
        let mut notes = Notes::default();
        note(&mut notes, "stdout", &stdout);
        note(&mut notes, "stderr", &stderr);
        let exited = |code, stdout: Captured, stderr: Captured| {
            let (stdout, stderr) = (stdout.text, stderr.text);
            let command = Some(command.clone());
            Observed::Exited(Exited { command, code, stdout, stderr, diagnosis: None })
        };
        let observed = match end {
            End::Exited(code) => exited(code.into(), stdout, stderr),
            End::Signalled(signal) => {
                let name = signal_name(signal).map_or(signal.to_string(), str::to_owned);
                notes.metadata.push(("signal".to_owned(), name));
                exited(SIGNAL_EXIT_BASE + i64::from(signal), stdout, stderr)
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
                stdout: join_streams(stdout, &stderr),
            }),
            End::Lost => {
                let message = "The program's exit status is unknown: its keeper was killed";
                let mut failed = Failed::new(Code::ToolFailed, message);
                failed.partial = Payload::Text(join_streams(stdout, &stderr));
                Observed::Failed(Box::new(failed))
            }
            End::Cancelled => {
                // The text itself has a marker where output was removed.
                let truncation = Truncation::Complete;
                let stdout = join_streams(stdout, &stderr);
                Observed::Cancelled(Cancelled { command: Some(command), stdout, truncation })
            }
        };
        let mut observation = Observation::new(observed);
        observation.call.duration = Some(duration);
        observation.notes = notes;
        observation
    }
}

/// Joins the streams of a program that was stopped: its observation has room for only one text.
fn join_streams(stdout: Captured, stderr: &Captured) -> String {
    let mut text = stdout.text;
    if !stderr.text.is_empty() && !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&stderr.text);
    text
}

/// Notes how a stream was changed, both as metadata and as a warning, so that every contract can
/// report it (M13).
fn note(notes: &mut Notes, stream: &str, captured: &Captured) {
    let Captured { text, n_bytes, changes } = captured;
    let Changes { is_cut, is_lossy, is_binary } = changes;
    let mut warn = |key: &str, code: &'static str, message: String| {
        match notes.metadata.iter_mut().find(|(known, _)| known == key) {
            Some((_, messages)) => *messages = format!("{messages}; {message}"),
            None => notes.metadata.push((key.to_owned(), message.clone())),
        }
        notes.warnings.push(Warning::with_code(code, message));
    };
    if *is_cut {
        let kept = if text == TRUNCATED {
            "nothing is kept: the lines are too long for the limit"
        } else {
            "the beginning, the end, and lines about failures are kept"
        };
        let message = format!("{stream}: of {n_bytes} bytes, {kept}");
        warn("truncated", "CONTENT_TRUNCATED", message);
    }
    if *is_binary {
        warn(
            "binary",
            "CONTENT_BINARY",
            format!("{stream}: {n_bytes} bytes of binary output are not shown"),
        );
    }
    if *is_lossy {
        let message = format!("{stream}: invalid UTF-8 is shown as replacement characters");
        warn("encoding", "CONTENT_NOT_UTF8", message);
    }
}
