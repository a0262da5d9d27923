//! Both engines find the same secrets, redacted JSON is valid, and redaction is idempotent.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::RawJson;
use manila_redact::{Redactor, apply};

fuzz_target!(|bytes: &[u8]| {
    let redactor = Redactor::standard();
    let edits = redactor.text(bytes);
    assert_eq!(edits, redactor.text_naively(bytes));
    let redacted = apply(bytes, &edits);
    assert_eq!(redactor.text(&redacted), []);
    if let Ok(json) = RawJson::parse(bytes.to_vec()) {
        let edits = redactor.json(json.as_bytes());
        assert_eq!(edits, redactor.json_naively(json.as_bytes()));
        assert!(RawJson::parse(apply(json.as_bytes(), &edits)).is_ok());
    }
});
