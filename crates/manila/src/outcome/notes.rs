//! What is said beside an answer: warnings, pages, limits, timings, completeness.

use std::time::Duration;

use crate::raw_json::{JsonObject, ObjectWriter, RawJson};

/// What is said beside an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Things that did not stop the call.
    pub warnings: Vec<Warning>,
    /// Where in a longer list this answer is.
    pub pagination: Option<JsonObject>,
    /// How many calls the caller has left.
    pub rate_limit: Option<JsonObject>,
    /// Timings and counts.
    pub telemetry: Option<JsonObject>,
    /// Features that the caller's tier withheld or limited (E9).
    pub upgrade_hints: Vec<UpgradeHint>,
    /// The tool's own facts about how it worked, text to text (M1).
    pub metadata: Vec<(String, String)>,
    /// Extra keys for `response-v2`'s `meta` (R4).
    pub meta: JsonObject,
    /// How complete the answer is.
    pub fidelity: Fidelity,
}

/// Something that did not stop the call (R10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Its code, if it has one.
    pub code: Option<String>,
    /// How bad it is; `None` leaves it to the code.
    pub severity: Option<Severity>,
    /// What happened.
    pub message: String,
    /// Facts about it.
    pub context: JsonObject,
}

/// How bad a warning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Nothing needs to be done.
    Info,
    /// It may need attention.
    Warning,
    /// It needs attention.
    Error,
}

impl Severity {
    /// Every severity, the mildest first.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];

    /// The name, lower-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The severity of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// R10: the standard warning codes and how bad each one is.
const STANDARD: [(&str, Severity); 6] = [
    ("CONTENT_TRUNCATED", Severity::Info),
    ("STALE_CACHE", Severity::Warning),
    ("PARTIAL_FAILURE", Severity::Warning),
    ("DEPRECATED_FIELD", Severity::Info),
    ("RATE_LIMIT_APPROACHING", Severity::Warning),
    ("FALLBACK_USED", Severity::Info),
];

impl Warning {
    /// A warning that is only a sentence.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Warning {
        let context = JsonObject::default();
        Warning { code: None, severity: None, message: message.into(), context }
    }

    /// A warning with a code, e.g. `PARTIAL_FAILURE`.
    #[must_use]
    pub fn coded(code: impl Into<String>, message: impl Into<String>) -> Warning {
        Warning { code: Some(code.into()), ..Warning::new(message) }
    }

    /// With facts about it.
    #[must_use]
    pub fn context(mut self, context: JsonObject) -> Warning {
        self.context = context;
        self
    }

    /// With a severity of its own.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Warning {
        self.severity = Some(severity);
        self
    }

    /// How bad it is: its own word, else its code's, else a plain warning.
    #[must_use]
    pub fn effective_severity(&self) -> Severity {
        let standard = || {
            let code = self.code.as_deref()?;
            STANDARD.iter().find(|(name, _)| *name == code).map(|(_, severity)| *severity)
        };
        self.severity.or_else(standard).unwrap_or(Severity::Warning)
    }

    /// Whether it says more than its message.
    pub(crate) fn has_details(&self) -> bool {
        self.code.is_some() || self.severity.is_some() || !self.context.is_empty()
    }
}

/// A feature that the caller's tier withheld or limited (E9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeHint {
    /// The feature.
    pub feature: String,
    /// The tier that has it.
    pub tier: String,
    /// Why it is not in this answer.
    pub reason: String,
}

/// How complete an answer is (R6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// All of it.
    #[default]
    Full,
    /// Something was left out.
    Reduced {
        /// How much.
        level: Reduction,
        /// The ids of what was left out.
        dropped: Vec<String>,
        /// Archive ids with the digests of what they keep.
        archives: Vec<(String, String)>,
    },
}

/// How much of an answer is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Some items are missing.
    Partial,
    /// A condensed form.
    Summary,
    /// Only names of things.
    ReferenceOnly,
}

impl Reduction {
    /// Every level, the fullest first.
    pub const ALL: [Reduction; 3] =
        [Reduction::Partial, Reduction::Summary, Reduction::ReferenceOnly];

    /// The name, lower-case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Reduction::Partial => "partial",
            Reduction::Summary => "summary",
            Reduction::ReferenceOnly => "reference_only",
        }
    }
}

/// Where in a longer list an answer is; turns into the notes' `pagination`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pagination {
    /// The cursor of the next page, opaque to the caller.
    pub cursor: Option<String>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// How many items there are in all, if that is known.
    pub total_count: Option<u64>,
    /// How many items a page has at most.
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

/// How many calls a caller has left; turns into the notes' `rate_limit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// How many calls a period allows.
    pub limit: Option<u64>,
    /// How many are left.
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

/// Timings and counts; turns into the notes' `telemetry`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Telemetry {
    /// How long the work took.
    pub duration: Option<Duration>,
    /// How many calls it made to others.
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

/// A duration as a JSON number of seconds, without a fraction where there is none.
pub(crate) fn seconds(duration: Duration) -> RawJson {
    decimal(duration.as_nanos(), 9)
}

/// The time that a JSON number of seconds stands for.
pub(crate) fn as_delay(value: &RawJson) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_str().parse().ok()?).ok()
}

/// A duration as a JSON number of milliseconds, without a fraction where there is none.
pub(crate) fn milliseconds(duration: Duration) -> RawJson {
    decimal(duration.as_nanos(), 6)
}

/// `value / 10^places` as a JSON number without trailing zeros.
fn decimal(value: u128, places: u32) -> RawJson {
    let unit = 10u128.pow(places);
    let (whole, fraction) = (value / unit, value % unit);
    let mut text = whole.to_string();
    if fraction > 0 {
        let digits = format!("{fraction:0width$}", width = places as usize);
        text.push('.');
        text.push_str(digits.trim_end_matches('0'));
    }
    RawJson::written(text.into_bytes())
}
