//! An envelope that a contract's reader accepts can be converted to every contract. The result
//! conforms to that contract and can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::check::Checker;
use manila::pipeline::{Redaction, Settings};
use manila::{Context, Contract, RawJson, DocumentKind, convert, read};

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
            let converted = convert(&envelope.to_bytes(), Some(from), to, &settings, &context);
            let reply = converted.expect("an envelope that was read can be written").reply;
            let written = RawJson::parse(reply.envelope.to_string());
            // A payload of maximal depth may exceed the limit in another contract.
            let Ok(written) = written else { continue };
            assert!(read(to, &written).is_ok(), "{from} to {to}: {written}");
            let verdict = Checker::new(DocumentKind::Envelope(to)).check(&written.to_bytes());
            let is_valid = verdict.findings.iter().all(|it| {
                // Findings without a clause concern JSON that is in the payload and stays there.
                it.clause.is_none() || it.grade == manila::check::Grade::Advice
            });
            assert!(is_valid, "{from} to {to}: {:?} in {written}", verdict.findings);
        }
    }
});
