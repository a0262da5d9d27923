//! `manila log`: shows the journal.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use manila::stage::record::{Record, RecordedFailure, Transport};
use manila::stage::redact::Redaction;
use manila::{Code, JsonObject, Timestamp};
use manila_gateway::journal::{Closed, Journal, JournalSettings};
use serde_json::{Value, json};

use crate::program::{RunOutput, Scratch, manila};

/// 2026-01-02T03:04:05.678Z
const AT: i64 = 1_767_323_045_678;

/// Returns the record of a call, `after_ms` milliseconds after [`AT`].
fn call(tool: &str, after_ms: i64, duration_ms: u64) -> Record<'_> {
    let mut record = Record::new(Timestamp::from_unix_ms(AT + after_ms), Some("tools/call"));
    (record.transport, record.tool_id) = (Some(Transport::Stdio), Some(tool));
    record.duration = Some(Duration::from_millis(duration_ms));
    (record.input_bytes, record.output_bytes) = (Some(120), Some(4100));
    record
}

fn line(record: &Record<'_>) -> String {
    String::from_utf8(record.line(Redaction::Standard)).unwrap()
}

/// Returns four requests: two succeeded and two failed.
fn journal() -> Vec<String> {
    let details = JsonObject::build(|object| object.member("limitMs", &2000_u64));
    let failed = |code, message, details| Some(RecordedFailure { code, message, details });
    let mut slow = call("search", 1000, 2001);
    slow.failure = failed(Code::Timeout, "no answer in time", Some(&details));
    let mut unknown = call("serach", 2000, 0);
    unknown.transport = Some(Transport::Http);
    unknown.failure = failed(Code::ToolNotFound, "", None);
    let mut list = Record::new(Timestamp::from_unix_ms(AT + 3000), Some("tools/list"));
    list.transport = Some(Transport::Http);
    [call("echo", 0, 12), slow, unknown, list].iter().map(line).collect()
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

fn log(args: &[&str], input: &str) -> RunOutput {
    manila(&[&["log"], args, &["-"]].concat(), input.as_bytes())
}

#[test]
fn prints_a_line_for_each_request() {
    let ran = log(&[], &text(&journal()));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let expected = [
        "2026-01-02T03:04:05.678Z  ok                    echo                       12.0ms     120B in    4.1kB out",
        "2026-01-02T03:04:06.678Z  timeout               search                      2.00s     120B in    4.1kB out  no answer in time {\"limitMs\":2000}",
        "2026-01-02T03:04:07.678Z  tool_not_found        serach                     0.00ms     120B in    4.1kB out  Unknown tool",
        "2026-01-02T03:04:08.678Z  ok                    tools/list                      -        - in        - out",
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn filters_requests() {
    let lines = journal();
    let input = text(&lines);
    let cases: [(&[&str], &[usize]); 12] = [
        (&[], &[0, 1, 2, 3]),
        (&["--status", "ok"], &[0, 3]),
        (&["--status", "failed"], &[1, 2]),
        (&["--status", "TOOL_NOT_FOUND"], &[2]),
        (&["--status", "timeout"], &[1]),
        (&["--tool", "echo"], &[0]),
        (&["--transport", "http"], &[2, 3]),
        (&["--transport", "http", "--status", "ok"], &[3]),
        (&["--method", "tools/call"], &[0, 1, 2]),
        (&["--since", "2026-01-02T04:04:07+01:00"], &[2, 3]),
        (&["--since", "99999d"], &[0, 1, 2, 3]),
        (&["--since", "1s"], &[]),
    ];
    for (args, matching) in cases {
        let ran = log(&[args, &["--json"]].concat(), &input);
        let expected: Vec<String> = matching.iter().map(|n| lines[*n].clone()).collect();
        assert_eq!((ran.code, ran.stdout), (0, text(&expected)), "{args:?}");
        let note = if expected.is_empty() {
            "note: no line matches the filter (4 lines read)\n"
        } else {
            ""
        };
        assert_eq!(ran.stderr, note, "{args:?}");
    }
}

#[test]
fn rejects_invalid_options_with_a_hint() {
    for (args, expected) in [
        (["--status", "timeuot"], "did you mean `timeout`?"),
        (["--status", "500"], "must be `ok`, `failed` or a failure code"),
        (["--since", "10"], "e.g. 10m"),
        (["--since", "-5m"], "error: "),
        (["--since", "10µ"], "e.g. 10m"),
        (["--transport", "carrier-pigeon"], "use one of: stdio, http"),
        (["--follow", "--summary"], "cannot be used with"),
    ] {
        let ran = log(&args, "");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: "), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn skips_and_counts_unreadable_lines() {
    let lines = journal();
    let long = format!("{{\"ts\":\"{}\"}}", "x".repeat(2 << 20));
    let half = &lines[0][..100];
    let broken = ["no json", "{}", "[]", &long, half, "{\"ts\":\"yesterday\",\"status\":\"ok\"}"];
    let input = format!("{}\n\n{}\n{}", lines[0], broken.join("\n"), text(&lines[1..]));
    let ran = log(&["--json"], &input);
    assert_eq!((ran.code, ran.stdout), (0, text(&lines)));
    assert_eq!(ran.stderr, "note: 6 lines could not be read and were skipped\n");
    let ran = log(&["--summary"], "\u{0}\u{FF}");
    assert_eq!(ran.stderr, "note: 1 line could not be read and was skipped\n");
    assert_eq!((ran.code, ran.stdout.lines().next()), (0, Some("calls          0")));
}

#[test]
fn escapes_control_characters_in_tool_names() {
    let record = call("\u{1b}[2Jecho\r\u{202e}", 0, 1);
    let ran = log(&[], &text(&[line(&record)]));
    assert!(ran.stdout.contains(r"\u{1b}[2Jecho\r\u{202e}"), "{}", ran.stdout);
}

#[test]
fn a_summary_counts_requests() {
    let mut lines = journal();
    // 1 ms to 100 ms, unsorted.
    lines.extend(
        (0..100).map(|n| line(&call("many", 4000 + n, 1 + u64::try_from(n * 37 % 100).unwrap()))),
    );
    let ran = log(&["--summary"], &text(&lines));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let expected = "\
calls        104  from 2026-01-02T03:04:05.678Z to 2026-01-02T03:04:09.777Z
ok           102
failed         2  1.9 %

STATUS                          N
timeout                         1
tool_not_found                  1

TOOL                                    N  FAILED      P50      P95      MAX
search                                  1       1    2.00s    2.00s    2.00s
many                                  100       0   50.0ms   95.0ms    100ms
echo                                    1       0   12.0ms   12.0ms   12.0ms
serach                                  1       1   0.00ms   0.00ms   0.00ms
";
    assert_eq!(ran.stdout, expected);

    let ran = log(&["--summary", "--json", "--tool", "many"], &text(&lines));
    let numbers: Value = serde_json::from_str(&ran.stdout).unwrap();
    let expected = json!({
        "calls": 100, "ok": 100, "failed": 0,
        "first": "2026-01-02T03:04:09.678Z", "last": "2026-01-02T03:04:09.777Z",
        "errors": [],
        "tools": [{
            "tool": "many", "n": 100, "failed": 0,
            "p50_ms": 50.0, "p95_ms": 95.0, "max_ms": 100.0,
        }],
    });
    assert_eq!(numbers, expected);
}

/// Starts `manila log` with this folder as `MANILA_HOME`.
fn start_with_home(home: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manila"));
    command.arg("log").args(args).env("MANILA_HOME", home).current_dir(home);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn home(test: &str) -> (Scratch, PathBuf) {
    let scratch = Scratch::new(test);
    let home = PathBuf::from(scratch.file("home/here", "")).parent().unwrap().to_path_buf();
    (scratch, home)
}

fn open(home: &Path, file_bytes_max: u64) -> Journal {
    let settings = JournalSettings { file_bytes_max, ..JournalSettings::new(home.join("runs")) };
    Journal::open(settings, Arc::new(|event| panic!("{event:?}"))).unwrap()
}

#[test]
fn reads_all_files_of_the_journal_by_default() {
    let (_scratch, home) = home("log-home");
    let missing = start_with_home(&home, &[]).wait_with_output().unwrap();
    let stderr = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr.starts_with("error: there is no journal in `"), "{stderr}");
    let hint = "runs`\nhint: `manila serve` with a configuration creates it";
    assert!(stderr.contains(hint), "{stderr}");

    // Three journals, one after the other, each with its own file.
    let lines = [0, 1, 2].map(|n| line(&call("echo", n, 1)));
    for line in &lines {
        let journal = open(&home, 1 << 20);
        journal.put(line.clone());
        assert_eq!(journal.close(Duration::from_secs(60)), Closed::Done);
    }
    let found = start_with_home(&home, &["--json"]).wait_with_output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), text(&lines));

    // The configuration uses a variable that is not set.
    let config = "[upstream.a]\nurl = \"${NOT_SET}\"\n[journal]\nfolder = \"elsewhere\"\n";
    std::fs::write(home.join("manila.toml"), config).unwrap();
    let missing = start_with_home(&home, &[]).wait_with_output().unwrap();
    let stderr = String::from_utf8(missing.stderr).unwrap();
    assert!(stderr.starts_with("error: there is no journal in `elsewhere`"), "{stderr}");
    std::fs::rename(home.join("manila.toml"), home.join("other.toml")).unwrap();
    std::fs::rename(home.join("runs"), home.join("elsewhere")).unwrap();
    let found =
        start_with_home(&home, &["--json", "--config", "other.toml"]).wait_with_output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap(), text(&lines));

    let other = start_with_home(&home, &["no-such-file"]).wait_with_output().unwrap();
    let stderr = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr.starts_with("error: cannot read `no-such-file`"), "{stderr}");
}

/// Waits for the next line of a program.
fn next(lines: &mut impl BufRead) -> String {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

#[cfg(unix)]
#[test]
fn follows_the_journal_across_files_until_interrupted() {
    let (_scratch, home) = home("log-follow");
    let mut child = start_with_home(&home, &["--follow", "--json", "--tool", "wanted"]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    assert!(next(&mut stderr).starts_with("note: waiting for the journal `"));

    // Each line fills a file. The test waits for it, so at most one file is new at each poll.
    let journal = open(&home, 10);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for n in 0..4 {
        let record = line(&call("wanted", n, 1));
        journal.put(record.clone());
        assert_eq!(next(&mut stdout), record);
    }
    journal.put("broken");
    journal.put(line(&call("other", 5, 1)));
    assert_eq!(journal.close(Duration::from_secs(60)), Closed::Done);
    drop(journal);
    // The program also follows a journal that another process starts.
    let journal = open(&home, 1 << 20);
    let record = line(&call("wanted", 6, 1));
    journal.put(record.clone());
    assert_eq!(next(&mut stdout), record);

    crate::mcp::signal("INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(next(&mut stdout), "");
}

#[cfg(unix)]
#[test]
fn following_a_file_discards_a_truncated_line() {
    use std::io::Write;
    let scratch = Scratch::new("log-cut");
    let path = scratch.file("journal.jsonl", text(&journal()[..1]));
    let args = ["log", "--follow", "--json", &path];
    let mut child = crate::program::start(&args);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    assert_eq!(next(&mut stdout), journal()[0]);
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    let n_bytes = file.metadata().unwrap().len();
    // Whether the program polls before or after the truncation, its next line is complete.
    write!(file, "{}", &journal()[1][..50]).unwrap();
    file.set_len(n_bytes).unwrap();
    let rest = text(&journal()[2..]);
    write!(file, "{rest}").unwrap();
    assert_eq!(next(&mut stdout), journal()[2]);
    assert_eq!(next(&mut stdout), journal()[3]);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn help_explains_the_options() {
    let help = manila(&["log", "--help"], b"").stdout;
    for text in ["--follow", "--since", "10m", "jq", "MANILA_HOME", "--summary", "Examples:"] {
        assert!(help.contains(text), "{text}");
    }
}
