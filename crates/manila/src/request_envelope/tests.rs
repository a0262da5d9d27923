use super::{Message, Request};

#[track_caller]
fn check(json: &str, expected: &str) {
    let found = match Message::from_json(json.to_owned()) {
        Ok(Message::Request(it)) => format!("request {} {}", it.id, it.method),
        Ok(Message::Notification(it)) => format!("notification {}", it.method),
        Ok(Message::Response(it)) => {
            let id = it.id.map_or("-".to_owned(), |id| id.to_string());
            match it.answer {
                Ok(result) => format!("result {id} {result}"),
                Err(error) => format!("error {id} {error}"),
            }
        }
        Err(refused) => {
            let id = refused.id.map_or("-".to_owned(), |id| id.to_string());
            format!(
                "{} {} {} {id}",
                refused.code, refused.violation.pointer, refused.violation.rule
            )
        }
    };
    assert_eq!(found, expected, "{json}");
}

#[test]
fn parses_requests_notifications_and_responses() {
    check(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, "request 7 ping");
    check(r#"{"method":"a","params":{},"id":"x","jsonrpc":"2.0","more":1}"#, r#"request "x" a"#);
    check(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, "notification notifications/x");
    check(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}"#, r#"result 1 {"a":1.0}"#);
    check(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#, r#"error - {"code":-32700}"#);
}

#[test]
fn refuses_other_messages_with_their_id() {
    check("nonsense", "PARSE_ERROR  json -");
    check("[]", "INVALID_ENVELOPE  batch -");
    check("7", "INVALID_ENVELOPE  type -");
    check(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "INVALID_ENVELOPE /jsonrpc const 1");
    check(r#"{"id":"u","method":"a"}"#, r#"INVALID_ENVELOPE /jsonrpc required "u""#);
    check(r#"{"jsonrpc":"2.0","id":1,"method":""}"#, "INVALID_ENVELOPE /method minLength 1");
    check(r#"{"jsonrpc":"2.0","id":1,"method":2}"#, "INVALID_ENVELOPE /method type 1");
    check(r#"{"jsonrpc":"2.0","id":1}"#, "INVALID_ENVELOPE /method required 1");
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[]}"#,
        "INVALID_ENVELOPE /params type 1",
    );
    check(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "INVALID_ENVELOPE /id type -");
    check(r#"{"jsonrpc":"2.0","id":1.5,"method":"a"}"#, "INVALID_ENVELOPE /id type -");
    check(r#"{"jsonrpc":"2.0","id":"","method":"a"}"#, "INVALID_ENVELOPE /id minLength -");
    check(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, "INVALID_ENVELOPE /id unique -");
    check(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":2}"#, "INVALID_ENVELOPE /error oneOf 1");
    // Readers that ignore case would read another request.
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"a","METHOD":"b"}"#,
        "INVALID_ENVELOPE /method unique 1",
    );
    check(
        r#"{"jsonrpc":"2.0","method":"a","param\u017f":{}}"#,
        "INVALID_ENVELOPE /params unique -",
    );
    check(r#"{"jsonrpc":"2.0","id":{},"result":1}"#, "INVALID_ENVELOPE /id type -");
}

#[track_caller]
fn check_strict(json: &str, expected: &str) {
    let found = match Request::from_json_strict(json.to_owned()) {
        Ok(it) => format!("{} {} {}", it.id, it.method, it.params.unwrap_or_default()),
        Err(refused) => {
            let id = refused.id.map_or("-".to_owned(), |id| id.to_string());
            let violation = refused.violation;
            format!("{} {} {} {id}", refused.code, violation.pointer, violation.rule)
        }
    };
    assert_eq!(found, expected, "{json}");
}

#[test]
fn strict_requests_follow_the_strict_profile() {
    let good = r#"{"jsonrpc":"2.0","id":"u","method":"a","params":{"x":1.0},"result":7}"#;
    check_strict(good, r#""u" a {"x":1.0}"#);
    // A rejected id is still returned, so that the response can be matched.
    check_strict(&good.replace(r#""u""#, "7"), "INVALID_ENVELOPE /id type 7");
    check_strict(&good.replace(r#""u""#, "null"), "INVALID_ENVELOPE /id type -");
    check_strict(&good.replace(r#""id""#, r#""ID""#), "INVALID_ENVELOPE /id required -");
    check_strict(&good.replace(r#"{"x":1.0}"#, "null"), r#"INVALID_ENVELOPE /params type "u""#);
    check_strict(
        &good.replace(r#""params""#, r#""p""#),
        r#"INVALID_ENVELOPE /params required "u""#,
    );
    check_strict("{", "PARSE_ERROR  json -");
    check_strict("[]", "INVALID_ENVELOPE  batch -");
}
