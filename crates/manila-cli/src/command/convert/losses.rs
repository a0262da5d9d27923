//! Losses of conversions: notes for people, or a file for scripts.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use manila::{Contract, Converted, Loss};
use serde::Serialize;

use super::Args;
use crate::refusal::{Refusal, print_note};

/// The format of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Notes: each loss once.
    Notes,
    /// JSON lines: the losses of each envelope.
    Json,
}

/// Losses of a block of envelopes.
#[derive(Default)]
pub(super) struct Losses {
    counts: Vec<LossCount>,
    json: Vec<u8>,
}

/// A loss and its count.
pub(super) struct LossCount {
    from: Contract,
    loss: Loss,
    /// First line with this loss, if envelopes are on lines.
    first: Option<u64>,
    n: u64,
}

/// The losses of an envelope as JSON.
#[derive(Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    from: &'static str,
    to: &'static str,
    losses: Vec<RowLoss>,
}

#[derive(Serialize)]
struct RowLoss {
    what: String,
    why: String,
}

impl Losses {
    /// Adds the losses of one envelope.
    pub(super) fn add(
        &mut self,
        line: Option<u64>,
        converted: &Converted,
        kind: Kind,
        to: Contract,
    ) {
        let Converted { from, reply, .. } = converted;
        if reply.losses.is_empty() {
            return;
        }
        match kind {
            Kind::Notes => {
                for loss in &reply.losses {
                    add(&mut self.counts, *from, loss, line, 1);
                }
            }
            Kind::Json => {
                let losses = reply
                    .losses
                    .iter()
                    .map(|loss| RowLoss { what: loss.what.to_string(), why: loss.why.to_string() });
                let losses = losses.collect();
                let row = Row { line, from: from.id(), to: to.id(), losses };
                // Writing strings and numbers to memory cannot fail.
                let _ = serde_json::to_writer(&mut self.json, &row);
                self.json.push(b'\n');
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.json.is_empty()
    }
}

/// Counts a loss, and returns whether it is new.
fn add(seen: &mut Vec<LossCount>, from: Contract, loss: &Loss, first: Option<u64>, n: u64) -> bool {
    let known = seen.iter_mut().find(|seen| seen.from == from && seen.loss == *loss);
    if let Some(known) = known {
        known.n += n;
        return false;
    }
    seen.push(LossCount { from, loss: loss.clone(), first, n });
    true
}

/// Prints losses as they occur, or writes them to a file.
pub(super) enum LossSink {
    Notes { to: Contract, seen: Vec<LossCount> },
    File { name: String, file: File },
}

impl LossSink {
    /// Creates the sink; an existing file is overwritten.
    pub(super) fn new(args: &Args) -> Result<LossSink, Refusal> {
        let Some(path) = args.losses.as_deref() else {
            return Ok(LossSink::Notes { to: args.to, seen: Vec::new() });
        };
        if path == Path::new("-") {
            let message = "--losses must be a file; `-` is stdout, which is for envelopes";
            let hint = "pass a file, or remove --losses to report losses on stderr";
            return Err(Refusal::new(message, hint));
        }
        let name = format!("`{}`", path.display());
        let sources =
            [("input", args.input.is_file(path)), ("configuration", args.config.is_file(path))];
        if let Some((what, _)) = sources.into_iter().find(|(_, is_it)| *is_it) {
            let message = format!("--losses would overwrite the {what} {name}");
            return Err(Refusal::new(message, "pass another file"));
        }
        let file = File::create(path).map_err(|error| unwritable(&name, &error))?;
        Ok(LossSink::File { name, file })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            LossSink::Notes { .. } => Kind::Notes,
            LossSink::File { .. } => Kind::Json,
        }
    }

    /// Prints the new losses, or writes all of them.
    pub(super) fn take(&mut self, losses: &Losses) -> anyhow::Result<()> {
        match self {
            LossSink::Notes { to, seen } => {
                for LossCount { from, loss, first, n } in &losses.counts {
                    if add(seen, *from, loss, *first, *n) {
                        let place = first.map(|line| format!("line {line}: ")).unwrap_or_default();
                        print_note(&format!("{place}{} (from {from})", loss.describe(to.id())));
                    }
                }
                Ok(())
            }
            LossSink::File { name, file } => {
                Ok(file.write_all(&losses.json).map_err(|error| unwritable(name, &error))?)
            }
        }
    }

    /// Prints how often each loss occurred.
    pub(super) fn finish(self) {
        let LossSink::Notes { to, seen } = self else { return };
        for LossCount { from, loss, first: _, n } in seen.iter().filter(|seen| seen.n > 1) {
            print_note(&format!("in {n} lines: {} (from {from})", loss.describe(to.id())));
        }
    }
}

fn unwritable(name: &str, error: &io::Error) -> Refusal {
    let hint = "check the path of --losses, its permissions and the free disk space";
    Refusal::new(format!("cannot write {name}: {error}"), hint)
}
