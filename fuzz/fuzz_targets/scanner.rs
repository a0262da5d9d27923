//! The scanner takes what a second implementation takes, and keeps it as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::{Problem, RawJson, Syntax};
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| {
    let ours = RawJson::parse(bytes.to_vec());
    let theirs = serde_json::from_slice::<&RawValue>(bytes);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(ours.as_str(), theirs.get());
            let compact = RawJson::parse(ours.compact()).expect("compact JSON is JSON");
            assert_eq!(*ours, compact);
            let pretty = RawJson::parse(manila::pretty(ours)).expect("pretty JSON is JSON");
            assert_eq!(*ours, pretty);
        }
        (Err(_), Err(_)) => {}
        // Only depth is judged differently: the second implementation has no limit here.
        (Err(error), Ok(_)) => assert_eq!(error.problem, Problem::Syntax(Syntax::TooDeep)),
        (Ok(_), Err(error)) => panic!("taken by us alone: {error}"),
    }
});
