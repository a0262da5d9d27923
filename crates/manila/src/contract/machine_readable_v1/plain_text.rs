//! Results as text for people (M11), without an envelope.

use crate::outcome::{Content, Ended, Outcome, Run};
use crate::prepared::attest::Attested;
use crate::raw_json::Kind;

/// Formats a result as text for people.
///
/// - For a program that exited: its output, its standard error after `Errors:` if there is any, and
///   its exit code.
/// - For any other successful call: its payload.
/// - For any other failed call: `Error:` and the message.
///
/// ```
/// use manila::{Context, Observation, pipeline, render_plain_text};
///
/// let observation = Observation::from_json(r#"{"observed": {"said": "hello"}}"#)?;
/// let settings = pipeline::Settings::default();
/// let attested = pipeline::prepare(observation, &settings, &Context::new([0; 16]));
/// assert_eq!(render_plain_text(&attested), "hello");
/// # Ok::<(), manila::ReadError>(())
/// ```
#[must_use]
pub fn render_plain_text(attested: &Attested) -> String {
    let outcome = attested.outcome();
    match (&outcome.run, &outcome.ended) {
        (Some(run @ Run { exit: Some(exit), .. }), _) => render_run(run, *exit),
        (_, Ended::Done(_)) => render_content(outcome),
        (_, Ended::Failed { failures, .. }) => format!("Error: {}", failures.first().message),
    }
}

fn render_run(run: &Run, exit: i64) -> String {
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

fn render_content(outcome: &Outcome) -> String {
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
mod tests;
