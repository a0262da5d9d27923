//! Checking and converting envelopes of 1 KB, in process and on one core.
//!
//! Run with `cargo bench --bench check`. The program does the same on every core; how fast it is
//! there is in docs/performance.md.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use bytes::Bytes;
use manila::check::Checker;
use manila::pipeline::Settings;
use manila::{Context, Contract, Observation, RawJson, Subject, convert, read};
use manila_bench::best;
use serde_json::Value;

/// `check --lines` shall reach 300 MB/s and `convert --lines` 200 MB/s on two cores.
const CHECKED_MIN: f64 = 150.0;
const CONVERTED_MIN: f64 = 100.0;

const ANSWERED: &str = r#"{"tool": {"id": "ships", "version": "1.4.0"}, "request_id": "req_8b3e5f6c0a2f",
    "duration_ms": 27, "warnings": [{"code": "STALE_CACHE", "message": "an hour old"}],
    "observed": {"answered": {"ships": [SHIPS]}}}"#;
const FAILED: &str = r#"{"tool": {"id": "ships", "version": "1.4.0"}, "request_id": "req_8b3e5f6c0a2f",
    "observed": {"failed": {"code": "NOT_FOUND", "message": "Ship 'Erika' not found",
    "details": {"resource": "ship", "known": [SHIPS]}}}}"#;
const SHIP: &str = r#"{"name": "Erika", "port": {"city": "Riga", "depth_m": 17.5}, "captain": null, "crew": [12, 3]}"#;

fn envelope(observation: &str, contract: Contract) -> Bytes {
    let ships = |n| observation.replace("SHIPS", &vec![SHIP; n].join(","));
    let sealed = |n| {
        let observation = Observation::from_json(ships(n)).expect("an observation");
        observation.seal(contract, &Context::new([7; 16])).envelope.to_bytes()
    };
    (1..100).map(sealed).find(|it| it.len() >= 1000).expect("ships enough")
}

fn main() {
    println!(
        "{:<22}{:<10}{:>7}{:>9}{:>8}{:>10}{:>12}",
        "", "", "bytes", "parse", "read", "check", "convert"
    );
    for contract in Contract::ALL {
        for (name, observation) in [("answered", ANSWERED), ("failed", FAILED)] {
            row(contract, name, &envelope(observation, contract));
        }
    }
    println!("peer: serde_json to a tree, without a rule checked");
    let envelope = envelope(ANSWERED, Contract::ResponseV2);
    let time = best(|| serde_json::from_slice::<Value>(&envelope).is_ok());
    println!("{:>57.0} MB/s", rate(&envelope, time));
}

fn rate(envelope: &Bytes, time: std::time::Duration) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "an envelope is small")]
    let n_bytes = envelope.len() as f64;
    n_bytes / time.as_secs_f64() / 1e6
}

fn row(contract: Contract, name: &str, envelope: &Bytes) {
    let to = match contract {
        Contract::ResponseV2 => Contract::EnvelopeV1,
        Contract::EnvelopeV1 | Contract::MachineReadableV1 | Contract::McpEnvelopeV01 => {
            Contract::ResponseV2
        }
    };
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
        "{:<22}{name:<10}{:>7}{parsed:>9.0}{read:>8.0}{judged:>6.0} {:<5}{converted:>6.0} {}",
        contract.id(),
        envelope.len(),
        verdict(judged, CHECKED_MIN),
        verdict(converted, CONVERTED_MIN),
    );
}
