//! Programs: an exit code, two streams, and the diagnostics in them.

use super::{Seen, failed};
use crate::catalogue::Code;
use crate::diagnostics::Diagnosed;
use crate::observed::{Cancelled, Exited, TimedOut};
use crate::outcome::{
    Cut, Ended, Failure, NonEmpty, Notes, Payload, Run, Warning, exit_message, milliseconds,
};

pub(super) fn exited(exited: Exited, notes: &mut Notes) -> Seen {
    let Exited { command, code, stdout, stderr, diagnosed } = exited;
    let ended = if code == 0 {
        Ended::Done(Payload::Absent)
    } else {
        let known = Diagnosed::in_output(&stdout, &stderr);
        let Diagnosed { failures, n_untold, is_unfinished, .. } =
            diagnosed.unwrap_or_default().and(known);
        if n_untold > 0 {
            not_told(format!("{n_untold} more diagnostics are not listed"), notes);
        }
        if is_unfinished {
            not_told("there was no time to look for all diagnostics".to_owned(), notes);
        }
        let failures = NonEmpty::from_vec(failures).unwrap_or_else(|| {
            NonEmpty::one(Failure::new(Code::CommandFailed, exit_message(code)))
        });
        Ended::Failed { failures, partial: Payload::Absent }
    };
    Seen::ended(ended).with_run(Run { command, exit: Some(code), stdout, stderr, cut: Cut::Whole })
}

/// M13: said in a way that every contract has a place for.
fn not_told(message: String, notes: &mut Notes) {
    match notes.metadata.iter_mut().find(|(name, _)| name == "truncated") {
        Some((_, told)) => *told = format!("{told}; {message}"),
        None => notes.metadata.push(("truncated".to_owned(), message.clone())),
    }
    notes.warnings.push(Warning::coded("CONTENT_TRUNCATED", message));
}

pub(super) fn cancelled(cancelled: Cancelled) -> Seen {
    let Cancelled { command, stdout, cut } = cancelled;
    let failure = Failure::new(Code::Cancelled, Code::Cancelled.entry().message);
    stopped(failure, Run { command, stdout, cut, ..Run::default() })
}

pub(super) fn timed_out(timed_out: TimedOut) -> Seen {
    let TimedOut { after, command, stdout } = timed_out;
    let message = format!("The operation timed out after {} ms", milliseconds(after));
    stopped(Failure::new(Code::Timeout, message), Run { command, stdout, ..Run::default() })
}

/// A call that was stopped. It has a run only if a program is known to have run.
fn stopped(failure: Failure, run: Run) -> Seen {
    let seen = Seen::ended(failed(failure, Payload::Absent));
    if run == Run::default() { seen } else { seen.with_run(run) }
}
