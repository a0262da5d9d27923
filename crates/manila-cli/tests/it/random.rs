//! Random input for every command that reads: it exits with a status and never panics.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::program::manila;

/// Returns a runner with few cases, because each case starts the program several times.
fn runner() -> TestRunner {
    let config =
        ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
}

#[test]
fn no_command_panics_on_random_bytes() {
    let token = prop_oneof![
        any::<Vec<u8>>(),
        Just(b"{\"observed\":{\"said\":\"".to_vec()),
        Just(b"\"}}\n".to_vec()),
        Just(b"{\"observed\":{\"mcp\":{\"content\":[".to_vec()),
        Just(b"{\"meta\":{\"version\":\"response-v2\"},\"data\":{\"".to_vec()),
        Just(b"{\"mcpServers\":{\"a\":{\"command\":\"".to_vec()),
        Just(b"{\"ts\":\"2026-01-02T03:04:05Z\",\"status\":\"ok\",\"durationMs\":".to_vec()),
        Just(b"\n".to_vec()),
    ];
    let bytes = prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat());
    let outcome = runner().run(&bytes, |bytes| {
        for args in [
            &["seal", "--contract", "all"][..],
            &["seal", "--lines"],
            &["check"],
            &["check", "--lines", "--format", "sarif"],
            &["check", "--lines", "--format", "junit", "-c", "request-envelope"],
            &["log", "-"],
            &["log", "--summary", "-"],
            &["convert", "--to", "envelope-v1"],
            &["import"],
            &["convert", "--to", "response-v2", "--from", "machine-readable-v1", "--lines"],
        ] {
            let ran = manila(args, &bytes);
            prop_assert!((0..=2).contains(&ran.code), "{args:?} ended with {}", ran.code);
            prop_assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
            // The program writes only complete lines to stdout.
            prop_assert!(ran.stdout.is_empty() || ran.stdout.ends_with('\n'));
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn no_argument_panics() {
    let outcome = runner().run(&"[^\u{0}]{0,30}", |text| {
        for args in
            [["explain", text.as_str()], ["schema", &text], ["seal", &text], ["check", &text]]
        {
            let ran = manila(&args, b"");
            prop_assert!((0..=2).contains(&ran.code), "{args:?} ended with {}", ran.code);
        }
        Ok(())
    });
    outcome.unwrap();
}
