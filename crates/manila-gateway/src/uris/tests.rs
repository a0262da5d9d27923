use super::{URIS_MAX, Uris};

#[test]
fn a_uri_is_whose_it_was_first() {
    let uris = Uris::default();
    assert_eq!(uris.public("a", "file:///x"), "file:///x");
    assert_eq!(uris.public("b", "file:///x"), "b+file:///x");
    assert_eq!(uris.public("a", "file:///x"), "file:///x");
    assert_eq!(uris.owner("file:///x").as_deref(), Some("a"));
    uris.keep_only(|server| server == "b");
    assert_eq!(uris.owner("file:///x"), None);
    assert_eq!(uris.public("b", "file:///x"), "file:///x");
}

#[test]
fn what_is_only_mentioned_leaves_room_for_what_is_listed() {
    let uris = Uris::default();
    for n in 0..=URIS_MAX / 2 {
        assert_eq!(uris.mentioned("a", &format!("x:{n}")), format!("x:{n}"));
    }
    let last = format!("x:{}", URIS_MAX / 2);
    assert_eq!(uris.owner(&last), None);
    assert_eq!(uris.public("b", &last), last);
    assert_eq!(uris.mentioned("a", &last), format!("a+{last}"));
}
