//! The pure pipeline, in process: from an observation to an envelope.
//!
//! Run with `cargo bench --bench seal`. Every row is measured in the same run as its peer, which
//! parses the same observation into a tree and writes it with `serde_json`.
#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::fmt::Write;
use std::time::Duration;

use bytes::Bytes;
use manila::pipeline::{self, Redaction};
use manila::{Context, Contract, Observation};
use manila_bench::observations::record;
use manila_bench::{Counting, best, peak_bytes};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const KB: usize = 1024;
const MB: usize = 1024 * KB;

/// A shared machine has slow and fast minutes. Every row is measured in each pass, and the best
/// pass counts, for Manila and for the peer.
const N_PASSES: usize = 8;

fn main() {
    let sizes = [KB, 10 * KB, 100 * KB, MB, 10 * MB, 100 * MB];
    let by_size = sizes.map(|size| Row::new(RECORDS, Contract::ResponseV2, size));
    let by_contract = Contract::ALL.into_iter().skip(1);
    let by_contract =
        by_contract.flat_map(|contract| [KB, MB].map(|size| Row::new(RECORDS, contract, size)));
    let by_shape = [SPACED, TEXT, NUMBERS, MCP_TEXT]
        .into_iter()
        .flat_map(|shape| [KB, MB].map(|size| Row::new(shape, Contract::ResponseV2, size)));
    let rows = by_size.into_iter().chain(by_contract).chain(by_shape);
    let mut rows: Vec<Row> = rows.filter(Row::is_selected).collect();
    for _ in 0..N_PASSES {
        rows.iter_mut().for_each(Row::measure);
    }
    println!(
        "{}",
        line([
            "shape", "contract", "size", "time", "MB/s", "redacted", "MB/s", "tree ×", "mem ×",
            "limit", ""
        ])
    );
    rows.iter().for_each(Row::print);
}

/// A kind of observation that can be generated in any size.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    start: &'static str,
    item: fn(usize) -> String,
    separator: &'static str,
    end: &'static str,
}

const RECORDS: Shape = Shape {
    name: "records",
    start: concat!(
        r#"{"tool":{"id":"search","version":"1.0.0"},"request_id":"req_1","#,
        r#""observed":{"answered":{"items":["#,
    ),
    item: record,
    separator: ",",
    end: "]}}}",
};

const SPACED: Shape = Shape {
    name: "spaced",
    start: "{\n  \"observed\": {\n    \"answered\": {\n      \"items\": [\n        ",
    item: |n| record(n).replace(',', ",\n          ").replace(':', ": "),
    separator: ",\n        ",
    end: "\n      ]\n    }\n  }\n}",
};

const TEXT: Shape = Shape {
    name: "text",
    start: r#"{"observed":{"said":""#,
    item: |n| format!(r"line {n} of a log, with a path /var/log/app.log and some words\n"),
    separator: "",
    end: r#""}}"#,
};

const NUMBERS: Shape = Shape {
    name: "numbers",
    start: r#"{"observed":{"answered":["#,
    item: |n| format!("{n}.5,{},true", n * 7919),
    separator: ",",
    end: "]}}",
};

const MCP_TEXT: Shape = Shape {
    name: "mcp json",
    start: r#"{"observed":{"mcp":{"content":[{"type":"text","text":"{\"items\":["#,
    item: |n| record(n).replace('"', "\\\""),
    separator: ",",
    end: r#"]}"}]}}}"#,
};

impl Shape {
    /// Generates an observation of about this size.
    fn grow(&self, size: usize) -> Bytes {
        let mut text = self.start.to_owned();
        for n in 0.. {
            let separator = if n == 0 { "" } else { self.separator };
            let _ = write!(text, "{separator}{}", (self.item)(n));
            if text.len() + self.end.len() >= size {
                break;
            }
        }
        (text + self.end).into()
    }
}

struct Row {
    shape: Shape,
    contract: Contract,
    size: usize,
    json: Bytes,
    time: Duration,
    /// The time with redaction.
    redacted: Duration,
    tree: Duration,
}

impl Row {
    fn new(shape: Shape, contract: Contract, size: usize) -> Row {
        let json = shape.grow(size);
        let [time, redacted, tree] = [Duration::MAX; 3];
        Row { shape, contract, size, json, time, redacted, tree }
    }

    /// Returns whether the row contains every argument: `cargo bench --bench seal -- records 1MB`.
    fn is_selected(&self) -> bool {
        let size = size_name(self.size).replace(' ', "");
        let row = format!("{} {} {size}", self.shape.name, self.contract);
        let mut filters = std::env::args().skip(1).filter(|it| !it.starts_with("--"));
        filters.all(|filter| row.contains(&filter))
    }

    fn seal(&self) -> usize {
        self.seal_with(Redaction::Off)
    }

    fn seal_with(&self, redaction: Redaction<'_>) -> usize {
        let observation = Observation::from_json(self.json.clone()).expect("it is an observation");
        let mut settings = pipeline::Settings::default();
        settings.redaction = redaction;
        let context = Context::new([7; 16]);
        let reply = pipeline::seal(observation, self.contract, &settings, &context);
        reply.envelope.as_bytes().len()
    }

    fn measure(&mut self) {
        let time = best(|| self.seal());
        self.redacted = self.redacted.min(best(|| self.seal_with(Redaction::Standard)));
        let tree = best(|| {
            let value: serde_json::Value = serde_json::from_slice(&self.json).unwrap_or_default();
            serde_json::to_vec(&value)
        });
        self.time = self.time.min(time);
        self.tree = self.tree.min(tree);
    }

    fn print(&self) {
        let memory = peak_bytes(|| self.seal()) as f64 / self.json.len() as f64;
        let speed = self.json.len() as f64 / self.time.as_secs_f64() / 1e6;
        let redacted = self.json.len() as f64 / self.redacted.as_secs_f64() / 1e6;
        let (limit, is_met) = match self.size {
            KB => (
                "<= 5, 8 us",
                self.time <= Duration::from_micros(5) && self.redacted <= Duration::from_micros(8),
            ),
            MB => {
                (">= 500, 300 MB/s, mem <= 2", speed >= 500.0 && redacted >= 300.0 && memory <= 2.0)
            }
            _ => ("mem <= 2", memory <= 2.0),
        };
        let cells = [
            self.shape.name,
            self.contract.id(),
            &size_name(self.size),
            &format!("{:.1} us", self.time.as_secs_f64() * 1e6),
            &format!("{speed:.0}"),
            &format!("{:.1} us", self.redacted.as_secs_f64() * 1e6),
            &format!("{redacted:.0}"),
            &format!("{:.1}", self.tree.as_secs_f64() / self.time.as_secs_f64()),
            &format!("{memory:.2}"),
            limit,
            if is_met { "ok" } else { "OVER" },
        ];
        println!("{}", line(cells));
    }
}

fn size_name(size: usize) -> String {
    if size < MB { format!("{} KB", size / KB) } else { format!("{} MB", size / MB) }
}

fn line(cells: [&str; 11]) -> String {
    let [shape, contract, size, time, speed, redacted, speed_after, tree, memory, limit, verdict] =
        cells;
    format!(
        "{shape:<9} {contract:<20} {size:>7} {time:>12} {speed:>5} {redacted:>12} {speed_after:>5} \
         {tree:>7} {memory:>6}  {limit:<27} {verdict}"
    )
}
