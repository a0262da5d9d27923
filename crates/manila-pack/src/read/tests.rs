use super::super::Pack;
use super::super::tests::GOOD;

/// What is said of the pack with something else at a place.
#[track_caller]
fn wrong_with(from: &str, to: &str, expected: &str) {
    assert!(GOOD.contains(from), "{from}");
    let wrong = Pack::from_toml(&GOOD.replacen(from, to, 1)).unwrap_err();
    let told = format!("{}:{} {} | {}", wrong.line, wrong.column, wrong.message, wrong.hint);
    assert!(told.contains(expected), "{told}");
}

#[test]
fn what_is_wrong_in_a_pack_is_told_with_its_place() {
    let check = wrong_with;
    check("name = \"shelf\"", "name = \"my_shelf\"", "2:8 `my_shelf` cannot be the name of a pack");
    check("program =", "programm =", "4:1 unknown field `programm`");
    check("\"macos\"", "\"beos\"", "there is no system `beos`");
    check("{project}", "{projekt}", "there is no parameter `projekt` | did you mean `project`?");
    check("\"-q {?quiet}\"", "\"-q {?quiet\"", "not closed");
    check("name = \"Find\"", "name = \"find\"", "use PascalCase");
    check("name = \"Find\"", "name = \"Build\"", "two of the action `Build`");
    check("name = \"take\"", "name = \"action\"", "is a parameter of every tool");
}

#[test]
fn what_is_wrong_in_rules_of_a_pack_is_told_with_its_place() {
    let check = wrong_with;
    let defaults = ("values = [\"pfx\"", "default = \"p12\"\nvalues = [\"pfx\"");
    check(defaults.0, defaults.1, "breaks its own rules");
    check("characters = \"A-Z", "characters = \"]|.*[A-Z", "has a bracket");
    check("name = \"shelf\"", "name = \"-shelf\"", "2:8 `-shelf` cannot be the name of a pack");
    check("program = \"shelf\"", "program = \"-shelf\"", "4:11 `-shelf` is no program");
    check("\"-q {?quiet}\"", "\"a\\u0000b {?quiet}\"", "has a control character");
    check("[[\"format\", \"quiet\"]]", "[[\"format\", \"format\"]]", "two of the parameter");
    let take = ("maximum = 100", "maximum = 100\ndefault = 5");
    let with_take = GOOD.replacen("[[\"format\", \"quiet\"]]", "[[\"quiet\", \"take\"]]", 1);
    let wrong = Pack::from_toml(&with_take.replacen(take.0, take.1, 1)).unwrap_err();
    assert!(wrong.message.contains("`take` has a default"), "{wrong}");
    check("[[\"format\", \"quiet\"]]", "[[\"format\"]]", "needs something that it excludes");
    check("[[\"format\", \"quiet\"]]", "[[\"format\", \"quite\"]]", "did you mean `quiet`?");
    check(
        "effect = \"writes\"",
        "effect = \"writes\"\ngood_exits = [0]",
        "is no exit code beside 0",
    );
    check(
        "relative_to = \"project\"",
        "relative_to = \"title\"",
        "`title` names no file by itself",
    );
    check(
        "relative_to = \"project\"",
        "relative_to = \"place\"",
        "`place` names no file by itself",
    );
    check("characters = \"A-Z", "characters = \"Z-A", "is no regular expression");
    check("type = \"boolean\"", "type = \"boolean\"\nminimum = 1", "`minimum` means nothing");
    check("required = [\"title\"]", "required = [\"titel\"]", "did you mean `title`?");
    check("effect = \"writes\"", "effect = \"global\"", "only an action that writes");
    check(
        "target = \"project\"",
        "target = \"format\"",
        "`format` names nothing that could be written",
    );
    check("equals = \"New\"\n", "", "belong together");
    check("\"/test/runner\"", "\"test/runner\"", "a place is a JSON pointer");
    check("file = \"shelf", "when = \"{tytle=x}\"\nfile = \"shelf", "did you mean `title`?");
    check("required = [\"title\"]", "required = [\"runner\"]", "there is no parameter `runner`");
    check("file = \"shelf.json\"", "file = \"../shelf.json\"", "is no plain name of a file");
    check("runner = \"old\"", "title = \"old\"", "`title` is what callers give");
    check("program = \"shelf\"", "program = \"./shelf\"", "4:11 `./shelf` is no program");
    check("program = \"shelf\"", "program = \"shelf -x\"", "`shelf -x` is no program");
    check("[\"pfx\", \"pem\"]", "[]", "nothing may be given");
    check("[\"pfx\", \"pem\"]", "[\"pem\", \"pem\"]", "`pem` is there twice");
    check("[\"pfx\", \"pem\"]", "[\"-x\", \"pem\"]", "`-x` could never be given");
    check(
        "\"-f {format}\"",
        "\"-f {format=p12}\"",
        "`format` is never `p12` | its values are pfx, pem",
    );
    let (values, except) = ("values = [\"pfx\"", "except = [\"PFX\"]\nvalues = [\"pfx\"");
    check(values, except, "`pfx` could never be given");
    check("type = \"boolean\"", "type = \"boolean\"\nexcept = [\"x\"]", "`except` means nothing");
    check("minimum = 1", "minimum = 101", "no number is allowed");
    check(", \"-q {?quiet}\"", "", "37:8 no action of `book` uses the parameter `quiet`");
    check("name = \"book\"", "name = \"server_capabilities\"", "comes with every pack");
    check(
        "about = \"Books",
        "pass_env = [\"A B\"]\nabout = \"Books",
        "3:13 `A B` cannot be the name",
    );
    check("effect = \"writes\"", "minimum = \"1.0\"", "nobody knows the program's version");
}

#[test]
fn what_is_wrong_about_output_is_told_with_its_place() {
    let check = |table: &str, expected: &str| {
        let wrong = Pack::from_toml(&GOOD.replacen("[[tool]]", &format!("{table}\n[[tool]]"), 1));
        let wrong = wrong.unwrap_err();
        let told = format!("{}:{} {} | {}", wrong.line, wrong.column, wrong.message, wrong.hint);
        assert!(told.contains(expected), "{told}");
    };
    let probe = "[probe]\narguments = [\"-v\"]\nversion = ";
    check(&format!("{probe}'x'"), "10:11 the pattern has no group");
    check(&format!("{probe}'(x'"), "10:11 `(x` is no regular expression | unclosed group");
    check(&format!("{probe}'(x)'\nminimum = \"1.x\""), "11:11 `1.x` cannot be used here");
    check("[progress]\npattern = '(?<rest>x)'", "there is no part `rest` | the parts are message");
    check("[[diagnostic]]\npattern = 'x'\ncode = \"\"", "10:8 the code is no word");
    check("[[diagnostic]]\ncode = \"X\"", "8:1 a diagnostic has either a `pattern`");
    check("[[diagnostic]]\npattern = 'x*'", "9:11 the pattern fits an empty text");
    check("[[diagnostic]]\npattern = 'x'\nhint = \"{cod}\"", "there is no `cod` to fill in");
    check("[[diagnostic]]\npattern = 'x'\nlink = \"https://x.org/{code\"", "not closed");
    check("[[diagnostic]]\npattern = 'x'\nlink = \"x.org\"", "10:8 `x.org` is no address");
    check("[[diagnostic]]\npattern = 'x'\nlines_with = [\"\\ne\"]", "10:15 every line has nothing");
    check("[[diagnostic]]\njson = { message = \"message\" }", "a place is a JSON pointer");
    check("[[diagnostic]]\npattern = 'x'\ncategory = \"Weather\"", "unknown variant `Weather`");
}
