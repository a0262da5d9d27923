//! Summarizes the journal: failures by code, and the slowest tools.

use std::collections::BTreeMap;
use std::fmt::Write;

use manila::Timestamp;
use serde::Serialize;

use super::entry::Entry;
use super::human::milliseconds;
use crate::refusal::visible;

/// Maximum number of tools in the table.
const TOOLS_MAX: usize = 20;

/// Counts so far.
#[derive(Default)]
pub(super) struct Summary {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    n_calls: u64,
    failed: BTreeMap<String, u64>,
    tools: BTreeMap<String, Tool>,
}

#[derive(Default)]
struct Tool {
    n: u64,
    n_failed: u64,
    durations_ms: Vec<f64>,
}

/// The summary, as printed with --json.
#[derive(Serialize)]
pub(super) struct Totals {
    calls: u64,
    ok: u64,
    failed: u64,
    first: Option<String>,
    last: Option<String>,
    /// Most frequent first.
    errors: Vec<ErrorRow>,
    /// Slowest first.
    tools: Vec<ToolRow>,
}

#[derive(Serialize)]
struct ErrorRow {
    status: String,
    n: u64,
}

#[derive(Serialize)]
struct ToolRow {
    tool: String,
    n: u64,
    failed: u64,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    max_ms: Option<f64>,
}

impl Summary {
    pub(super) fn add(&mut self, entry: Entry) {
        if entry.is_journal_event() {
            return;
        }
        self.n_calls += 1;
        self.first = self.first.map_or(Some(entry.at), |first| Some(first.min(entry.at)));
        self.last = self.last.max(Some(entry.at));
        let is_ok = entry.is_ok();
        if let Some(tool) = entry.tool {
            let tool = self.tools.entry(tool).or_default();
            tool.n += 1;
            tool.n_failed += u64::from(!is_ok);
            tool.durations_ms.extend(entry.duration_ms);
        }
        if !is_ok {
            *self.failed.entry(entry.status).or_default() += 1;
        }
    }

    pub(super) fn into_totals(self) -> Totals {
        let failed = self.failed.values().sum();
        let errors = self.failed.into_iter().map(|(status, n)| ErrorRow { status, n });
        let mut errors: Vec<ErrorRow> = errors.collect();
        errors.sort_by_key(|row| std::cmp::Reverse(row.n));
        let mut tools: Vec<ToolRow> = self.tools.into_iter().map(ToolRow::of).collect();
        let slow = |row: &ToolRow| row.p95_ms.unwrap_or(-1.0);
        tools.sort_by(|a, b| slow(b).total_cmp(&slow(a)));
        let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let (calls, ok) = (self.n_calls, self.n_calls - failed);
        let (first, last) = (text(self.first), text(self.last));
        Totals { calls, ok, failed, first, last, errors, tools }
    }
}

impl ToolRow {
    fn of((tool, Tool { n, n_failed, mut durations_ms }): (String, Tool)) -> ToolRow {
        durations_ms.sort_by(f64::total_cmp);
        // Nearest rank: the duration of an actual call.
        let at = |percent: usize| {
            let rank = (durations_ms.len() * percent).div_ceil(100);
            durations_ms.get(rank.saturating_sub(1)).copied()
        };
        let (p50_ms, p95_ms, max_ms) = (at(50), at(95), at(100));
        ToolRow { tool, n, failed: n_failed, p50_ms, p95_ms, max_ms }
    }
}

impl Totals {
    /// Formats the summary as a table.
    pub(super) fn table(&self) -> String {
        let mut text = format!("calls   {:>8}", self.calls);
        if let (Some(first), Some(last)) = (&self.first, &self.last) {
            let _ = write!(text, "  from {first} to {last}");
        }
        let _ = write!(text, "\nok      {:>8}\nfailed  {:>8}", self.ok, self.failed);
        if self.failed > 0 {
            let tenths = self.failed.saturating_mul(1000) / self.calls;
            let _ = write!(text, "  {}.{} %", tenths / 10, tenths % 10);
        }
        if !self.errors.is_empty() {
            let _ = write!(text, "\n\n{:<24} {:>8}", "STATUS", "N");
        }
        for ErrorRow { status, n } in &self.errors {
            let _ = write!(text, "\n{:<24} {n:>8}", visible(status));
        }
        if !self.tools.is_empty() {
            let columns = ["TOOL", "N", "FAILED", "P50", "P95", "MAX"].map(str::to_owned);
            let _ = write!(text, "\n\n{}", tool_line(&columns));
        }
        for row in self.tools.iter().take(TOOLS_MAX) {
            let time = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), milliseconds);
            let [p50, p95, max] = [row.p50_ms, row.p95_ms, row.max_ms].map(time);
            let columns =
                [visible(&row.tool), row.n.to_string(), row.failed.to_string(), p50, p95, max];
            let _ = write!(text, "\n{}", tool_line(&columns));
        }
        if let Some(n_more @ 1..) = self.tools.len().checked_sub(TOOLS_MAX) {
            let _ = write!(text, "\n{n_more} faster tools not shown; --json lists all");
        }
        text
    }
}

fn tool_line([tool, n, failed, p50, p95, max]: &[String; 6]) -> String {
    format!("{tool:<32} {n:>8} {failed:>7} {p50:>8} {p95:>8} {max:>8}")
}
