//! Filters the lines of the journal.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use manila::stage::record::{OK, Transport, failed_status};
use manila::{Code, Timestamp, closest};

use super::entry::Entry;

/// Conditions that a line must satisfy, all of them.
#[derive(clap::Args)]
pub(super) struct FilterArgs {
    /// Show only this status: `ok`, `failed`, or a failure code such as `timeout`
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<Status>,

    /// Show only calls of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// Show only requests over this transport
    #[arg(long, value_parser = PossibleValuesParser::new(Transport::ALL.map(Transport::name)))]
    transport: Option<String>,

    /// Show only this method, e.g. `tools/list`
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,

    /// Show only newer requests, e.g. 10m (ago) or 2026-01-02T03:04:05Z
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Since>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Status {
    Failed,
    Exactly(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    Ago(Duration),
    At(Timestamp),
}

/// The conditions, with relative times resolved.
pub(super) struct Filter {
    status: Option<Status>,
    tool: Option<String>,
    transport: Option<String>,
    method: Option<String>,
    since: Option<Timestamp>,
}

impl FilterArgs {
    pub(super) fn resolve(&self, now: Timestamp) -> Filter {
        let since = self.since.map(|since| match since {
            Since::At(time) => time,
            Since::Ago(duration) => {
                let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
                Timestamp::from_unix_ms(now.unix_ms().saturating_sub(ms))
            }
        });
        let FilterArgs { status, tool, transport, method, .. } = self;
        let (status, tool) = (status.clone(), tool.clone());
        Filter { status, tool, transport: transport.clone(), method: method.clone(), since }
    }
}

impl Filter {
    pub(super) fn matches(&self, entry: &Entry) -> bool {
        let is = |given: &Option<String>, found: &Option<String>| given.is_none() || given == found;
        let has_status = match &self.status {
            None => true,
            Some(Status::Failed) => !entry.is_ok(),
            Some(Status::Exactly(status)) => *status == entry.status,
        };
        has_status
            && is(&self.tool, &entry.tool)
            && is(&self.transport, &entry.transport)
            && is(&self.method, &entry.method)
            && self.since.is_none_or(|since| since <= entry.at)
    }
}

/// Parses `--status`.
fn status(text: &str) -> Result<Status, String> {
    const FAILED: &str = "failed";
    let found = text.to_ascii_lowercase();
    let codes = Code::ALL.iter().copied().map(failed_status);
    let known: Vec<String> = [OK, FAILED].map(str::to_owned).into_iter().chain(codes).collect();
    if !known.contains(&found) {
        let meant = closest(&found, known.iter().map(String::as_str));
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        return Err(format!("must be `ok`, `failed` or a failure code{meant}"));
    }
    Ok(if found == FAILED { Status::Failed } else { Status::Exactly(found) })
}

/// Parses `--since`.
fn since(text: &str) -> Result<Since, String> {
    if let Some(time) = Timestamp::parse(text) {
        return Ok(Since::At(time));
    }
    let (number, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(TIME_RULE.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| TIME_RULE.to_owned())?;
    Ok(Since::Ago(Duration::from_secs(number.saturating_mul(seconds))))
}

const TIME_RULE: &str = "must be a number with s, m, h or d, e.g. 10m, or an RFC 3339 time, \
                       e.g. 2026-01-02T03:04:05Z";
