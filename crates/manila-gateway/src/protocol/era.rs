//! The eras of MCP: how a peer starts a connection, and which features it supports.

use manila::{JsonObject, RawJson};

pub(crate) mod meta;
mod requests;
mod results;

pub(crate) use requests::{OwnInfo, modern_params, translate_request};
pub(crate) use results::translate_result;

/// The generation of MCP that a peer uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With an `initialize` handshake, in this revision.
    Legacy(Revision),
    /// Without a handshake: each request is self-contained (2026-07-28).
    Modern,
}

/// A revision of the legacy era, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18, the first with structured results
    V2025_06_18,
    /// 2025-11-25, the last with a handshake
    V2025_11_25,
}

impl Revision {
    /// Every revision, the oldest first.
    pub const ALL: [Revision; 4] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
    ];

    /// The newest revision.
    pub const LATEST: Revision = Revision::V2025_11_25;

    /// Returns the date of the revision, as written in messages.
    #[must_use]
    pub const fn date(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
        }
    }

    /// Returns the revision for a client that requests `date`: that one if known, else the newest.
    #[must_use]
    pub fn negotiate(date: &str) -> Revision {
        let known = Revision::ALL.into_iter().find(|revision| revision.date() == date);
        known.unwrap_or(Revision::LATEST)
    }
}

impl std::fmt::Display for Era {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.date())
    }
}

impl Era {
    /// The era that is assumed for a peer that has not declared one.
    pub(crate) const FALLBACK: Era = Era::Legacy(Revision::LATEST);

    /// Returns the date of the revision, as written in messages.
    #[must_use]
    pub const fn date(self) -> &'static str {
        match self {
            Era::Legacy(revision) => revision.date(),
            Era::Modern => "2026-07-28",
        }
    }

    /// Returns the dates of all supported revisions, the newest first.
    pub(crate) fn dates() -> Vec<&'static str> {
        let legacy = Revision::ALL.into_iter().rev().map(Revision::date);
        std::iter::once(Era::Modern.date()).chain(legacy).collect()
    }

    /// Returns whether two peers are of the same era.
    pub(crate) const fn is_same_era(self, other: Era) -> bool {
        matches!((self, other), (Era::Legacy(_), Era::Legacy(_)) | (Era::Modern, Era::Modern))
    }

    /// Returns whether the peer supports `structuredContent` and `outputSchema`.
    #[must_use]
    pub fn has_structured_results(self) -> bool {
        match self {
            Era::Legacy(revision) => revision >= Revision::V2025_06_18,
            Era::Modern => true,
        }
    }
}

/// Returns the key and the text of the parameter that names the requested item. The modern era
/// repeats it in the header `Mcp-Name`. `name` is the parameter `name`.
pub(crate) fn name_of(
    method: &str,
    name: Option<&RawJson>,
    params: Option<&JsonObject>,
) -> Option<(&'static str, String)> {
    let (key, value) = match method {
        "tools/call" | "prompts/get" => ("name", name.cloned()),
        "resources/read" => ("uri", params?.get("uri")),
        _ if method.starts_with("tasks/") => ("taskId", params?.get("taskId")),
        _ => return None,
    };
    Some((key, value?.as_text()?.into_owned()))
}

/// The log levels, the least severe first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Returns whether a message of this level reaches the minimum. Without a valid minimum, no message
/// does.
pub(crate) fn is_severe_enough(level: Option<&RawJson>, minimum: Option<&RawJson>) -> bool {
    let rank = |level: Option<&RawJson>| {
        let name = level.and_then(RawJson::as_text)?;
        LEVELS.iter().position(|it| **it == *name)
    };
    rank(minimum).is_some_and(|minimum| rank(level).is_none_or(|level| level >= minimum))
}

/// Returns whether this is the name of a log level.
pub(crate) fn is_level(name: &str) -> bool {
    LEVELS.contains(&name)
}
