//! Checking and converting envelopes of 1 KB, in process and on one core.
//!
//! Run with `cargo bench --bench check`. The benchmark `lines` has the program, which uses all
//! cores.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use bytes::Bytes;
use manila::check::Checker;
use manila::pipeline::Settings;
use manila::{Context, Contract, Observation, RawJson, Subject, convert, read};
use manila_bench::best;
use manila_bench::observations::{Seen, record};
use serde_json::Value;

/// `check --lines` shall reach 300 MB/s and `convert --lines` 200 MB/s on two cores.
const CHECKED_MIN: f64 = 150.0;
const CONVERTED_MIN: f64 = 100.0;

/// What the payload is made of: records as in the other figures, and JSON of very small tokens.
type Item = fn(usize) -> String;
const ITEMS: [(&str, Item); 2] = [("records", record), ("small", |_| SHIP.to_owned())];
const SHIP: &str =
    r#"{"name":"Erika","port":{"city":"Riga","depth_m":17.5},"captain":null,"crew":[12,3]}"#;

fn envelope(seen: Seen, item: Item, contract: Contract) -> Bytes {
    let sealed = |n| {
        let items: Vec<String> = (0..n).map(item).collect();
        let observation = seen.observation(&items);
        let observation = Observation::from_json(observation).expect("an observation");
        observation.seal(contract, &Context::new([7; 16])).envelope.to_bytes()
    };
    (1..100).map(sealed).find(|it| it.len() >= 900).expect("items enough")
}

fn main() {
    let head = ["bytes", "parse", "read", "check", "convert"];
    println!("{:<40}{:>7}{:>9}{:>8}{:>10}{:>12}", "", head[0], head[1], head[2], head[3], head[4]);
    for contract in Contract::ALL {
        for (shape, item) in ITEMS {
            for seen in Seen::ALL {
                let label = format!("{:<22}{shape:<9}{}", contract.id(), seen.name());
                row(contract, &label, &envelope(seen, item, contract));
            }
        }
    }
    println!("peer: serde_json to a tree, without a rule checked");
    for (shape, item) in ITEMS {
        let envelope = envelope(Seen::Answered, item, Contract::ResponseV2);
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
    let checker = Checker::new(Subject::Envelope(contract));
    let value = RawJson::parse(envelope.clone()).expect("an envelope");
    let (settings, context) = (Settings::default(), Context::new([7; 16]));
    assert!(checker.check(envelope).is_kept());
    let parsed = rate(envelope, best(|| RawJson::parse(envelope.clone()).is_ok()));
    let read = rate(envelope, best(|| read(contract, &value).is_ok()));
    let judged = rate(envelope, best(|| checker.check(envelope)));
    let converted =
        rate(envelope, best(|| convert(envelope, Some(contract), to, &settings, &context).is_ok()));
    let verdict = |value, min| if value >= min { "ok" } else { "UNDER" };
    println!(
        "{label:<40}{:>7}{parsed:>9.0}{read:>8.0}{judged:>6.0} {:<5}{converted:>6.0} {}",
        envelope.len(),
        verdict(judged, CHECKED_MIN),
        verdict(converted, CONVERTED_MIN),
    );
}
