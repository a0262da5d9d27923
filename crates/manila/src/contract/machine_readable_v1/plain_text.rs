//! The same for people (M11): what a program printed, or what a tool said, without an envelope.

use crate::outcome::{Content, Ended, Outcome, Run};
use crate::prepared::attest::Attested;
use crate::raw_json::Kind;

/// An answer as a person reads it: a program's output, `Errors:` and its standard error if there is
/// any, and its exit code; what a tool answered; or `Error:` and what went wrong.
///
/// ```
/// use manila::{Context, Observation, pipeline, plain_text};
///
/// let observation = Observation::from_json(r#"{"observed": {"said": "hello"}}"#)?;
/// let settings = pipeline::Settings::default();
/// let prepared = pipeline::prepare(observation, &settings, &Context::new([0; 16]));
/// assert_eq!(plain_text(&prepared), "hello");
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn plain_text(attested: &Attested) -> String {
    let outcome = attested.outcome();
    match (&outcome.run, &outcome.ended) {
        (Some(run @ Run { exit: Some(exit), .. }), _) => printed(run, *exit),
        (_, Ended::Done(_)) => said(outcome),
        (_, Ended::Failed { failures, .. }) => format!("Error: {}", failures.first().message),
    }
}

fn printed(run: &Run, exit: i64) -> String {
    let mut text = run.stdout.clone();
    let end_line = |text: &mut String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    };
    if !run.stderr.is_empty() {
        end_line(&mut text);
        text.push_str("Errors:\n");
        text.push_str(&run.stderr);
    }
    end_line(&mut text);
    text + "Exit Code: " + &exit.to_string()
}

fn said(outcome: &Outcome) -> String {
    match outcome.content() {
        Content::Nothing => String::new(),
        Content::Text(text) => text.to_owned(),
        Content::Json(json) => match json.kind() {
            Kind::Null => String::new(),
            Kind::String | Kind::Object | Kind::Array | Kind::Number | Kind::Bool => {
                super::text_of(json)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::plain_text;
    use crate::observed::Observation;
    use crate::{Context, pipeline};

    #[track_caller]
    fn check(observed: &str, expected: &str) {
        let json = format!(r#"{{"observed": {observed}}}"#);
        let observation = Observation::from_json(json).unwrap();
        let settings = pipeline::Settings::default();
        let prepared = pipeline::prepare(observation, &settings, &Context::new([0; 16]));
        assert_eq!(plain_text(&prepared), expected);
    }

    #[test]
    fn what_people_read() {
        check(r#"{"said": "two\nlines"}"#, "two\nlines");
        check(r#"{"answered": {"a": 1.0}}"#, r#"{"a":1.0}"#);
        check(r#"{"answered": null}"#, "");
        check(r#"{"exited": {"code": 0, "stdout": "out\n", "stderr": ""}}"#, "out\nExit Code: 0");
        check(
            r#"{"exited": {"code": 2, "stdout": "out", "stderr": "oh no\n"}}"#,
            "out\nErrors:\noh no\nExit Code: 2",
        );
        check(r#"{"invalid": {"message": "a is required"}}"#, "Error: a is required");
        check(r#"{"said": "token ghp_0123456789abcdefghijABCDEFGHIJ012345"}"#, "token [REDACTED]");
    }
}
