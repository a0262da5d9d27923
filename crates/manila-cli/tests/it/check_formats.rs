//! The machine-readable report formats of `manila check`.

use serde_json::{Value, json};

use crate::check::{BROKEN, Folder, GOOD};
use crate::program::{RunOutput, manila};

/// Creates a folder with a good file, a broken file and a file of lines.
fn folder(name: &str) -> Folder {
    let lines = format!("{GOOD}\n\n{BROKEN}\n{GOOD}\n");
    let files = [("a & <b>.json", BROKEN), ("good.json", GOOD), ("l.jsonl", lines.as_str())];
    Folder::with(name, &files)
}

fn report(folder: &Folder, format: &str) -> RunOutput {
    let (all, none) = (folder.path(""), folder.path("none.json"));
    let ran = manila(&["check", "--format", format, &all, &none], b"");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: cannot read `"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    ran
}

#[test]
fn json_lines_have_documents_findings_and_a_summary() {
    let folder = folder("check-json");
    let ran = report(&folder, "json");
    let rows: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [broken, good, line, last] = rows.as_slice() else { panic!("{}", ran.stdout) };
    assert_eq!(
        *good,
        json!({"file": folder.path("good.json"), "subject": "response-v2",
        "kept": true, "findings": []})
    );
    assert_eq!(broken["file"], folder.path("a & <b>.json"));
    assert_eq!((&broken["kept"], &broken["line"]), (&json!(false), &Value::Null));
    let finding = &broken["findings"][0];
    assert_eq!(finding["grade"], "violation");
    assert_eq!(finding["clause"], "R3");
    assert_eq!(finding["pointer"], "/error");
    assert_eq!(finding["line"], 1);
    for name in ["rule", "message"] {
        assert!(finding[name].is_string(), "{finding}");
    }
    assert!(finding["column"].as_u64().unwrap() > 1);
    assert_eq!((&line["line"], &line["findings"][0]["line"]), (&json!(3), &json!(3)));
    let summary = &last["summary"];
    assert_eq!(summary["documents"], 5);
    assert_eq!((&summary["kept"], &summary["broken"]), (&json!(3), &json!(2)));
    assert_eq!(summary["subjects"], json!({"response-v2": 5}));
    assert_eq!((&summary["unreadable"], &summary["findings_left_out"]), (&json!(1), &json!(0)));
}

#[test]
fn sarif_is_one_run_with_its_rules() {
    let folder = folder("check-sarif");
    let ran = report(&folder, "sarif");
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 2);
    let rules: Vec<&Value> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        assert!(location["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(location["region"]["startColumn"].as_u64().unwrap() >= 1);
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("file:///") && !uri.contains([' ', '<', '&']), "{uri}");
    }
    let pointer = &results[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
    assert_eq!(pointer, "/error");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    // A run without findings has a complete report, too. A relative path becomes a relative URI.
    let ran = manila(&["check", "--format", "sarif"], GOOD.as_bytes());
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &log["runs"][0]["results"]), (0, &json!([])));
    let ran = manila(&["check", "--format", "sarif", "examples/../README.md"], b"");
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "examples/../README.md");
}

#[test]
fn junit_has_a_test_for_each_file() {
    let folder = folder("check-junit");
    let ran = report(&folder, "junit");
    let text = folder.strip_path(&ran.stdout);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(lines[0], r#"<?xml version="1.0" encoding="UTF-8"?>"#);
    assert_eq!(lines[1], r#"<testsuites name="manila check">"#);
    assert_eq!(*lines.last().unwrap(), "</testsuites>");
    for expected in [
        r#"<testsuite name="a &amp; &lt;b&gt;.json" tests="1" failures="1" errors="0">"#,
        r#"<testsuite name="good.json" tests="1" failures="0" errors="0">"#,
        r#"<testcase classname="manila.check" name="good.json"></testcase>"#,
        r#"<testsuite name="l.jsonl" tests="1" failures="1" errors="0">"#,
        r#"<testsuite name="none.json" tests="1" failures="0" errors="1">"#,
    ] {
        assert!(lines.contains(&expected), "{expected} is missing from\n{text}");
    }
    assert_eq!(text.matches("<testsuite ").count(), 4);
    assert_eq!(text.matches("<failure ").count(), 2);
    assert!(text.contains("in 1 of 3 documents\">3:"), "{text}");
    // An input without lines is a test case as well.
    let ran = manila(&["check", "--lines", "--format", "junit"], b"");
    assert_eq!(ran.stdout.matches("<testcase ").count(), 1);
}

/// Member names in documents are untrusted: they must not break a report or move the cursor.
#[test]
fn untrusted_names_cannot_break_a_report() {
    let text =
        format!("{{\"a]]>\\n<x y='\\\"'>&\\u001b[31m\\u0000\\uffff\\u202e\":1,{}", &GOOD[1..]);
    for format in ["human", "json", "sarif", "junit"] {
        let ran = manila(&["check", "--format", format, "-c", "response-v2"], text.as_bytes());
        let is_plain = |character: char| !character.is_control() || character == '\n';
        assert!(ran.stdout.chars().all(is_plain), "{format}: {:?}", ran.stdout);
        match format {
            "json" => {
                assert!(ran.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
            }
            "sarif" => assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok()),
            "junit" => assert!(!ran.stdout.contains("<x") && !ran.stdout.contains("]]>")),
            _ => assert!(!ran.stdout.contains('\u{202e}')),
        }
    }
}
