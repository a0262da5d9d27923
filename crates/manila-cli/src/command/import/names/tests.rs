use super::{is_valid, upstream_names};
use proptest::prelude::*;

#[track_caller]
fn check(given: &str, expected: &str) {
    let given: Vec<&str> = given.split(',').collect();
    assert_eq!(upstream_names(&given).join(","), expected);
}

#[test]
fn changes_names_only_where_necessary() {
    check("github,my-server,A1", "github,my-server,A1");
    check("my_server,a b,späti,@x/y", "my-server,a-b,sp-ti,x-y");
    check("my_server,my-server,my server", "my-server-2,my-server,my-server-3");
    check("x,x,x", "x,x-2,x-3");
    check(",__,日本", "server,server-2,server-3");
    let long = "a".repeat(40);
    check(&format!("{long},{long}"), &format!("{},{}-2", "a".repeat(32), "a".repeat(30)));
}

proptest! {
    #[test]
    fn returns_unique_valid_names(
        given in prop::collection::vec(".{0,50}|[a-c_-]{0,3}", 0..20),
    ) {
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        let names = upstream_names(&given);
        prop_assert_eq!(names.len(), given.len());
        prop_assert!(names.iter().all(|name| is_valid(name)));
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        prop_assert_eq!(unique.len(), names.len());
    }
}
