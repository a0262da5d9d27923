use super::{Version, excerpt};

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

#[test]
fn an_excerpt_has_no_part_of_a_secret() {
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    for n_before in 950..1001 {
        let found = excerpt(&format!("{} {token} and more", "x".repeat(n_before)));
        assert!(found.contains(&token) || !found.contains(&token[..8]), "{n_before}: {found}");
    }
}
