//! Programs: an exit code, two output streams, and the diagnostics in them.

use super::{Classified, fail};
use crate::catalogue::Code;
use crate::diagnostics::Diagnosis;
use crate::observed::{Cancelled, Exited, TimedOut};
use crate::outcome::{
    Ended, Failure, NonEmpty, Notes, Payload, Run, Truncation, Warning, exit_message, milliseconds,
};

pub(super) fn classify_exited(exited: Exited, notes: &mut Notes) -> Classified {
    let Exited { command, code, stdout, stderr, diagnosis } = exited;
    let ended = if code == 0 {
        Ended::Done(Payload::Absent)
    } else {
        let known = Diagnosis::from_output(&stdout, &stderr);
        let Diagnosis { failures, n_omitted, is_unfinished, .. } =
            diagnosis.unwrap_or_default().merge(known);
        if n_omitted > 0 {
            note_truncation(format!("{n_omitted} more diagnostics are not listed"), notes);
        }
        if is_unfinished {
            note_truncation("the search for diagnostics ran out of time".to_owned(), notes);
        }
        let failures = NonEmpty::from_vec(failures).unwrap_or_else(|| {
            NonEmpty::one(Failure::new(Code::CommandFailed, exit_message(code)))
        });
        Ended::Failed { failures, partial: Payload::Absent }
    };
    Classified::from_ended(ended).with_run(Run {
        command,
        exit: Some(code),
        stdout,
        stderr,
        truncation: Truncation::Complete,
    })
}

/// M13: notes a truncation as metadata and as a warning, because some contracts carry only one of
/// the two.
fn note_truncation(message: String, notes: &mut Notes) {
    match notes.metadata.iter_mut().find(|(name, _)| name == "truncated") {
        Some((_, earlier)) => *earlier = format!("{earlier}; {message}"),
        None => notes.metadata.push(("truncated".to_owned(), message.clone())),
    }
    notes.warnings.push(Warning::with_code("CONTENT_TRUNCATED", message));
}

pub(super) fn classify_cancelled(cancelled: Cancelled) -> Classified {
    let Cancelled { command, stdout, truncation } = cancelled;
    let failure = Failure::new(Code::Cancelled, Code::Cancelled.entry().message);
    classify_stopped(failure, Run { command, stdout, truncation, ..Run::default() })
}

pub(super) fn classify_timed_out(timed_out: TimedOut) -> Classified {
    let TimedOut { after, command, stdout } = timed_out;
    let message = format!("The operation timed out after {} ms", milliseconds(after));
    classify_stopped(
        Failure::new(Code::Timeout, message),
        Run { command, stdout, ..Run::default() },
    )
}

/// Classifies a call that was stopped. It has a run only if a program is known to have run.
fn classify_stopped(failure: Failure, run: Run) -> Classified {
    let classified = Classified::from_ended(fail(failure, Payload::Absent));
    if run == Run::default() { classified } else { classified.with_run(run) }
}
