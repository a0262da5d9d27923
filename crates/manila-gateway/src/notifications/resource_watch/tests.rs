use std::sync::Arc;

use super::{Watch, WatchedResources};

/// Checks the URI for a client that watches the resource `uri` as `public` when `changed` changes.
#[track_caller]
fn check(uri: &str, public: &str, changed: &str, expected: Option<&str>) {
    let watched = Arc::<WatchedResources>::default();
    let watch = Watch { watched: Arc::clone(&watched), resource: None, uri: uri.to_owned() };
    assert_eq!(watch.uri_for_change(public, changed, &watched).as_deref(), expected);
    assert_eq!(watch.uri_for_change(public, changed, &Arc::default()), None, "of another server");
}

#[test]
fn a_client_is_notified_with_its_public_uri() {
    check("x://a", "x://a", "x://a", Some("x://a"));
    check("x://a", "two+x://a", "x://a", Some("two+x://a"));
    check("x://a", "two+x://a", "x://b", None);
}

#[test]
fn a_change_of_a_part_notifies_the_watchers_of_the_whole() {
    check("x://a", "two+x://a", "x://a/b", Some("two+x://a/b"));
    check("x://a/", "x://a/", "x://a/b", Some("x://a/b"));
    check("x://a", "x://a", "x://a#b", Some("x://a#b"));
    // A different resource with a longer name.
    check("x://a", "x://a", "x://ab", None);
    check("x://a/b", "x://a/b", "x://a", None);
}
