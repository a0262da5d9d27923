//! The referee says something about every document, at a place that exists, and agrees with the
//! readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::check::Checker;
use manila::request_envelope::Profile;
use manila::{RawJson, Subject, read};

fuzz_target!(|bytes: &[u8]| {
    let document = bytes::Bytes::copy_from_slice(bytes);
    let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for subject in Subject::ALL.map(Some).into_iter().chain([None]) {
        let checker = subject.map_or_else(Checker::auto, Checker::new);
        for profile in [Profile::Strict, Profile::Mcp] {
            let checker = subject.map_or_else(Checker::auto, Checker::new).profile(profile);
            for finding in checker.check(&document).findings {
                assert!((1..=n_lines).contains(&finding.line), "{finding:?}");
            }
        }
        let (Some(Subject::Envelope(contract)), Ok(value)) =
            (subject, RawJson::parse(document.clone()))
        else {
            continue;
        };
        let verdict = checker.check(&document);
        // Who reads a value that was scanned before knows less of it than who checks a document:
        // not where its long parts end, nor that no name stands twice.
        let Err(broken) = read(contract, &value) else { continue };
        assert!(!verdict.is_kept(), "{contract}: {value}");
        for finding in broken.iter().filter(|finding| finding.rule != "unique") {
            let is_told = verdict.findings.iter().any(|told| {
                (&told.pointer, told.rule, &told.message)
                    == (&finding.pointer, finding.rule, &finding.message)
            });
            assert!(is_told, "{contract}: {finding:?} is not told of {value}");
        }
    }
});
