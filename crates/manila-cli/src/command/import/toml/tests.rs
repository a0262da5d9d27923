use proptest::prelude::*;

use super::{Value, comment_out, table};

/// Checks that a table is the same after writing and parsing it.
fn check(name: &str, text: &str, list: &[String], members: &[(String, String)]) {
    let entries = [
        ("text", Value::Text(text.to_owned())),
        ("table", Value::Table(members.to_vec())),
        ("list", Value::List(list.to_vec())),
    ];
    let written = table(&["upstream", name], &entries);
    let read: toml::Table =
        toml::from_str(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    let read = &read["upstream"][name];
    assert_eq!(read["text"].as_str(), Some(text));
    let list: Vec<toml::Value> = list.iter().cloned().map(toml::Value::String).collect();
    assert_eq!(read["list"], toml::Value::Array(list));
    let members = members.iter().cloned().map(|(name, text)| (name, toml::Value::String(text)));
    assert_eq!(read["table"], toml::Value::Table(members.collect()));
    assert_eq!(toml::from_str(&comment_out(&written)), Ok(toml::Table::new()), "{written}");
}

#[test]
fn preserves_every_character() {
    for code in (0..0x3000).chain([0xFEFF, 0xFFFD, 0x1F980, 0x0010_FFFF]) {
        let Some(letter) = char::from_u32(code) else { continue };
        let text = format!("a{letter}b\"\\");
        check(&text, &text, std::slice::from_ref(&text), &[(text.clone(), text.clone())]);
    }
}

proptest! {
    #[test]
    fn preserves_any_table(
        name in "(?s).{0,10}",
        text in "(?s).{0,20}",
        list in prop::collection::vec("(?s).{0,30}", 0..8),
        members in prop::collection::btree_map("(?s).{0,10}|[a-z_-]{1,9}", "(?s).{0,30}", 0..8),
    ) {
        check(&name, &text, &list, &members.into_iter().collect::<Vec<_>>());
    }
}
