use regex::Regex;

use super::{Progress, ProgressReader, REPORT_INTERVAL};
use manila_process::clock;
use manila_process::run::Stream;

#[test]
fn counts_lines_and_matches_patterns() {
    let now = clock::now();
    let mut reader = ProgressReader::new(None);
    let one = reader.on_output(Stream::Stdout, b"\x1b[32mone\x1b[0m\n\ntw", now);
    assert_eq!(one, Some(progress(1.0, "one")));
    // Nothing is reported again too soon, or without progress.
    assert_eq!(reader.on_output(Stream::Stdout, b"o\nthree\n", now), None);
    assert_eq!(reader.take_due(now + REPORT_INTERVAL), Some(progress(3.0, "three")));
    assert_eq!(reader.take_due(now + 2 * REPORT_INTERVAL), None);
    let pattern = Regex::new(r"^\[(?<done>\d+)/(?<total>\d+)\] (?<message>.*)").unwrap();
    let mut reader = ProgressReader::new(Some(&pattern));
    assert_eq!(reader.on_output(Stream::Stderr, b"noise\n", now), None);
    let last = reader.on_output(Stream::Stderr, b"[3/7] link\n", now).unwrap();
    assert_eq!((last.done, last.total), (3.0, Some(7.0)));
    assert_eq!(last.message.as_deref(), Some("link"));
}

fn progress(done: f64, message: &str) -> Progress {
    Progress { done, total: None, message: Some(message.to_owned()) }
}
