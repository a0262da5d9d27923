use manila::RawJson;

use super::uris;

/// Compares the URIs in a result with `expected`, in order.
#[track_caller]
fn check(result: &str, expected: &[&str]) {
    let found = uris(&RawJson::parse(result.to_owned()).unwrap());
    let found: Vec<String> = found.iter().map(|uri| uri.as_text().unwrap().into_owned()).collect();
    assert_eq!(found, expected, "{result}");
}

#[test]
fn finds_resources_everywhere_in_a_result() {
    let link = r#"{"type":"resource_link","uri":"x:1","name":"n"}"#;
    let embedded = r#"{"type":"resource","resource":{"uri":"x:2","text":"t"}}"#;
    let text = r#"{"type":"text","text":"t","uri":"x:3"}"#;
    check(&format!(r#"{{"content":[{text},{link},{embedded}]}}"#), &["x:1", "x:2"]);
    check(&format!(r#"{{"status":"completed","result":{{"content":[{link}]}}}}"#), &["x:1"]);
    let message = format!(r#"{{"role":"user","content":{embedded}}}"#);
    check(&format!(r#"{{"messages":[{message},{message}]}}"#), &["x:2", "x:2"]);
    check(r#"{"content":[{"type":"resource_link"},{"type":"resource"},7],"messages":null}"#, &[]);
}
