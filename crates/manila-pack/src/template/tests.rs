use super::super::parameter::Dash;
use super::super::value::Value;
use super::{Template, Values};

fn values() -> Values {
    let text = |text: &str| Value::Text(text.to_owned());
    Values::from([
        ("project".to_owned(), text("a b.csproj")),
        ("take".to_owned(), Value::Number(3)),
        ("quiet".to_owned(), Value::Flag(true)),
        ("loud".to_owned(), Value::Flag(false)),
        ("files".to_owned(), Value::Texts(vec!["x".to_owned(), "y".to_owned()])),
    ])
}

#[track_caller]
fn check(groups: &[&str], expected: &[&str]) {
    let template = Template::new(groups.iter().copied()).unwrap();
    assert_eq!(template.words(&values()), expected, "{groups:?}");
}

#[test]
fn includes_groups_whose_conditions_hold() {
    check(&["build", "{project}", "-c {configuration}"], &["build", "a b.csproj"]);
    check(&["--take {take}", "--take={take}"], &["--take", "3", "--take=3"]);
    check(&["-q {?quiet}", "-l {?loud}", "-n {!loud}", "-m {!missing}"], &["-q", "-n", "-m"]);
    check(&["add {files}", "-f {files} {?quiet}"], &["add", "x", "add", "y", "-f", "x", "-f", "y"]);
    check(&["--three {take=3}", "--four {take=4}"], &["--three"]);
    check(&["-a {project~.CSPROJ}", "-b {project~.sln}", "-c {missing~.sln}"], &["-a"]);
}

#[test]
fn allows_a_leading_dash_only_after_the_end_of_options() {
    let check = |groups: &[&str], name: &str, expected: Dash| {
        let template = Template::new(groups.iter().copied()).unwrap();
        assert_eq!(template.leading_dash_rule(name), expected, "{groups:?} {name}");
    };
    check(&["run", "{rest}"], "rest", Dash::Refused);
    check(&["run", "--", "{rest}"], "rest", Dash::Allowed);
    check(&["run", "-- {?rest}", "{rest}"], "rest", Dash::Allowed);
    check(&["run", "-- {rest}"], "rest", Dash::Allowed);
    check(&["run", "{rest}", "--", "{rest}"], "rest", Dash::Refused);
    check(&["run", "-- {?quiet}", "{rest}"], "rest", Dash::Refused);
    check(&["run", "-- -D {?deny}", "{rest}"], "rest", Dash::Refused);
    check(&["run", "-- {other}", "{rest}"], "rest", Dash::Refused);
}

#[test]
fn rejects_invalid_groups() {
    let check = |group: &str, expected: &str| {
        let error = Template::new([group]).unwrap_err();
        assert!(error.contains(expected), "{group}: {error}");
    };
    check("{?x}", "has only conditions");
    check("-c {x", "has `{` without `}`");
    check("-c x}", "has `}` without `{`");
    check("-c {}", "no valid parameter name");
    check("-c {a-b}", "no valid parameter name");
    check("", "an empty group");
    check("--format='a b'", "has an unbalanced quote");
}
