use super::super::Pack;
use super::super::tests::GOOD;

/// Checks the error of a pack in which `from` is replaced with `to`.
#[track_caller]
fn check_error(from: &str, to: &str, expected: &str) {
    assert!(GOOD.contains(from), "{from}");
    let wrong = Pack::from_toml(&GOOD.replacen(from, to, 1)).unwrap_err();
    let error = format!("{}:{} {} | {}", wrong.line, wrong.column, wrong.message, wrong.hint);
    assert!(error.contains(expected), "{error}");
}

#[test]
fn reports_errors_in_a_pack_with_their_positions() {
    let check = check_error;
    check("name = \"shelf\"", "name = \"my_shelf\"", "2:8 `my_shelf` is not a valid pack name");
    check("program =", "programm =", "4:1 unknown key `programm`");
    check("\"macos\"", "\"beos\"", "unknown system `beos`");
    check("{project}", "{projekt}", "there is no parameter `projekt` | did you mean `project`?");
    check("\"-q {?quiet}\"", "\"-q {?quiet\"", "has `{` without `}`");
    check("name = \"Find\"", "name = \"find\"", "use PascalCase");
    check("name = \"Find\"", "name = \"Build\"", "duplicate action `Build`");
    check("name = \"take\"", "name = \"action\"", "is a parameter of every tool");
}

#[test]
fn reports_errors_in_rules_with_their_positions() {
    let check = check_error;
    let defaults = ("values = [\"pfx\"", "default = \"p12\"\nvalues = [\"pfx\"");
    let expected = "\"p12\" is not a valid default of `format` | its values are pfx, pem";
    check(defaults.0, defaults.1, expected);
    check("characters = \"A-Z", "characters = \"]|.*[A-Z", "has an unescaped bracket");
    check("name = \"shelf\"", "name = \"-shelf\"", "2:8 `-shelf` is not a valid pack name");
    check("program = \"shelf\"", "program = \"-shelf\"", "4:11 `-shelf` is not a valid");
    check("\"-q {?quiet}\"", "\"a\\u0000b {?quiet}\"", "has a control character");
    check("[[\"format\", \"quiet\"]]", "[[\"format\", \"format\"]]", "duplicate parameter");
    let take = ("maximum = 100", "maximum = 100\ndefault = 5");
    let with_take = GOOD.replacen("[[\"format\", \"quiet\"]]", "[[\"quiet\", \"take\"]]", 1);
    let wrong = Pack::from_toml(&with_take.replacen(take.0, take.1, 1)).unwrap_err();
    assert!(wrong.message.contains("`take` has a default"), "{wrong}");
    check("[[\"format\", \"quiet\"]]", "[[\"format\"]]", "needs at least two parameters");
    check("[[\"format\", \"quiet\"]]", "[[\"format\", \"quite\"]]", "did you mean `quiet`?");
    check(
        "effect = \"writes\"",
        "effect = \"writes\"\ngood_exits = [0]",
        "is not an exit code other than 0",
    );
    check(
        "relative_to = \"project\"",
        "relative_to = \"title\"",
        "`title` does not name a file by itself",
    );
    check(
        "relative_to = \"project\"",
        "relative_to = \"place\"",
        "`place` does not name a file by itself",
    );
    check("characters = \"A-Z", "characters = \"Z-A", "is not a valid regular expression");
    check("type = \"boolean\"", "type = \"boolean\"\nminimum = 1", "`minimum` does not apply");
    check("required = [\"title\"]", "required = [\"titel\"]", "did you mean `title`?");
    check("effect = \"writes\"", "effect = \"global\"", "only an action that writes");
    check("target = \"project\"", "target = \"format\"", "`format` does not name a path");
    check("equals = \"New\"\n", "", "belong together");
    check("\"/test/runner\"", "\"test/runner\"", "must be a JSON pointer");
    check("file = \"shelf", "when = \"{tytle=x}\"\nfile = \"shelf", "did you mean `title`?");
    check("required = [\"title\"]", "required = [\"runner\"]", "there is no parameter `runner`");
    check("file = \"shelf.json\"", "file = \"../shelf.json\"", "is not a plain file name");
    check("runner = \"old\"", "title = \"old\"", "`title` is already a parameter");
    check("program = \"shelf\"", "program = \"./shelf\"", "4:11 `./shelf` is not a valid");
    check(
        "program = \"shelf\"",
        "program = \"shelf -x\"",
        "`shelf -x` is not a valid program name",
    );
    check("[\"pfx\", \"pem\"]", "[]", "`values` is empty");
    check("[\"pfx\", \"pem\"]", "[\"pem\", \"pem\"]", "`pem` is listed twice");
    check("[\"pfx\", \"pem\"]", "[\"-x\", \"pem\"]", "`-x` can never be accepted");
    check(
        "\"-f {format}\"",
        "\"-f {format=p12}\"",
        "`format` is never `p12` | its values are pfx, pem",
    );
    let (values, except) = ("values = [\"pfx\"", "except = [\"PFX\"]\nvalues = [\"pfx\"");
    check(values, except, "`pfx` can never be accepted");
    check("type = \"boolean\"", "type = \"boolean\"\nexcept = [\"x\"]", "`except` does not apply");
    check("minimum = 1", "minimum = 101", "`minimum` 101 of `take` is more than its `maximum` 100");
    check(", \"-q {?quiet}\"", "", "37:8 no action of `book` uses the parameter `quiet`");
    check("name = \"book\"", "name = \"server_capabilities\"", "every pack already has a tool");
    check("about = \"Books", "pass_env = [\"A B\"]\nabout = \"Books", "3:13 `A B` is not a valid");
    check("effect = \"writes\"", "minimum = \"1.0\"", "the program's version is unknown");
}

#[test]
fn reports_errors_in_output_rules_with_their_positions() {
    let check = |table: &str, expected: &str| {
        let wrong = Pack::from_toml(&GOOD.replacen("[[tool]]", &format!("{table}\n[[tool]]"), 1));
        let wrong = wrong.unwrap_err();
        let error = format!("{}:{} {} | {}", wrong.line, wrong.column, wrong.message, wrong.hint);
        assert!(error.contains(expected), "{error}");
    };
    let probe = "[probe]\narguments = [\"-v\"]\nversion = ";
    check(&format!("{probe}'x'"), "10:11 the pattern has no group");
    check(&format!("{probe}'(x'"), "10:11 `(x` is not a valid regular expression: unclosed");
    check(&format!("{probe}'(x)'\nminimum = \"1.x\""), "11:11 `1.x` is not a valid value");
    check("[progress]\npattern = '(?<rest>x)'", "unknown group `rest` | the groups are message");
    check("[[diagnostic]]\npattern = 'x'\ncode = \"\"", "10:8 a code must not be empty");
    check("[[diagnostic]]\ncode = \"X\"", "8:1 a diagnostic must have either `pattern`");
    check("[[diagnostic]]\npattern = 'x*'", "9:11 the pattern matches empty text");
    check("[[diagnostic]]\npattern = 'x'\nhint = \"{cod}\"", "unknown placeholder `cod`");
    check("[[diagnostic]]\npattern = 'x'\nlink = \"https://x.org/{code\"", "has `{` without `}`");
    check("[[diagnostic]]\npattern = 'x'\nlink = \"x.org\"", "10:8 `x.org` is not a URL");
    check("[[diagnostic]]\npattern = 'x'\nlines_with = [\"\\ne\"]", "10:15 a text in `lines_with`");
    check("[[diagnostic]]\njson = { message = \"message\" }", "must be a JSON pointer");
    check("[[diagnostic]]\npattern = 'x'\ncategory = \"Weather\"", "unknown value `Weather`");
}
