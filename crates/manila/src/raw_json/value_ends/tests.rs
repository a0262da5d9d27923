use bytes::Bytes;

use super::super::{Member, RawJson, TopLevel, walk};

/// A document with long and short, plain and escaped values, with and without spaces.
fn document() -> Bytes {
    let long = "word ".repeat(30);
    let items = vec![format!(r#"{{"a": "{long}", "b": [1, "{long}\"\\"], "": {{}}}}"#); 4];
    format!(" [0, {{\"{long}\": [{}], \"short\": \"\"}}, \"{long}\"] ", items.join(" , ")).into()
}

#[test]
fn recorded_ends_agree_with_a_walk() {
    let document = document();
    let ends = TopLevel::read(&document).unwrap().ends;
    assert_eq!(ends.spans.len(), 20, "the document, two in it, a list, and 4 items of 4");
    for &(start, end) in &ends.spans {
        assert_eq!(walk::value_end(&document, start), end);
    }
}

#[test]
fn known_ends_do_not_change_the_values() {
    fn check(value: &RawJson, document: &TopLevel<'_>) {
        let ends = &document.ends;
        let items: Vec<_> = value.items().collect();
        assert_eq!(value.items_within(ends).collect::<Vec<_>>(), items);
        let pair = |member: Member<'_>| (member.key().into_owned(), member.value());
        let members: Vec<_> = value.members().map(pair).collect();
        assert_eq!(value.members_within(ends).map(pair).collect::<Vec<_>>(), members);
        for inner in items.iter().chain(members.iter().map(|(_, value)| value)) {
            check(inner, document);
        }
    }
    let document = document();
    let top_level = TopLevel::read(&document).unwrap();
    check(&top_level.value, &top_level);
    // Other bytes have no ends here.
    check(&RawJson::parse(document.to_vec()).unwrap(), &top_level);
}
