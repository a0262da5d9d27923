use manila::RawJson;
use manila::request_envelope::Message;

use super::{Edits, Fault, error, replace_part};

#[test]
fn replaces_only_the_id() {
    let frame = r#"{ "params" : {"b": 1.0, "id": 7}, "id" : 7 , "method":"x","jsonrpc":"2.0"}"#;
    let Ok(Message::Request(request)) = Message::from_json(frame) else { panic!() };
    let found = replace_part(&request.frame, &request.id, b"12345");
    assert_eq!(found, frame.replace(r#""id" : 7 "#, r#""id" : 12345 "#));
}

#[test]
fn a_fault_names_its_canonical_code() {
    let found = error(None, &Fault::new(manila::Code::ToolNotFound));
    assert_eq!(
        found,
        concat!(
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"Unknown tool","#,
            r#""data":{"canonicalCode":"TOOL_NOT_FOUND"}}}"#
        )
    );
}

#[test]
fn replaces_several_parts_in_place() {
    let whole = RawJson::parse(r#"{"a": "x", "b": ["y", 1.0], "c": "z"}"#.to_owned()).unwrap();
    let (a, c) = (whole.get("a").unwrap(), whole.get("c").unwrap());
    let mut edits = Edits::of(&whole);
    edits.replace_text(&c, "long, long");
    edits.replace(&a, b"1");
    let expected: &[u8] = br#"{"a": 1, "b": ["y", 1.0], "c": "long, long"}"#;
    assert_eq!(edits.apply(), expected);
    assert_eq!(Edits::of(&whole).apply(), whole.as_bytes());
}
