//! The checker accepts every input, reports findings at positions that exist, and agrees with the
//! contracts' readers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::check::Checker;
use manila::request_envelope::Profile;
use manila::{RawJson, DocumentKind, read};

fuzz_target!(|bytes: &[u8]| {
    let document = bytes::Bytes::copy_from_slice(bytes);
    let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for kind in DocumentKind::ALL.map(Some).into_iter().chain([None]) {
        let checker = kind.map_or_else(Checker::auto, Checker::new);
        for profile in [Profile::Strict, Profile::Mcp] {
            let checker = kind.map_or_else(Checker::auto, Checker::new).profile(profile);
            for finding in checker.check(&document).findings {
                assert!((1..=n_lines).contains(&finding.line), "{finding:?}");
            }
        }
        let (Some(DocumentKind::Envelope(contract)), Ok(value)) =
            (kind, RawJson::parse(document.clone()))
        else {
            continue;
        };
        let verdict = checker.check(&document);
        // The reader of a parsed value lacks what the checker learns from its scan: the ends of
        // long values, and whether a name is repeated.
        let Err(broken) = read(contract, &value) else { continue };
        assert!(!verdict.is_valid(), "{contract}: {value}");
        for finding in broken.iter().filter(|finding| finding.rule != "unique") {
            let is_reported = verdict.findings.iter().any(|reported| {
                (&reported.pointer, reported.rule, &reported.message)
                    == (&finding.pointer, finding.rule, &finding.message)
            });
            assert!(is_reported, "{contract}: {finding:?} is not reported for {value}");
        }
    }
});
