//! The tables of the configuration, as they are written.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use serde::Deserialize;
use toml::Spanned;

use super::redact::RedactTable;
use super::words::words;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct File {
    pub(super) contract: Option<Spanned<String>>,
    pub(super) speaks: Option<Spanned<String>>,
    pub(super) placement: Option<PlacementWord>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) output_check: Option<OutputCheckWord>,
    pub(super) listen: ListenTable,
    pub(super) limits: LimitsTable,
    pub(super) upstream: BTreeMap<Spanned<String>, Spanned<UpstreamTable>>,
    pub(super) pack: BTreeMap<Spanned<String>, Spanned<PackTable>>,
    pub(super) tool: BTreeMap<String, ToolTable>,
    pub(super) redact: RedactTable,
    pub(super) journal: JournalTable,
}

words! {
    PlacementWord {
        Structured = "structured",
        Text = "text",
    }
}

words! {
    OutputCheckWord {
        Strict = "strict",
        Warn = "warn",
        Off = "off",
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListenTable {
    pub(super) http: Option<Spanned<String>>,
    pub(super) stdio: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LimitsTable {
    pub(super) message_bytes_max: Option<Spanned<String>>,
    pub(super) in_flight_max: Option<NonZeroUsize>,
    pub(super) in_flight_bytes_max: Option<Spanned<String>>,
    pub(super) queue_bytes_max: Option<Spanned<String>>,
    pub(super) connections_max: Option<NonZeroUsize>,
    pub(super) sessions_max: Option<NonZeroUsize>,
    pub(super) session_idle: Option<Spanned<String>>,
    pub(super) head_timeout: Option<Spanned<String>>,
    pub(super) body_timeout: Option<Spanned<String>>,
    pub(super) grace: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpstreamTable {
    pub(super) command: Option<Spanned<Vec<Spanned<String>>>>,
    pub(super) env: BTreeMap<String, Spanned<String>>,
    pub(super) pass_env: Vec<String>,
    pub(super) cwd: Option<Spanned<String>>,
    pub(super) url: Option<Spanned<String>>,
    pub(super) headers: BTreeMap<String, Spanned<String>>,
    pub(super) start: StartWord,
    pub(super) start_timeout: Option<Spanned<String>>,
    pub(super) contract: Option<Spanned<String>>,
    pub(super) speaks: Option<Spanned<String>>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) output_check: Option<OutputCheckWord>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) deny: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PackTable {
    pub(super) file: Option<Spanned<String>>,
    pub(super) roots: Vec<Spanned<String>>,
    pub(super) env: BTreeMap<String, Spanned<String>>,
    pub(super) pass_env: Vec<String>,
    pub(super) start: StartWord,
    pub(super) contract: Option<Spanned<String>>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) output_chars_max: Option<Spanned<NonZeroUsize>>,
    pub(super) programs_max: Option<NonZeroUsize>,
    pub(super) allow: Option<Vec<String>>,
    pub(super) deny: Vec<String>,
}

words! {
    #[derive(Default)]
    StartWord {
        #[default]
        Eager = "eager",
        Lazy = "lazy",
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ToolTable {
    pub(super) contract: Option<Spanned<String>>,
    pub(super) placement: Option<PlacementWord>,
    pub(super) timeout: Option<Spanned<String>>,
    pub(super) output_check: Option<OutputCheckWord>,
    pub(super) redact: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct JournalTable {
    pub(super) folder: Option<String>,
    pub(super) file_bytes_max: Option<Spanned<String>>,
    pub(super) files_max: Option<usize>,
}
