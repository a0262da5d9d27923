//! Turns each line of an input into an envelope on its own line: on all cores, in order.

use bytes::Bytes;
use manila::RawJson;

use crate::blocks::{Block, Line};
use crate::input::InputArgs;
use crate::output::Output;
use crate::parallel::{Job, run_in_order};
use crate::progress::Progress;
use crate::refusal::{Refusal, print_error, print_note};

/// The number of bad lines that are reported one by one; the others are counted.
const REPORTED_MAX: usize = 1000;

/// The error in a line, with a hint.
pub(crate) struct BadLine {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// The number of lines, and of bad lines.
pub(crate) struct Count {
    n_lines: u64,
    n_bad: u64,
}

/// The result of a block of lines.
struct BlockOutput<A> {
    envelopes: Vec<u8>,
    /// What `work` collected beside the envelopes.
    aside: A,
    reported: Vec<BadLine>,
    count: Count,
    n_bytes: usize,
}

/// Replaces every line with the envelope that `work` returns for it.
///
/// A blank line stays blank; a bad line becomes blank and is reported. `work` can collect something
/// beside the envelopes of each block, which `handle_aside` receives in order.
pub(crate) fn map_lines<A: Default + Send + 'static>(
    input: &InputArgs,
    out: &mut Output,
    work: impl Fn(u64, Bytes, &mut A) -> Result<RawJson, BadLine> + Send + Sync + 'static,
    mut handle_aside: impl FnMut(A, &Progress) -> anyhow::Result<()>,
) -> anyhow::Result<Count> {
    let (blocks, size) = input.blocks()?;
    let mut progress = Progress::start(size);
    let jobs = blocks.map(|block| {
        let n_bytes = block.as_ref().map_or(0, Block::n_bytes);
        Job { what: block, n_bytes: n_bytes as u64 }
    });
    let too_long = too_long(input);
    let mut results = run_in_order(jobs, move |block: Result<Block, Refusal>| {
        Ok::<_, Refusal>(map_block(block?, &too_long, &work))
    })?;
    let (mut total, mut n_reported) = (Count { n_lines: 0, n_bad: 0 }, 0);
    while let Some(done) = results.next()? {
        let BlockOutput { envelopes, aside, reported, count, n_bytes } = done?;
        out.raw(&envelopes)?;
        let left = REPORTED_MAX - n_reported;
        if !reported.is_empty() && left > 0 {
            progress.suspend(|| {
                reported.iter().take(left).for_each(|bad| print_error(&bad.message, &bad.hint));
            });
            n_reported += reported.len().min(left);
        }
        handle_aside(aside, &progress)?;
        total.n_lines += count.n_lines;
        total.n_bad += count.n_bad;
        progress.advance(n_bytes);
        // The writer of a pipe may wait for this result before it sends the next line.
        if results.may_wait() {
            out.flush()?;
        }
    }
    Ok(total)
}

fn map_block<A: Default>(
    block: Block,
    too_long: &impl Fn(u64) -> BadLine,
    work: &impl Fn(u64, Bytes, &mut A) -> Result<RawJson, BadLine>,
) -> BlockOutput<A> {
    let n_bytes = block.n_bytes();
    let mut done = BlockOutput {
        envelopes: Vec::with_capacity(n_bytes),
        aside: A::default(),
        reported: Vec::new(),
        count: Count { n_lines: 0, n_bad: 0 },
        n_bytes,
    };
    for Line { number, text } in block {
        done.count.n_lines += 1;
        let mapped = match text {
            Some(text) if text.trim_ascii().is_empty() => None,
            Some(text) => Some(work(number, text, &mut done.aside)),
            None => Some(Err(too_long(number))),
        };
        match mapped {
            Some(Ok(envelope)) => done.envelopes.extend_from_slice(&envelope.compact()),
            Some(Err(bad)) => {
                done.count.n_bad += 1;
                if done.reported.len() < REPORTED_MAX {
                    done.reported.push(bad);
                }
            }
            None => {}
        }
        done.envelopes.push(b'\n');
    }
    done
}

fn too_long(input: &InputArgs) -> impl Fn(u64) -> BadLine + Send + Sync + 'static {
    let (name, limit) = (input.name(), input.bytes_max());
    move |number| BadLine {
        message: format!("{name}, line {number} exceeds the limit of {limit} bytes"),
        hint: "raise the limit with `--bytes-max`".to_owned(),
    }
}

impl Count {
    /// Returns whether there was no bad line.
    pub(crate) fn is_good(&self) -> bool {
        self.n_bad == 0
    }

    /// Prints how many lines could not be `done`, e.g. `sealed`, if any.
    pub(crate) fn report(&self, done: &str) {
        let Count { n_lines, n_bad } = self;
        if self.is_good() {
            return;
        }
        let listed = if *n_bad > REPORTED_MAX as u64 {
            format!("; the first {REPORTED_MAX} are listed above")
        } else {
            String::new()
        };
        print_note(&format!("{n_bad} of {n_lines} lines could not be {done}{listed}"));
    }
}
