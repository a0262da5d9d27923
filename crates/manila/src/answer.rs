//! Builders for tool authors: describe how a call ended, and get an envelope.
//!
//! Each function returns an [`Observation`]. Its methods add further facts, and
//! [`seal`](Observation::seal) returns the envelope in a contract.
//!
//! ```
//! use manila::{Context, Contract, Pagination, RawJson, Warning, answer};
//!
//! let found = RawJson::of(&["a", "b"])?;
//! let reply = answer::success(found)
//!     .request_id("req_1")
//!     .warning(Warning::with_code("STALE_CACHE", "The index is two hours old"))
//!     .pagination(Pagination { has_more: false, total_count: Some(2), ..Pagination::default() })
//!     .seal(Contract::ResponseV2, &Context::new([0; 16]));
//! assert_eq!(
//!     reply.envelope.to_string(),
//!     concat!(
//!         r#"{"success":true,"data":{"result":["a","b"]},"error":null,"meta":{"#,
//!         r#""version":"response-v2","request_id":"req_1","#,
//!         r#""warnings":["The index is two hours old"],"#,
//!         r#""warning_details":[{"code":"STALE_CACHE","#,
//!         r#""severity":"warning","message":"The index is two hours old"}],"#,
//!         r#""pagination":{"cursor":null,"has_more":false,"total_count":2}}}"#,
//!     ),
//! );
//! # Ok::<(), manila::NotSerializable>(())
//! ```

use std::time::Duration;

use crate::catalogue::Code;
use crate::context::Context;
use crate::contract::{Contract, Reply};
use crate::observed::{
    Conflict, Failed, Invalid, Observation, Observed, RateLimited, TierRequired, Unavailable,
};
use crate::outcome::{
    Fidelity, Pagination, Payload, RateLimit, Telemetry, Tier, UpgradeHint, Warning,
};
use crate::pipeline::{self, Settings};
use crate::raw_json::{JsonObject, RawJson};

/// Describes a call that succeeded with this payload.
///
/// A payload with `"success": false` still becomes a failure: Manila never reports success if the
/// tool reports failure.
#[must_use]
pub fn success(payload: RawJson) -> Observation {
    Observation::new(Observed::Answered(payload))
}

/// Describes a call that succeeded with this text as its payload.
#[must_use]
pub fn text(text: impl Into<String>) -> Observation {
    Observation::new(Observed::Said(text.into().into()))
}

/// Describes a call that succeeded although some of its parts failed (R11). `context` lists the
/// failed parts.
///
/// ```
/// use manila::{Context, Contract, JsonObject, RawJson, answer};
/// use std::collections::BTreeMap;
///
/// let context = JsonObject::of(&BTreeMap::from([("failed", ["source-a"])]))?;
/// let reply = answer::partial_success(RawJson::of(&[1, 2])?, "1 source failed", context)
///     .seal(Contract::McpEnvelopeV01, &Context::new([0; 16]));
/// assert!(!reply.is_error);
/// assert!(reply.envelope.to_string().contains(r#""code":"PARTIAL_FAILURE""#));
/// # Ok::<(), manila::NotSerializable>(())
/// ```
#[must_use]
pub fn partial_success(
    payload: RawJson,
    message: impl Into<String>,
    context: JsonObject,
) -> Observation {
    success(payload).warning(Warning::with_code("PARTIAL_FAILURE", message).context(context))
}

/// Describes a call with an invalid argument.
///
/// `reason` selects the message. It is preferably one of M7's reasons, e.g. `required`,
/// `invalid value` or `invalid format`; any other text becomes part of the message.
///
/// ```
/// use manila::{Context, Contract, answer};
///
/// let reply = answer::validation("spec_id", "required")
///     .seal(Contract::ResponseV2, &Context::new([0; 16]));
/// let envelope = reply.envelope.to_string();
/// assert!(envelope.contains(r#""error_code":"MISSING_REQUIRED""#));
/// assert!(envelope.contains("Parameter 'spec_id' is required and cannot be empty"));
/// ```
#[must_use]
pub fn validation(parameter: impl Into<String>, reason: impl Into<String>) -> Observation {
    Observation::new(Observed::Invalid(Invalid {
        parameter: Some(parameter.into()),
        reason: Some(reason.into()),
        ..Invalid::default()
    }))
}

/// Describes a call that requested a resource that does not exist.
#[must_use]
pub fn not_found(resource: &str, id: &str) -> Observation {
    let details = JsonObject::build(|object| {
        object.member("resource", resource);
        object.member("id", id);
    });
    Failed::new(Code::NotFound, format!("{resource} '{id}' not found")).details(details).into()
}

/// Describes a call beyond the limit of `limit` calls per `period`, e.g. `minute`.
#[must_use]
pub fn rate_limit(
    limit: u64,
    period: impl Into<String>,
    retry_after: Option<Duration>,
) -> Observation {
    let period = period.into();
    Observation::new(Observed::RateLimited(RateLimited { limit, period, retry_after }))
}

/// Describes a call whose caller is not authenticated.
#[must_use]
pub fn unauthorized(message: impl Into<String>) -> Observation {
    Failed::new(Code::Unauthenticated, message).into()
}

/// Describes a call whose caller is authenticated, but not authorized.
#[must_use]
pub fn forbidden(message: impl Into<String>) -> Observation {
    Failed::new(Code::Forbidden, message).into()
}

/// Describes an `operation` that cannot run because `conflicting` is in progress on `target`.
#[must_use]
pub fn conflict(
    operation: impl Into<String>,
    target: impl Into<String>,
    conflicting: impl Into<String>,
) -> Observation {
    Observation::new(Observed::Conflict(Conflict {
        operation: operation.into(),
        target: target.into(),
        conflicting: conflicting.into(),
    }))
}

/// Describes an internal error of the tool.
#[must_use]
pub fn internal(message: impl Into<String>) -> Observation {
    Failed::new(Code::InternalError, message).into()
}

/// Describes a call that failed because a service is temporarily unavailable.
#[must_use]
pub fn unavailable(message: impl Into<String>) -> Observation {
    Failed::new(Code::UpstreamUnavailable, message).into()
}

/// Describes a call to a tool that lacks something it needs, so that a retry will not help (M9).
#[must_use]
pub fn capability_missing(feature: impl Into<String>, reason: impl Into<String>) -> Observation {
    Observation::new(Observed::Unavailable(Unavailable {
        feature: feature.into(),
        reason: Some(reason.into()),
        ..Unavailable::default()
    }))
}

/// Describes a call to a feature that is disabled for this caller.
#[must_use]
pub fn feature_disabled(feature: impl Into<String>) -> Observation {
    Observation::new(Observed::FeatureDisabled { feature: feature.into() })
}

/// Describes a call to a feature that requires a higher tier.
#[must_use]
pub fn tier_required(
    feature: impl Into<String>,
    tier: Tier,
    reason: impl Into<String>,
) -> Observation {
    let (feature, tier, reason) = (feature.into(), tier.name().to_owned(), reason.into());
    Observation::new(Observed::TierRequired(TierRequired { feature, tier, reason }))
}

/// Creates an observation of a failure for which [`answer`](crate::answer) has no function.
///
/// ```
/// use manila::{Code, Context, Contract, Failed, Observation};
///
/// let failed = Failed::new(Code::NotFound, "Spec 'x' not found")
///     .origin_code("SPEC_NOT_FOUND")
///     .remediation("List the specs and use one of their ids");
/// let reply = Observation::from(failed).seal(Contract::ResponseV2, &Context::new([0; 16]));
/// assert!(reply.envelope.to_string().contains(r#""error_code":"SPEC_NOT_FOUND""#));
/// ```
impl From<Failed> for Observation {
    fn from(failed: Failed) -> Observation {
        Observation::new(Observed::Failed(Box::new(failed)))
    }
}

impl Failed {
    /// Sets the tool's own code.
    #[must_use]
    pub fn origin_code(mut self, code: impl Into<String>) -> Failed {
        self.origin_code = Some(code.into());
        self
    }

    /// Sets how to fix it.
    #[must_use]
    pub fn remediation(mut self, remediation: impl Into<String>) -> Failed {
        self.remediation = Some(remediation.into());
        self
    }

    /// Sets further facts about the failure.
    #[must_use]
    pub fn details(mut self, details: JsonObject) -> Failed {
        self.details = details;
        self
    }

    /// Sets facts that `response-v2` puts directly into its `data`.
    #[must_use]
    pub fn data(mut self, data: JsonObject) -> Failed {
        self.data = data;
        self
    }

    /// Sets how long to wait before a retry.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Failed {
        self.retry_after = Some(delay);
        self
    }

    /// Sets the partial result before the failure.
    #[must_use]
    pub fn partial(mut self, partial: Payload) -> Failed {
        self.partial = partial;
        self
    }
}

/// Setters for the facts about a call.
impl Observation {
    /// Sets the tool's id and version.
    #[must_use]
    pub fn tool(mut self, id: impl Into<String>, version: impl Into<String>) -> Observation {
        self.call.tool_id = Some(id.into());
        self.call.tool_version = Some(version.into());
        self
    }

    /// Sets the caller's correlation id.
    #[must_use]
    pub fn request_id(mut self, id: impl Into<String>) -> Observation {
        self.call.request_id = Some(id.into());
        self
    }

    /// Sets the caller's tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Observation {
        self.call.tier = tier;
        self
    }

    /// Sets the duration of the call.
    #[must_use]
    pub fn duration(mut self, duration: Duration) -> Observation {
        self.call.duration = Some(duration);
        self
    }

    /// Marks the response as independent of time and randomness.
    #[must_use]
    pub fn deterministic(mut self) -> Observation {
        self.call.deterministic = Some(true);
        self
    }

    /// Adds a warning.
    #[must_use]
    pub fn warning(mut self, warning: Warning) -> Observation {
        self.notes.warnings.push(warning);
        self
    }

    /// Sets the position of this page in a longer list.
    #[must_use]
    pub fn pagination(mut self, pagination: Pagination) -> Observation {
        self.notes.pagination = Some(pagination.into());
        self
    }

    /// Sets the caller's remaining quota.
    #[must_use]
    pub fn rate_limit(mut self, rate_limit: RateLimit) -> Observation {
        self.notes.rate_limit = Some(rate_limit.into());
        self
    }

    /// Sets timings and counts.
    #[must_use]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Observation {
        self.notes.telemetry = Some(telemetry.into());
        self
    }

    /// Adds a fact about the tool's run, or replaces the one with this name.
    #[must_use]
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Observation {
        let (name, value) = (name.into(), value.into());
        self.notes.metadata.retain(|(known, _)| *known != name);
        self.notes.metadata.push((name, value));
        self
    }

    /// Adds a feature that the caller's tier withheld or limited.
    #[must_use]
    pub fn upgrade_hint(mut self, hint: UpgradeHint) -> Observation {
        self.notes.upgrade_hints.push(hint);
        self
    }

    /// Sets extra keys for `response-v2`'s `meta`.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Observation {
        self.notes.meta = meta;
        self
    }

    /// Sets the completeness of the result.
    ///
    /// ```
    /// use manila::{Context, Contract, Fidelity, RawJson, Reduction, answer};
    ///
    /// let dropped = vec!["finding-003".to_owned()];
    /// let fidelity =
    ///     Fidelity::Reduced { level: Reduction::Partial, dropped, archives: Vec::new() };
    /// let reply = answer::success(RawJson::of(&[1])?)
    ///     .fidelity(fidelity)
    ///     .seal(Contract::ResponseV2, &Context::new([0; 16]));
    /// assert!(reply.envelope.to_string().contains(r#""content_fidelity":"partial""#));
    /// # Ok::<(), manila::NotSerializable>(())
    /// ```
    #[must_use]
    pub fn fidelity(mut self, fidelity: Fidelity) -> Observation {
        self.notes.fidelity = fidelity;
        self
    }

    /// Classifies and redacts the observation, and writes it as an envelope of `contract`.
    #[must_use]
    pub fn seal(self, contract: Contract, context: &Context) -> Reply {
        pipeline::seal(self, contract, &Settings::default(), context)
    }
}
