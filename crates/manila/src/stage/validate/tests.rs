use super::validate;
use crate::raw_json::RawJson;
use crate::request_envelope::Message;

/// Compares the parsed `params`, or the refusal, with `expected`.
#[track_caller]
fn check(params: &str, expected: &str) {
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let Ok(Message::Request(request)) = Message::from_json(call) else { panic!("not a request") };
    let shown = |value: Option<RawJson>| value.map_or("-".to_owned(), |value| value.to_string());
    let found = match validate(&request) {
        Ok(call) => format!("{} {} {}", call.name, shown(call.arguments), shown(call.meta)),
        Err(violation) => format!("{}: {violation}", violation.rule),
    };
    assert_eq!(found, expected);
}

#[test]
fn reads_name_arguments_and_meta() {
    check(r#"{"name": "echo"}"#, "echo - -");
    check(r#"{"arguments": {"n": 1.0}, "name": "a b"}"#, r#"a b {"n":1.0} -"#);
    check(r#"{"_meta": {"k": 1}, "name": "x", "arguments": null}"#, r#"x null {"k":1}"#);
    // The tool's schema decides whether arguments must be an object.
    check(r#"{"name": "x", "arguments": [1]}"#, "x [1] -");
    check(r#"{"n\u0061me": "\u0065cho"}"#, "echo - -");
    // Other members are ignored, even duplicates.
    check(r#"{"name": "x", "task": 1, "task": 2}"#, "x - -");
}

#[test]
fn refuses_a_call_without_a_name() {
    let expected = "required: /params/name must be the name of a tool";
    for params in ["null", "{}", r#"{"name": 7}"#, r#"{"name": null}"#] {
        check(params, expected);
    }
}

#[test]
fn refuses_a_duplicate_member() {
    check(r#"{"name": "a", "name": "a"}"#, "unique: /params/name is given twice");
    check(r#"{"name": "a", "n\u0061me": "b"}"#, "unique: /params/name is given twice");
    check(r#"{"arguments": {}, "arguments": {}}"#, "unique: /params/arguments is given twice");
    check(r#"{"name": "a", "_meta": 1, "_meta": 2}"#, "unique: /params/_meta is given twice");
}

#[test]
fn refuses_a_member_in_another_case() {
    let rule = "is given with a name that differs only in case";
    check(r#"{"name": "a", "Name": "b"}"#, &format!("unique: /params/name {rule}"));
    check(r#"{"name": "a", "ARGUMENTS": {}}"#, &format!("unique: /params/arguments {rule}"));
    check(r#"{"name": "a", "argument\u017f": {}}"#, &format!("unique: /params/arguments {rule}"));
    check(r#"{"name": "a", "names": "b", "n\u00e4me": 1}"#, "a - -");
}

#[cfg(feature = "validate")]
#[test]
fn checks_arguments_against_a_schema() {
    let json = |text: &str| RawJson::parse(text.to_owned()).unwrap();
    let schema = json(r#"{"type": "object", "required": ["n"]}"#);
    let schema = crate::schema::Schema::compile(&schema).unwrap();
    let check = |arguments: Option<&str>| {
        let arguments = arguments.map(json);
        let broken = super::check_arguments(arguments.as_ref(), &schema);
        broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(check(Some(r#"{"n": 1}"#)), "");
    assert_eq!(check(None), "/n is required");
    assert_eq!(check(Some("null")), "/n is required");
    assert_eq!(check(Some(r#"{"n": 1, "n": 2}"#)), "/n is given twice");
}
