use super::Uris;

#[test]
fn the_first_server_that_lists_a_uri_owns_it() {
    let uris = Uris::default();
    assert_eq!(uris.claim_uri("a", "file:///x"), "file:///x");
    assert_eq!(uris.claim_uri("b", "file:///x"), "b+file:///x");
    assert_eq!(uris.claim_uri("a", "file:///x"), "file:///x");
    assert_eq!(uris.owner("file:///x").as_deref(), Some("a"));
    uris.keep_only(|server| server == "b");
    assert_eq!(uris.owner("file:///x"), None);
    assert_eq!(uris.claim_uri("b", "file:///x"), "file:///x");
}

#[test]
fn a_mentioned_uri_gets_no_owner() {
    let uris = Uris::default();
    assert_eq!(uris.mentioned_uri("b", "x:1"), "b+x:1");
    assert_eq!(uris.owner("x:1"), None);
    assert_eq!(uris.claim_uri("a", "x:1"), "x:1");
    assert_eq!(uris.mentioned_uri("a", "x:1"), "x:1");
    assert_eq!(uris.mentioned_uri("b", "x:1"), "b+x:1");
}
