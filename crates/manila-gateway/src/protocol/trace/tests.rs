use super::TraceContext;

const FRESH: [u8; 16] = [7; 16];
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[track_caller]
fn check(traceparent: &str, is_continued: bool) {
    let trace = TraceContext::continue_or_start(Some(traceparent), FRESH);
    assert_eq!(trace.trace_id() == TRACE, is_continued, "{traceparent}");
    let sent = trace.traceparent();
    assert_eq!(sent.len(), 55, "{sent}");
    assert!(sent.starts_with(&format!("00-{}-{}-", trace.trace_id(), trace.span_id())), "{sent}");
}

#[test]
fn continues_only_a_valid_trace() {
    check(&format!("00-{TRACE}-00f067aa0ba902b7-01"), true);
    check(&format!("00-{TRACE}-00f067aa0ba902b7-00"), true);
    // A later version may have more parts.
    check(&format!("cc-{TRACE}-00f067aa0ba902b7-01-more"), true);
    check(&format!("00-{TRACE}-00f067aa0ba902b7-01-more"), false);
    check(&format!("ff-{TRACE}-00f067aa0ba902b7-01"), false);
    check(&format!("00-{TRACE}-0000000000000000-01"), false);
    check(&format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()), false);
    check(&format!("00-{TRACE}-00f067aa0ba902b7"), false);
    check("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false);
    check("", false);
    check("nonsense", false);
}

#[test]
fn keeps_the_flag_of_a_trace_that_is_not_sampled() {
    let trace =
        TraceContext::continue_or_start(Some(&format!("00-{TRACE}-00f067aa0ba902b7-00")), FRESH);
    assert!(trace.traceparent().ends_with("-00"));
    assert!(TraceContext::continue_or_start(None, FRESH).traceparent().ends_with("-01"));
}
