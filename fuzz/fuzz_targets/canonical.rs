//! Canonical JSON is compact JSON, and its own canonical form.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::{RawJson, canonical};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = RawJson::parse(bytes.to_vec()) else { return };
    let Ok(once) = canonical(&value) else { return };
    let text = RawJson::parse(once.bytes.clone()).expect("canonical JSON is JSON");
    assert_eq!(text.compact(), once.bytes);
    let again = canonical(&text).expect("canonical JSON has a canonical form");
    assert_eq!(again.bytes, once.bytes);
});
