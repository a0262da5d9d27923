//! What conversions lost: told to people, or kept in a file for scripts.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use manila::{Contract, Converted, Loss};
use serde::Serialize;

use super::Args;
use crate::refusal::{Refusal, note};

/// How losses are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// To people: each of them once.
    Notes,
    /// To scripts: those of each envelope.
    Json,
}

/// What some envelopes lost.
#[derive(Default)]
pub(super) struct Losses {
    seen: Vec<Seen>,
    json: Vec<u8>,
}

/// A loss, and how often it occurred.
pub(super) struct Seen {
    from: Contract,
    loss: Loss,
    /// The first line with it, where envelopes stand on lines.
    first: Option<u64>,
    n: u64,
}

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
    /// Adds what one envelope lost.
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
                    add(&mut self.seen, *from, loss, line, 1);
                }
            }
            Kind::Json => {
                let losses = reply
                    .losses
                    .iter()
                    .map(|loss| RowLoss { what: loss.what.to_string(), why: loss.why.to_string() });
                let losses = losses.collect();
                let row = Row { line, from: from.id(), to: to.id(), losses };
                // Strings and numbers can always be written into memory.
                let _ = serde_json::to_writer(&mut self.json, &row);
                self.json.push(b'\n');
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seen.is_empty() && self.json.is_empty()
    }
}

/// Counts a loss; whether it was not known before.
fn add(seen: &mut Vec<Seen>, from: Contract, loss: &Loss, first: Option<u64>, n: u64) -> bool {
    let known = seen.iter_mut().find(|seen| seen.from == from && seen.loss == *loss);
    if let Some(known) = known {
        known.n += n;
        return false;
    }
    seen.push(Seen { from, loss: loss.clone(), first, n });
    true
}

/// Tells losses as they come, or writes them.
pub(super) enum Keeper {
    Notes { to: Contract, seen: Vec<Seen> },
    File { name: String, file: File },
}

impl Keeper {
    /// With a file, that file is written anew.
    pub(super) fn new(args: &Args) -> Result<Keeper, Refusal> {
        let Some(path) = args.losses.as_deref() else {
            return Ok(Keeper::Notes { to: args.to, seen: Vec::new() });
        };
        if path == Path::new("-") {
            let message =
                "--losses wants a file, but `-` is standard output, which is for envelopes";
            let hint = "name a file, or leave --losses out: then losses are told on standard error";
            return Err(Refusal::new(message, hint));
        }
        let name = format!("`{}`", path.display());
        let read =
            [("input", args.input.is_file(path)), ("configuration", args.config.is_file(path))];
        if let Some((what, _)) = read.into_iter().find(|(_, is_it)| *is_it) {
            let message = format!("--losses would write over the {what} {name}");
            return Err(Refusal::new(message, "name another file"));
        }
        let file = File::create(path).map_err(|error| unwritable(&name, &error))?;
        Ok(Keeper::File { name, file })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Keeper::Notes { .. } => Kind::Notes,
            Keeper::File { .. } => Kind::Json,
        }
    }

    /// Tells what is new, or writes all.
    pub(super) fn take(&mut self, losses: &Losses) -> anyhow::Result<()> {
        match self {
            Keeper::Notes { to, seen } => {
                for Seen { from, loss, first, n } in &losses.seen {
                    if add(seen, *from, loss, *first, *n) {
                        let place = first.map(|line| format!("line {line}, ")).unwrap_or_default();
                        note(&format!("{place}{from} to {to}: {loss}"));
                    }
                }
                Ok(())
            }
            Keeper::File { name, file } => {
                Ok(file.write_all(&losses.json).map_err(|error| unwritable(name, &error))?)
            }
        }
    }

    /// Tells how often each loss occurred.
    pub(super) fn finish(self) {
        let Keeper::Notes { to, seen } = self else { return };
        for Seen { from, loss, first: _, n } in seen.iter().filter(|seen| seen.n > 1) {
            note(&format!("in {n} lines, {from} to {to}: {loss}"));
        }
    }
}

fn unwritable(name: &str, error: &io::Error) -> Refusal {
    let hint = "check the path of --losses, who may write there, and that the disk has room";
    Refusal::new(format!("cannot write {name}: {error}"), hint)
}
