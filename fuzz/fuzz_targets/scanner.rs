//! The scanner accepts the same JSON as a second implementation, and preserves its text.
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
        // Only the depth limit differs: the second implementation has none here.
        (Err(error), Ok(_)) => assert_eq!(error.problem, Problem::Syntax(Syntax::TooDeep)),
        (Ok(_), Err(error)) => panic!("only the scanner accepts it: {error}"),
    }
});
