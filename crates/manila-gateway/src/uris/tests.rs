use super::Uris;

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
