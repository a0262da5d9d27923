use std::sync::Arc;

use super::{Watch, Watched};

/// What somebody hears who watches the server's resource `own` as `public` when `changed` has.
#[track_caller]
fn check(own: &str, public: &str, changed: &str, heard: Option<&str>) {
    let watched = Arc::<Watched>::default();
    let watch = Watch { watched: Arc::clone(&watched), resource: None, uri: own.to_owned() };
    assert_eq!(watch.heard_as(public, changed, &watched).as_deref(), heard);
    assert_eq!(watch.heard_as(public, changed, &Arc::default()), None, "of another server");
}

#[test]
fn changes_are_heard_under_the_uri_that_is_known() {
    check("x://a", "x://a", "x://a", Some("x://a"));
    check("x://a", "two+x://a", "x://a", Some("two+x://a"));
    check("x://a", "two+x://a", "x://b", None);
}

#[test]
fn a_part_is_told_to_whoever_watches_the_whole() {
    check("x://a", "two+x://a", "x://a/b", Some("two+x://a/b"));
    check("x://a/", "x://a/", "x://a/b", Some("x://a/b"));
    check("x://a", "x://a", "x://a#b", Some("x://a#b"));
    // That is another one, whose name is longer.
    check("x://a", "x://a", "x://ab", None);
    check("x://a/b", "x://a/b", "x://a", None);
}
