//! `[tool.NAME]`: settings for one tool.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use manila_files::{ConfigError, Key, Kind, key, values};
use serde::Deserialize;
use toml::Spanned;

use super::settings::{OutputCheck, OutputCheckValue, PlacementValue};
use super::value::result_format;
use crate::protocol::presentation::{Placement, ResultFormat};

/// The keys of `[tool.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key("tool.NAME", Kind::Table, "table for one tool, by the name that clients see"),
    key(
        "tool.NAME.contract",
        Kind::ContractOrNone,
        "contract for the tool's results, or `none` to pass them through",
    ),
    key(
        "tool.NAME.placement",
        Kind::Enum(PlacementValue::NAMES),
        "where the envelope goes in the tool's results",
    ),
    key("tool.NAME.timeout", Kind::Time, "how long a call may take"),
    key(
        "tool.NAME.output_check",
        Kind::Enum(OutputCheckValue::NAMES),
        "what to do with results that do not match the tool's `outputSchema`",
    ),
    key(
        "tool.NAME.redact",
        Kind::Flag,
        "`false` forwards this tool's results unredacted; each time, Manila logs a warning",
    ),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ToolTable {
    contract: Option<Spanned<String>>,
    placement: Option<PlacementValue>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckValue>,
    redact: Option<bool>,
}

/// The settings for one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// The format of its results.
    pub format: Option<ResultFormat>,
    /// Where the envelope goes in its results.
    pub placement: Option<Placement>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// What to do with results that do not match its `outputSchema`.
    pub output_check: Option<OutputCheck>,
}

/// Reads the tables, keyed by tool name.
pub(super) fn read(
    text: &str,
    tables: &BTreeMap<String, ToolTable>,
) -> Result<BTreeMap<String, ToolSettings>, ConfigError> {
    let of = |table: &ToolTable| {
        let timeout = table.timeout.as_ref();
        let timeout = timeout.map(|it| manila_files::read(text, it, values::duration));
        Ok(ToolSettings {
            format: table.contract.as_ref().map(|id| result_format(text, id)).transpose()?,
            placement: table.placement.map(Placement::from),
            timeout: timeout.transpose()?,
            output_check: table.output_check.map(OutputCheck::from),
        })
    };
    tables.iter().map(|(name, table)| Ok((name.clone(), of(table)?))).collect()
}

/// Returns the tools whose results are not redacted.
pub(super) fn unredacted_tools(tables: &BTreeMap<String, ToolTable>) -> BTreeSet<String> {
    let is_off = |(_, table): &(&String, &ToolTable)| table.redact == Some(false);
    tables.iter().filter(is_off).map(|(name, _)| name.clone()).collect()
}
