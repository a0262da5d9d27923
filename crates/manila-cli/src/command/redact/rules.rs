//! Prints the table of rules.

use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::output::Output;

/// A rule as JSON.
#[derive(Serialize)]
struct RuleRow {
    name: &'static str,
    protects: &'static str,
    looks_for: String,
    example: String,
    counterexample: String,
}

/// Prints all rules.
pub(super) fn list(is_json: bool, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let rows = manila_redact::rules().iter().map(|rule| RuleRow {
        name: rule.name(),
        protects: rule.protects(),
        looks_for: rule.pattern().into_owned(),
        example: rule.example().to_owned(),
        counterexample: rule.counterexample().to_owned(),
    });
    if is_json {
        let rows: Vec<RuleRow> = rows.collect();
        out.line(&serde_json::to_vec_pretty(&rows)?)?;
        return Ok(ExitStatus::Success);
    }
    for RuleRow { name, protects, looks_for, .. } in rows {
        let looks_for = looks_for.replace('\n', "\\n");
        out.line(format!("{name}\n    {protects}\n    {looks_for}").as_bytes())?;
    }
    Ok(ExitStatus::Success)
}
