//! Validation of a call: the message, and its arguments against the tool's schema.
//!
//! Run with `cargo bench --bench validate`.
#![allow(clippy::print_stdout, reason = "the figures are the output")]

use std::time::Duration;

use bytes::Bytes;
use manila::request_envelope::Message;
use manila::{RawJson, Schema};
use manila_bench::best;

const LIMIT: Duration = Duration::from_micros(2);

const CALL: &str = concat!(
    r#"{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":"search","arguments":{"#,
    r#""query":"how do I put every tool into one envelope","limit":25,"order":"newest","#,
    r#""filters":[{"field":"author","value":"somebody"},{"field":"year","value":"2026"}],"#,
    r#""with_snippets":true},"_meta":{"progressToken":"token-42","dev.manila/requestId":"r-42","#,
    r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}"#
);

const SCHEMA: &str = r##"{"type":"object","properties":{
    "query":{"type":"string","minLength":1,"maxLength":400},
    "limit":{"type":"integer","minimum":1,"maximum":100},
    "order":{"enum":["newest","oldest","relevance"]},
    "filters":{"type":"array","items":{"$ref":"#/$defs/filter"},"maxItems":10},
    "with_snippets":{"type":"boolean"}},
    "required":["query"],"additionalProperties":false,
    "$defs":{"filter":{"type":"object","properties":{
        "field":{"type":"string"},"value":{"type":"string"}},"required":["field","value"]}}}"##;

fn main() {
    let schema = RawJson::parse(SCHEMA).expect("the schema is JSON");
    let compiled = Schema::compile(&schema).expect("the schema is valid");
    let call = Bytes::from_static(CALL.as_bytes());
    let arguments = arguments(&call);
    let rows: [(&str, &dyn Fn() -> usize); 3] = [
        ("message", &|| usize::from(Message::from_json(call.clone()).is_ok())),
        ("arguments", &|| compiled.check_arguments(arguments.as_ref()).len()),
        ("both", &|| compiled.check_arguments(self::arguments(&call).as_ref()).len()),
    ];
    println!("a call of {} bytes, a schema of {} bytes", CALL.len(), SCHEMA.len());
    for (name, work) in rows {
        // On a shared machine, other work only adds time.
        let time = (0..8).map(|_| best(work)).min().unwrap_or_default();
        let verdict = if time <= LIMIT { "ok" } else { "OVER" };
        println!("{name:<10} {:>6.2} us  <= 2 us {verdict}", time.as_secs_f64() * 1e6);
    }
    let time = best(|| Schema::compile(&schema).is_ok());
    println!("compiling  {:>6.2} us", time.as_secs_f64() * 1e6);
}

fn arguments(call: &Bytes) -> Option<RawJson> {
    match Message::from_json(call.clone()) {
        Ok(Message::Request(request)) => request.params?.get("arguments"),
        Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
    }
}
