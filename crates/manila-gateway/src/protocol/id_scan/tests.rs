use super::IdScan;

#[track_caller]
fn check(message: &str, expected: &str) {
    for n_piece in [1, 7, message.len()] {
        let mut scan = IdScan::default();
        for piece in message.as_bytes().chunks(n_piece.max(1)) {
            scan.feed(piece);
        }
        let found = scan.end();
        let id = found.id.map_or("-".to_owned(), |id| id.to_string());
        assert_eq!(format!("{id} {}", found.is_response), expected, "{message:.60}");
    }
}

#[test]
fn finds_the_id_at_any_position() {
    let long = "x".repeat(5_000);
    check(r#"{"jsonrpc":"2.0","id":7,"result":{"id":8}}"#, "7 true");
    check(&format!(r#"{{"result":{{"t":"{long}"}},"jsonrpc":"2.0","id":"a,b"}}"#), r#""a,b" true"#);
    check(&format!(r#"{{"t":"{long}\",\"id\":3","id" : 4 }}"#), "4 false");
    check(&format!("{}{}", r#"{"id":5,"params":"#, "[".repeat(20_000)), "5 false");
    check(r#"{"id":{"a":1}}"#, "- false");
    check(r#"[{"id":1}]"#, "- false");
    check("", "- false");
    check("}}}}]]\"", "- false");
}
