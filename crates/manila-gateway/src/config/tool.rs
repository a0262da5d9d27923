//! `[tool.NAME]`: what differs for one tool.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use manila_files::{ConfigError, Key, Kind, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::settings::{OutputCheck, OutputCheckWord, PlacementWord};
use super::value::shape;
use crate::protocol::presentation::{Placement, Shape};

/// The keys of `[tool.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key("tool.NAME", Kind::Table, "a table for the tool of this name, as clients know it"),
    key("tool.NAME.contract", Kind::Shape, "the contract of its answers"),
    key(
        "tool.NAME.placement",
        Kind::Words(PlacementWord::WORDS),
        "where the envelope goes in its results",
    ),
    key("tool.NAME.timeout", Kind::Time, "how long a call of it may take"),
    key(
        "tool.NAME.output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of answers that do not fit its `outputSchema`",
    ),
    key(
        "tool.NAME.redact",
        Kind::Flag,
        "`false` leaves this tool's answers as they are; the log tells each time",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ToolTable {
    contract: Option<Spanned<String>>,
    placement: Option<PlacementWord>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckWord>,
    redact: Option<bool>,
}

/// What is other for one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// What becomes of its results.
    pub shape: Option<Shape>,
    /// Where the envelope goes.
    pub placement: Option<Placement>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What becomes of answers that are not what it promises.
    pub output_check: Option<OutputCheck>,
}

/// Reads the tables, by the names of their tools.
pub(super) fn read(
    text: &str,
    tables: &BTreeMap<String, ToolTable>,
) -> Result<BTreeMap<String, ToolSettings>, ConfigError> {
    let of = |table: &ToolTable| {
        let timeout = table.timeout.as_ref();
        let timeout = timeout.map(|it| manila_files::read(text, it, values::duration));
        Ok(ToolSettings {
            shape: table.contract.as_ref().map(|id| shape(text, id)).transpose()?,
            placement: table.placement.map(Placement::from),
            timeout: timeout.transpose()?,
            output_check: table.output_check.map(OutputCheck::from),
        })
    };
    tables.iter().map(|(name, table)| Ok((name.clone(), of(table)?))).collect()
}

/// The tools whose results are not redacted.
pub(super) fn not_redacted(tables: &BTreeMap<String, ToolTable>) -> BTreeSet<String> {
    let is_off = |(_, table): &(&String, &ToolTable)| table.redact == Some(false);
    tables.iter().filter(is_off).map(|(name, _)| name.clone()).collect()
}
