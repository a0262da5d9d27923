use std::time::Duration;

use super::*;

/// Returns the encoded metrics after calls of these tools, if clients can list only tools whose
/// names begin with `t`.
fn encode_after(tools: impl IntoIterator<Item = String>) -> String {
    let metrics = Metrics::default();
    metrics.set_is_listed(Box::new(|tool| tool.starts_with('t')));
    for tool in tools {
        let duration = Duration::from_millis(1);
        metrics.count(&Arc::from("s"), &Event::Called { tool, failure: None, duration });
    }
    metrics.encode(Gauges { n_in_flight: 0, n_sessions: 0 })
}

#[track_caller]
fn check(tools: impl IntoIterator<Item = String>, expected: &[(&str, u64)]) {
    let text = encode_after(tools);
    for (tool, n_calls) in expected {
        let line =
            format!("manila_calls_total{{server=\"s\",tool=\"{tool}\",code=\"ok\"}} {n_calls}\n");
        assert!(text.contains(&line), "{line}: {text:.2000}");
    }
    let n_labels = text.lines().filter(|line| line.starts_with("manila_calls_total")).count();
    assert_eq!(n_labels, expected.len());
}

#[test]
fn only_listed_tools_have_labels() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    check(names(&["t1", "t1", "t2", "invented"]), &[("t1", 2), ("t2", 1), ("(other)", 1)]);
    check(names(&["(other)", "x"]), &[("(other)", 2)]);
    check((0..5_000).map(|n| format!("invented {n}")), &[("(other)", 5_000)]);
    let long = format!("t{}", "x".repeat(TOOL_BYTES_MAX));
    check([long.clone(), long[1..].to_owned()], &[("(other)", 2)]);
    check([long[..TOOL_BYTES_MAX].to_owned()], &[(&long[..TOOL_BYTES_MAX], 1)]);
}

#[test]
fn the_number_of_labels_is_limited() {
    let text = encode_after((0..TOOLS_MAX + 500).map(|n| format!("t{n}")));
    let counted = text.lines().filter(|line| line.starts_with("manila_calls_total"));
    assert_eq!(counted.count(), TOOLS_MAX + 1);
    assert!(text.contains(r#"tool="(other)",code="ok"} 500"#));
    assert!(text.len() < 5_000_000, "{}", text.len());
}
