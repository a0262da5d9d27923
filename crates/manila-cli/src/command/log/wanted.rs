//! Which lines of the journal are wanted.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use manila::stage::record::{OK, Transport, failed_status};
use manila::{Code, Moment, closest};

use super::entry::Entry;

/// Which lines are wanted: all that fit all of these.
#[derive(clap::Args)]
pub(super) struct WantedArgs {
    /// Only this status: `ok`, `failed`, or a failure code such as `timeout` (see manila errors)
    #[arg(long, value_name = "STATUS", value_parser = status)]
    status: Option<Status>,

    /// Only calls of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// Only what came this way
    #[arg(long, value_parser = PossibleValuesParser::new(Transport::ALL.map(Transport::name)))]
    transport: Option<String>,

    /// Only this method, e.g. `tools/list`
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,

    /// Only what is not older: 30s, 10m, 2h, 7d, or a time such as 2026-01-02T03:04:05Z
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
    At(Moment),
}

/// Which lines are wanted, now that it is known what time it is.
pub(super) struct Wanted {
    status: Option<Status>,
    tool: Option<String>,
    transport: Option<String>,
    method: Option<String>,
    since: Option<Moment>,
}

impl WantedArgs {
    pub(super) fn seen_from(&self, now: Moment) -> Wanted {
        let since = self.since.map(|since| match since {
            Since::At(moment) => moment,
            Since::Ago(duration) => {
                let ms = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
                Moment::from_unix_ms(now.unix_ms().saturating_sub(ms))
            }
        });
        let WantedArgs { status, tool, transport, method, .. } = self;
        let (status, tool) = (status.clone(), tool.clone());
        Wanted { status, tool, transport: transport.clone(), method: method.clone(), since }
    }
}

impl Wanted {
    pub(super) fn has(&self, entry: &Entry) -> bool {
        let is =
            |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
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

fn since(text: &str) -> Result<Since, String> {
    if let Some(moment) = Moment::parse(text) {
        return Ok(Since::At(moment));
    }
    let (number, unit) = text.split_at(text.trim_end_matches(char::is_alphabetic).len());
    let seconds = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err(NO_TIME.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| NO_TIME.to_owned())?;
    Ok(Since::Ago(Duration::from_secs(number.saturating_mul(seconds))))
}

const NO_TIME: &str = "must be a number with s, m, h or d, e.g. 10m, or a time of RFC 3339, \
                       e.g. 2026-01-02T03:04:05Z";
