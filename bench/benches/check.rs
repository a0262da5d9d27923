//! Checking and converting envelopes of 1 KB, in process and on one core.
//!
//! Run with `cargo bench --bench check`. The benchmark `lines` measures the program, which uses all
//! cores.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use bytes::Bytes;
use manila::check::Checker;
use manila::pipeline::Settings;
use manila::{Context, Contract, DocumentKind, Observation, RawJson, convert, read};
use manila_bench::best;
use manila_bench::observations::{ResultKind, record};
use serde_json::Value;

/// The goals are 300 MB/s for `check --lines` and 200 MB/s for `convert --lines`, on two cores.
const CHECKED_MIN: f64 = 150.0;
const CONVERTED_MIN: f64 = 100.0;

/// An item of the payload: a record as in the other benchmarks, or JSON with very small tokens.
type Item = fn(usize) -> String;
const ITEMS: [(&str, Item); 2] = [("records", record), ("small", |_| SHIP.to_owned())];
const SHIP: &str =
    r#"{"name":"Erika","port":{"city":"Riga","depth_m":17.5},"captain":null,"crew":[12,3]}"#;

fn envelope(kind: ResultKind, item: Item, contract: Contract) -> Bytes {
    let sealed = |n| {
        let items: Vec<String> = (0..n).map(item).collect();
        let observation = kind.observation(&items);
        let observation = Observation::from_json(observation).expect("an observation");
        observation.seal(contract, &Context::new([7; 16])).envelope.to_bytes()
    };
    (1..100).map(sealed).find(|it| it.len() >= 900).expect("100 items are enough")
}

fn main() {
    let head = ["bytes", "parse", "read", "check", "convert"];
    println!("{:<40}{:>7}{:>9}{:>8}{:>10}{:>12}", "", head[0], head[1], head[2], head[3], head[4]);
    for contract in Contract::ALL {
        for (shape, item) in ITEMS {
            for kind in ResultKind::ALL {
                let label = format!("{:<22}{shape:<9}{}", contract.id(), kind.name());
                row(contract, &label, &envelope(kind, item, contract));
            }
        }
    }
    println!("peer: serde_json to a tree, without checks");
    for (shape, item) in ITEMS {
        let envelope = envelope(ResultKind::Answered, item, Contract::ResponseV2);
        let time = best(|| serde_json::from_slice::<Value>(&envelope).is_ok());
        println!("{shape:<10}{:>6.0} MB/s", rate(&envelope, time));
    }
}

fn rate(envelope: &Bytes, time: std::time::Duration) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "an envelope is small")]
    let n_bytes = envelope.len() as f64;
    n_bytes / time.as_secs_f64() / 1e6
}

fn row(contract: Contract, label: &str, envelope: &Bytes) {
    let to = Contract::ALL.into_iter().find(|to| *to != contract).expect("several contracts");
    let checker = Checker::new(DocumentKind::Envelope(contract));
    let value = RawJson::parse(envelope.clone()).expect("an envelope");
    let (settings, context) = (Settings::default(), Context::new([7; 16]));
    assert!(checker.check(envelope).is_valid());
    let parse_rate = rate(envelope, best(|| RawJson::parse(envelope.clone()).is_ok()));
    let read_rate = rate(envelope, best(|| read(contract, &value).is_ok()));
    let check_rate = rate(envelope, best(|| checker.check(envelope)));
    let convert_rate =
        rate(envelope, best(|| convert(envelope, Some(contract), to, &settings, &context).is_ok()));
    let verdict = |value, min| if value >= min { "ok" } else { "UNDER" };
    println!(
        "{label:<40}{:>7}{parse_rate:>9.0}{read_rate:>8.0}{check_rate:>6.0} {:<5}{convert_rate:>6.0} {}",
        envelope.len(),
        verdict(check_rate, CHECKED_MIN),
        verdict(convert_rate, CONVERTED_MIN),
    );
}
