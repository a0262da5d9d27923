//! Facts beside a result: warnings, paging, limits, timings, completeness.

use std::time::Duration;

use crate::raw_json::{JsonObject, ObjectWriter, RawJson};

/// Facts beside a result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Problems that did not stop the call.
    pub warnings: Vec<Warning>,
    /// The position of this page in a longer list.
    pub pagination: Option<JsonObject>,
    /// The caller's remaining quota.
    pub rate_limit: Option<JsonObject>,
    /// Timings and counts.
    pub telemetry: Option<JsonObject>,
    /// Features that the caller's tier withheld or limited (E9).
    pub upgrade_hints: Vec<UpgradeHint>,
    /// The tool's own facts about its run, as pairs of strings (M1).
    pub metadata: Vec<(String, String)>,
    /// Extra keys for `response-v2`'s `meta` (R4).
    pub meta: JsonObject,
    /// The completeness of the result.
    pub fidelity: Fidelity,
}

/// A problem that did not stop the call (R10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Its code, if it has one.
    pub code: Option<String>,
    /// The severity; `None` means that of the code.
    pub severity: Option<Severity>,
    /// The message.
    pub message: String,
    /// Further facts.
    pub context: JsonObject,
}

/// The severity of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// No action is needed.
    Info,
    /// It may need attention.
    Warning,
    /// It needs attention.
    Error,
}

impl Severity {
    /// Every severity, mildest first.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// Returns the severity with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// R10: the standard warning codes and their severities.
const STANDARD: [(&str, Severity); 6] = [
    ("CONTENT_TRUNCATED", Severity::Info),
    ("STALE_CACHE", Severity::Warning),
    ("PARTIAL_FAILURE", Severity::Warning),
    ("DEPRECATED_FIELD", Severity::Info),
    ("RATE_LIMIT_APPROACHING", Severity::Warning),
    ("FALLBACK_USED", Severity::Info),
];

impl Warning {
    /// Creates a warning with only a message.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Warning {
        let context = JsonObject::default();
        Warning { code: None, severity: None, message: message.into(), context }
    }

    /// Creates a warning with a code, e.g. `PARTIAL_FAILURE`.
    #[must_use]
    pub fn with_code(code: impl Into<String>, message: impl Into<String>) -> Warning {
        Warning { code: Some(code.into()), ..Warning::new(message) }
    }

    /// Sets the context.
    #[must_use]
    pub fn context(mut self, context: JsonObject) -> Warning {
        self.context = context;
        self
    }

    /// Sets the severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Warning {
        self.severity = Some(severity);
        self
    }

    /// Returns the severity: its own, else that of its code, else `Warning`.
    #[must_use]
    pub fn effective_severity(&self) -> Severity {
        let standard = || {
            let code = self.code.as_deref()?;
            STANDARD.iter().find(|(name, _)| *name == code).map(|(_, severity)| *severity)
        };
        self.severity.or_else(standard).unwrap_or(Severity::Warning)
    }

    /// Returns whether it has more than a message.
    pub(crate) fn has_details(&self) -> bool {
        self.code.is_some() || self.severity.is_some() || !self.context.is_empty()
    }
}

/// A feature that the caller's tier withheld or limited (E9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeHint {
    /// The feature.
    pub feature: String,
    /// The lowest tier that includes it.
    pub tier: String,
    /// Why this result does not include it.
    pub reason: String,
}

/// The completeness of a result (R6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Complete.
    #[default]
    Full,
    /// Some content was left out.
    Reduced {
        /// The remaining level of detail.
        level: Reduction,
        /// The ids of the dropped items.
        dropped: Vec<String>,
        /// Archive ids with the digests of their contents.
        archives: Vec<(String, String)>,
    },
}

/// The level of detail that remains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Some items are missing.
    Partial,
    /// A condensed form.
    Summary,
    /// References only.
    ReferenceOnly,
}

impl Reduction {
    /// Every level, most complete first.
    pub const ALL: [Reduction; 3] =
        [Reduction::Partial, Reduction::Summary, Reduction::ReferenceOnly];

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Partial => "partial",
            Reduction::Summary => "summary",
            Reduction::ReferenceOnly => "reference_only",
        }
    }
}

/// The position of a page in a longer list; converts to the notes' `pagination`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pagination {
    /// The cursor of the next page, opaque to the caller.
    pub cursor: Option<String>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// The total number of items, if known.
    pub total_count: Option<u64>,
    /// The maximum number of items per page.
    pub page_size: Option<u64>,
}

impl From<Pagination> for JsonObject {
    fn from(page: Pagination) -> JsonObject {
        JsonObject::build(|object| {
            object.member("cursor", &crate::raw_json::OrNull(page.cursor));
            object.member("has_more", &page.has_more);
            object.member("total_count", &page.total_count);
            object.member("page_size", &page.page_size);
        })
    }
}

/// The caller's remaining quota; converts to the notes' `rate_limit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of calls allowed per period.
    pub limit: Option<u64>,
    /// The number of calls left.
    pub remaining: Option<u64>,
    /// When the period ends, in RFC 3339.
    pub reset_at: Option<String>,
    /// The period, e.g. `minute`.
    pub period: Option<String>,
    /// How long to wait before the next call.
    pub retry_after: Option<Duration>,
}

impl From<RateLimit> for JsonObject {
    fn from(limit: RateLimit) -> JsonObject {
        JsonObject::build(|object| {
            object.member("limit", &limit.limit);
            object.member("remaining", &limit.remaining);
            object.member("reset_at", &limit.reset_at);
            object.member("period", &limit.period);
            object.member("retry_after", &limit.retry_after.map(seconds));
        })
    }
}

/// Timings and counts; converts to the notes' `telemetry`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Telemetry {
    /// The duration of the work.
    pub duration: Option<Duration>,
    /// The number of calls to other services.
    pub downstream_calls: Option<u64>,
}

impl From<Telemetry> for JsonObject {
    fn from(telemetry: Telemetry) -> JsonObject {
        JsonObject::build(|object: &mut ObjectWriter<'_>| {
            object.member("duration_ms", &telemetry.duration.map(milliseconds));
            object.member("downstream_calls", &telemetry.downstream_calls);
        })
    }
}

/// Converts a duration to a JSON number of seconds, without a fraction if it is zero.
pub(crate) fn seconds(duration: Duration) -> RawJson {
    decimal(duration.as_nanos(), 9)
}

/// Converts a JSON number of seconds to a duration.
pub(crate) fn parse_seconds(value: &RawJson) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_str().parse().ok()?).ok()
}

/// Converts a duration to a JSON number of milliseconds, without a fraction if it is zero.
pub(crate) fn milliseconds(duration: Duration) -> RawJson {
    decimal(duration.as_nanos(), 6)
}

/// Renders `value / 10^places` as a JSON number without trailing zeros.
fn decimal(value: u128, places: u32) -> RawJson {
    let unit = 10u128.pow(places);
    let (whole, fraction) = (value / unit, value % unit);
    let mut text = whole.to_string();
    if fraction > 0 {
        let digits = format!("{fraction:0width$}", width = places as usize);
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
    RawJson::from_compact(text.into_bytes())
}
