use super::*;
use crate::raw_json::RawJson;
use crate::request_envelope::Message;

/// Returns an item with this nesting depth.
fn item(name: &str, depth: usize) -> String {
    let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
    format!(r#"{{"name":"{name}","x":{open}{close}}}"#)
}

fn response(items: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":[],"tools":[{items}],"b":1}}}}"#)
}

/// Checks that a response with these items becomes one with those, and can be parsed.
#[track_caller]
fn check(given: &str, kept: &str, left_out: &[&str]) {
    let shortened = without_deep_items(&response(given).into(), "tools").unwrap();
    assert_eq!(shortened.message, response(kept));
    assert_eq!(shortened.left_out, left_out);
    assert!(matches!(Message::from_json(shortened.message), Ok(Message::Response(_))));
}

#[test]
fn only_deep_items_are_removed() {
    let (a, b) = (item("a", 1 + 1), item("b", ITEM_DEPTH_MAX));
    let (deep, deeper) = (item("c", ITEM_DEPTH_MAX + 1), item("d", 100_000));
    check(&format!("{a}, {deep}, {b}"), &format!("{a},{b}"), &["c"]);
    check(&format!("{deep},{a},{b},{deeper}"), &format!("{a},{b}"), &["c", "d"]);
    check(&format!(" {deep} , {deeper} "), " ", &["c", "d"]);
    let nameless = item("", 200).replace("name", "[]{\\\"");
    check(&format!("{nameless},{a}"), &a, &[""]);
    let escaped = item("\\u0063\\n", 200).replace("name", "n\\u0061me");
    check(&format!("{escaped},{a}"), &a, &["c\\u{a}"]);
}

#[test]
fn the_deepest_item_that_is_kept_can_be_parsed() {
    let parse = |depth| Message::from_json(response(&item("a", depth)));
    assert!(parse(ITEM_DEPTH_MAX).is_ok());
    assert!(parse(ITEM_DEPTH_MAX + 1).is_err());
    let value = RawJson::parse(item("a", ITEM_DEPTH_MAX)).unwrap();
    assert_eq!(value.depth(), ITEM_DEPTH_MAX);
}

#[test]
fn other_messages_are_not_changed() {
    let deep = item("c", 500);
    for other in [
        response(&item("a", 9)),
        response(&format!("{deep} {deep}")),
        response(&format!("1,,{deep}")),
        response(&format!("1:{deep}")),
        response(&deep).replace("tools", "prompts"),
        response(&deep).replace("result", "params"),
        format!("[{}]", response(&deep)),
        deep,
        "{".repeat(100_000),
        r#"{"result":{"tools":"#.to_owned(),
        r#"{"result":{"tools":["#.to_owned() + &"[".repeat(5),
        r#"{"result"#.to_owned(),
        "\"".to_owned(),
        String::new(),
    ] {
        assert_eq!(without_deep_items(&other.clone().into(), "tools"), None, "{other:.100}");
    }
}

#[test]
fn invalid_bytes_are_tolerated() {
    // Whatever the bytes are, the search ends without a panic.
    let deep = response(&format!("{},{}", item("a", 200), item("b", 2)));
    for cut in 0..deep.len() {
        let _ = without_deep_items(&deep.clone().into_bytes()[..cut].to_vec().into(), "tools");
        let mut broken = deep.clone().into_bytes();
        broken[cut] = b"\xff\"\\}]"[cut % 5];
        let _ = without_deep_items(&broken.into(), "tools");
    }
}

#[test]
fn a_name_with_escapes_need_not_be_utf8() {
    let deep = response(&item("a", 200));
    let named = [b"{\"\xff\\n a long name\":1,", &deep.as_bytes()[1..]].concat();
    // Only a complete document has items.
    let _ = without_deep_items(&named.into(), "tools");
}
