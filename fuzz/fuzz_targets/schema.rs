//! A schema is compiled or refused, and checking any value against it takes a bounded time.
//!
//! The input is the schema, a line feed, and the value. Run with `-timeout=10`: a check may take a
//! few seconds at most.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::{RawJson, Schema};

fuzz_target!(|text: &str| {
    let (schema, value) = text.split_once('\n').unwrap_or((text, text));
    let Ok(schema) = RawJson::parse_payload(schema.to_owned()) else { return };
    let Ok(compiled) = Schema::compile(&schema) else { return };
    let _ = compiled.estimate_steps(value.len());
    // A text repeats the input, so that short inputs reach long texts.
    let long = RawJson::of(&*value.repeat(1 + 20_000 / value.len().max(1))).expect("it is a text");
    let parsed = RawJson::parse_payload(value.to_owned()).ok();
    for value in parsed.iter().chain([&long]) {
        let violations = compiled.check(value);
        assert_eq!(violations, compiled.check(value), "a check has one result");
        assert!(violations.is_ok_and(|found| found.len() <= 20) || value.as_bytes().len() > 100);
    }
});
