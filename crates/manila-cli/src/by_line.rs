//! One value on each line in, one envelope on each line out: on all cores, in order.

use bytes::Bytes;
use manila::RawJson;

use crate::blocks::{Block, Line};
use crate::input::InputArgs;
use crate::output::Output;
use crate::parallel::{Job, in_order};
use crate::progress::Progress;
use crate::refusal::{Refusal, note, tell};

/// How many bad lines are told one by one; the others are counted.
const TOLD_MAX: usize = 1000;

/// What is wrong with a line, and the next step.
pub(crate) struct BadLine {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// How many lines there were.
pub(crate) struct Count {
    n_lines: u64,
    n_bad: u64,
}

/// What the lines of a block became.
struct Done<A> {
    envelopes: Vec<u8>,
    /// What is to be said beside the envelopes.
    aside: A,
    told: Vec<BadLine>,
    count: Count,
    n_bytes: usize,
}

/// Turns every line into what `work` makes of it. A blank line stays blank, and a bad one becomes
/// blank and is told. `work` may put something aside for each block; `aside` gets it, in order.
pub(crate) fn by_line<A: Default + Send + 'static>(
    input: &InputArgs,
    out: &mut Output,
    work: impl Fn(u64, Bytes, &mut A) -> Result<RawJson, BadLine> + Send + Sync + 'static,
    mut aside: impl FnMut(A, &Progress) -> anyhow::Result<()>,
) -> anyhow::Result<Count> {
    let (blocks, size) = input.blocks()?;
    let mut progress = Progress::start(size);
    let jobs = blocks.map(|block| {
        let n_bytes = block.as_ref().map_or(0, Block::n_bytes);
        Job { what: block, n_bytes: n_bytes as u64 }
    });
    let too_long = too_long(input);
    let mut results = in_order(jobs, move |block: Result<Block, Refusal>| {
        Ok::<_, Refusal>(all_lines(block?, &too_long, &work))
    })?;
    let (mut total, mut n_told) = (Count { n_lines: 0, n_bad: 0 }, 0);
    while let Some(done) = results.next()? {
        let Done { envelopes, aside: beside, told, count, n_bytes } = done?;
        out.raw(&envelopes)?;
        let left = TOLD_MAX - n_told;
        if !told.is_empty() && left > 0 {
            progress.aside(|| told.iter().take(left).for_each(|bad| tell(&bad.message, &bad.hint)));
            n_told += told.len().min(left);
        }
        aside(beside, &progress)?;
        total.n_lines += count.n_lines;
        total.n_bad += count.n_bad;
        progress.pass(n_bytes);
        // Whoever waits for an answer before sending the next line gets it.
        if results.may_wait() {
            out.flush()?;
        }
    }
    Ok(total)
}

fn all_lines<A: Default>(
    block: Block,
    too_long: &impl Fn(u64) -> BadLine,
    work: &impl Fn(u64, Bytes, &mut A) -> Result<RawJson, BadLine>,
) -> Done<A> {
    let n_bytes = block.n_bytes();
    let mut done = Done {
        envelopes: Vec::with_capacity(n_bytes),
        aside: A::default(),
        told: Vec::new(),
        count: Count { n_lines: 0, n_bad: 0 },
        n_bytes,
    };
    for Line { number, text } in block {
        done.count.n_lines += 1;
        let became = match text {
            Some(text) if text.trim_ascii().is_empty() => None,
            Some(text) => Some(work(number, text, &mut done.aside)),
            None => Some(Err(too_long(number))),
        };
        match became {
            Some(Ok(envelope)) => done.envelopes.extend_from_slice(&envelope.compact()),
            Some(Err(bad)) => {
                done.count.n_bad += 1;
                if done.told.len() < TOLD_MAX {
                    done.told.push(bad);
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
        message: format!("{name}, line {number} is over the limit of {limit} bytes"),
        hint: "raise the limit with `--bytes-max`".to_owned(),
    }
}

impl Count {
    pub(crate) fn is_good(&self) -> bool {
        self.n_bad == 0
    }

    /// Tells how many lines could not be `done`, if any.
    pub(crate) fn tell(&self, done: &str) {
        let Count { n_lines, n_bad } = self;
        if self.is_good() {
            return;
        }
        let told = if *n_bad > TOLD_MAX as u64 {
            format!("; the first {TOLD_MAX} of them are told above")
        } else {
            String::new()
        };
        note(&format!("{n_bad} of {n_lines} lines could not be {done}{told}"));
    }
}
