use super::Version;

#[track_caller]
fn check(one: &str, other: &str, is_at_least: bool) {
    let [one, other] = [one, other].map(|text| Version::new(text).unwrap());
    assert_eq!(one.is_at_least(&other), is_at_least, "{one} {other}");
}

#[test]
fn versions_are_compared_by_their_numbers() {
    check("8.0", "8", true);
    check("8", "8.0.0", true);
    check("8.0.100", "8.0.99", true);
    check("10.0", "9.9.9", true);
    check("1.62", "1.62.1", false);
    assert!(Version::new("8.x").is_err() && Version::new("").is_err());
}
