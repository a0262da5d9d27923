use super::*;

/// M14: the codes that the table must cover.
const M14: &str = "CS0019 CS0029 CS0103 CS0115 CS0116 CS0119 CS0120 CS0122 CS0128 CS0161 CS0165 \
    CS0188 CS0234 CS0246 CS0507 CS0539 CS1001 CS1002 CS1061 CS1503 CS1513 CS7036 CS8600 MSB1001 \
    MSB1003 MSB3073 MSB3202 MSB3275 MSB3277 MSB3321 MSB3644 MSB4019 MSB4062 MSB4236 NU1101 NU1102 \
    NU1103 NU1106 NU1107 NU1201 NU1213 NU1403 NU1603 NU1605 NETSDK1004 NETSDK1005 NETSDK1013 \
    NETSDK1022 NETSDK1045 NETSDK1064 NETSDK1082 NETSDK1100 NETSDK1141";

#[test]
fn the_table_covers_m14() {
    let missing: Vec<&str> =
        M14.split_whitespace().filter(|code| diagnostic(code).is_none()).collect();
    assert!(missing.is_empty(), "no entry for {missing:?}");
}

#[test]
fn every_entry_is_complete() {
    let mut codes = HashSet::new();
    for entry in diagnostics() {
        let code = &entry.code;
        assert!(codes.insert(code), "{code} is listed twice");
        assert_ne!(category(code), Category::Unknown, "{code} is not of a known family");
        let texts = [entry.hint.as_ref(), entry.explanation.as_ref()];
        for text in texts.into_iter().chain(entry.fixes.iter().copied()) {
            assert!(text.len() > 10 && text == text.trim(), "{code} has an empty text");
        }
        assert!(entry.link.starts_with("https://learn.microsoft.com/"), "{code}: {}", entry.link);
        assert!(!entry.fixes.is_empty(), "{code} has no fixes");
    }
}

/// Checks the diagnostic in a line; `expected` is `severity code message`, or `none`.
#[track_caller]
fn check(line: &str, expected: &str) {
    let found = line::parse(line).map_or("none".to_owned(), |found| {
        format!("{:?} {} {}", found.severity, found.code, found.message)
    });
    assert_eq!(found, expected, "in {line:?}");
}

#[test]
fn parses_the_three_forms() {
    check("Program.cs(5,9): error CS0103: The name 'x'", "Error CS0103 The name 'x'");
    check("a (b).cs(5,9): warning CS8600: maybe null", "Warning CS8600 maybe null");
    check("MSBUILD : error MSB1001: Unknown switch.", "Error MSB1001 Unknown switch.");
    check("NU1101: Unable to find it", "Error NU1101 Unable to find it");
    check("/p/x.csproj : warning NU1603: A depends on B", "Warning NU1603 A depends on B");
    check("MyBlog: NU1101: gone", "Error NU1101 gone");
    check("WARNING: NU1701: old", "Warning NU1701 old");
    check("warn : NU1603: A depends on B", "Warning NU1603 A depends on B");
    check("error NU1101: Unable to find it", "Error NU1101 Unable to find it");
    check("a.cs(1,2): error CS1002: ; expected [/s/A.csproj]", "Error CS1002 ; expected");
    check(
        "error NU1101: Unable to find [x] [/s/A.csproj::TargetFramework=net10.0]",
        "Error NU1101 Unable to find [x]",
    );
    check("error NU1101: Unable to find [x]", "Error NU1101 Unable to find [x]");
    check("error CS1001: [/s/A.csproj]", "Error CS1001 [/s/A.csproj]");
    check("main.cpp(1,2): fatal error C1083: no file", "Error C1083 no file");
}

#[test]
fn ignores_other_lines() {
    for line in [
        "",
        "0 Error(s)",
        "error: something",
        "error CS0103",
        "error cs0103: lower case",
        "terror CS0103: not a word",
        "error CS: no digits",
        "error CS0103:",
        "MENU1101: not NuGet",
        "NU11011: five digits",
        "(1,2): é",
        "info : NU1101: only told",
    ] {
        check(line, "none");
    }
}

#[test]
fn parses_long_lines_in_linear_time() {
    // Each of these took minutes when parts of the line were read repeatedly.
    for part in ["): ", "NU", "error ", "NU1101", "(1,2): ", "warning A1"] {
        check(&part.repeat(1_000_000 / part.len()), "none");
    }
}

#[test]
fn reports_warnings_only_without_errors_and_repeated_lines_once() {
    let codes = |stdout: &str, stderr: &str| -> Vec<String> {
        let failures = parse(stdout, stderr).failures.into_iter();
        failures.filter_map(|failure| failure.origin_code).collect()
    };
    let warning = "a.cs(1,1): warning CS8600: maybe null";
    let error = "a.cs(2,1): error CS1002: ; expected";
    assert_eq!(codes(warning, ""), ["CS8600"]);
    assert_eq!(codes(&format!("{warning}\n{error}\n  {error}"), error), ["CS1002"]);
    let elsewhere = "a.cs(3,1): error CS1002: ; expected";
    assert_eq!(codes(error, elsewhere), ["CS1002", "CS1002"]);
}
