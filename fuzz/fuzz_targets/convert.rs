//! Whatever a contract's reader accepts can be written in every contract, keeps that contract
//! there, and is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::check::Checker;
use manila::pipeline::{Redaction, Settings};
use manila::{Context, Contract, RawJson, Subject, convert, read};

fuzz_target!(|bytes: &[u8]| {
    let Ok(envelope) = RawJson::parse(bytes.to_vec()) else { return };
    let mut settings = Settings::default();
    settings.redaction = Redaction::Off;
    let context = Context::new([7; 16]);
    for from in Contract::ALL {
        if read(from, &envelope).is_err() {
            continue;
        }
        for to in Contract::ALL {
            let there = convert(&envelope.to_bytes(), Some(from), to, &settings, &context);
            let reply = there.expect("what is read can be written").reply;
            let written = RawJson::parse(reply.envelope.to_string());
            // A payload as deep as can be may lie deeper in another contract.
            let Ok(written) = written else { continue };
            assert!(read(to, &written).is_ok(), "{from} to {to}: {written}");
            let verdict = Checker::new(Subject::Envelope(to)).check(&written.to_bytes());
            let is_theirs = verdict.findings.iter().all(|it| {
                // What readers of JSON doubt comes from the payload and stays in it.
                it.clause.is_none() || it.grade == manila::check::Grade::Advice
            });
            assert!(is_theirs, "{from} to {to}: {:?} in {written}", verdict.findings);
        }
    }
});
