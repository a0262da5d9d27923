//! External messages and schemas are parsed or refused, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use manila::request_envelope::Message;
use manila::{Contract, RawJson, Schema, output_schema, without_deep_items};

fuzz_target!(|bytes: &[u8]| {
    match Message::from_json(bytes.to_vec()) {
        Ok(Message::Request(it)) => assert!(it.frame.as_str().contains(it.id.as_str())),
        Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => {}
    }
    if let Some(shortened) = without_deep_items(&bytes.to_vec().into(), "tools") {
        assert!(shortened.message.len() < bytes.len());
    }
    let Ok(value) = RawJson::parse_payload(bytes.to_vec()) else { return };
    for contract in Contract::ALL {
        let schema = output_schema(contract, Some(&value)).to_string();
        RawJson::parse(schema).expect("a schema is JSON");
    }
    if let Ok(schema) = Schema::compile(&value) {
        let _ = schema.check(&value);
    }
});
