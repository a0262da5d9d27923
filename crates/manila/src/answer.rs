//! For tool authors: say what happened, get an envelope. Nobody writes one by hand.
//!
//! Each function says how a call ended; the methods of [`Observation`] add what is known
//! around it; [`Observation::seal`] gives the envelope in the contract that the caller
//! wants.
//!
//! ```
//! use manila::{Context, Contract, Pagination, RawJson, Warning, answer};
//!
//! let found = RawJson::of(&["a", "b"])?;
//! let reply = answer::success(found)
//!     .request_id("req_1")
//!     .warning(Warning::coded("STALE_CACHE", "The index is two hours old"))
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
//! # Ok::<(), manila::UnfitValue>(())
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

/// The call is done, and this is its payload.
///
/// A payload that says of itself `"success": false` is a failure all the same: Manila does
/// not tell an agent that a call went well when the tool says that it did not.
#[must_use]
pub fn success(payload: RawJson) -> Observation {
    Observation::new(Observed::Answered(payload))
}

/// The call is done, and this text is its payload.
#[must_use]
pub fn text(text: impl Into<String>) -> Observation {
    Observation::new(Observed::Said(text.into().into()))
}

/// The call is done, but some of its parts failed (R11). `context` says which.
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
/// # Ok::<(), manila::UnfitValue>(())
/// ```
#[must_use]
pub fn partial_success(
    payload: RawJson,
    message: impl Into<String>,
    context: JsonObject,
) -> Observation {
    success(payload).warning(Warning::coded("PARTIAL_FAILURE", message).context(context))
}

/// An argument is wrong. `reason` is one of M7's words where one fits, e.g. `required`,
/// `invalid value`, `invalid format`; the message follows from it.
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

/// What was asked for does not exist.
#[must_use]
pub fn not_found(resource: &str, id: &str) -> Observation {
    let details = JsonObject::build(|object| {
        object.member("resource", resource);
        object.member("id", id);
    });
    Failed::new(Code::NotFound, format!("{resource} '{id}' not found")).details(details).into()
}

/// The caller made more calls than `limit` in a `period`, e.g. `minute`.
#[must_use]
pub fn rate_limit(
    limit: u64,
    period: impl Into<String>,
    retry_after: Option<Duration>,
) -> Observation {
    let period = period.into();
    Observation::new(Observed::RateLimited(RateLimited { limit, period, retry_after }))
}

/// The caller did not prove who it is.
#[must_use]
pub fn unauthorized(message: impl Into<String>) -> Observation {
    Failed::new(Code::Unauthenticated, message).into()
}

/// The caller may not do this.
#[must_use]
pub fn forbidden(message: impl Into<String>) -> Observation {
    Failed::new(Code::Forbidden, message).into()
}

/// `conflicting` is going on with `target`, so `operation` cannot run.
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

/// Something went wrong inside the tool.
#[must_use]
pub fn internal(message: impl Into<String>) -> Observation {
    Failed::new(Code::InternalError, message).into()
}

/// A service that the tool needs does not answer; later it may.
#[must_use]
pub fn unavailable(message: impl Into<String>) -> Observation {
    Failed::new(Code::UpstreamUnavailable, message).into()
}

/// Something that the tool needs is not there, and will not come by itself (M9).
#[must_use]
pub fn capability_missing(feature: impl Into<String>, reason: impl Into<String>) -> Observation {
    Observation::new(Observed::Unavailable(Unavailable {
        feature: feature.into(),
        reason: Some(reason.into()),
        ..Unavailable::default()
    }))
}

/// The feature is switched off for this caller.
#[must_use]
pub fn feature_disabled(feature: impl Into<String>) -> Observation {
    Observation::new(Observed::FeatureDisabled { feature: feature.into() })
}

/// The feature needs a higher tier.
#[must_use]
pub fn tier_required(
    feature: impl Into<String>,
    tier: Tier,
    reason: impl Into<String>,
) -> Observation {
    let (feature, tier, reason) = (feature.into(), tier.name().to_owned(), reason.into());
    Observation::new(Observed::TierRequired(TierRequired { feature, tier, reason }))
}

/// A failure with more to say than the functions above have words for.
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
    /// What the tool itself calls it.
    #[must_use]
    pub fn origin_code(mut self, code: impl Into<String>) -> Failed {
        self.origin_code = Some(code.into());
        self
    }

    /// What to do about it.
    #[must_use]
    pub fn remediation(mut self, remediation: impl Into<String>) -> Failed {
        self.remediation = Some(remediation.into());
        self
    }

    /// Facts about it.
    #[must_use]
    pub fn details(mut self, details: JsonObject) -> Failed {
        self.details = details;
        self
    }

    /// Facts that `response-v2` puts directly into its `data`.
    #[must_use]
    pub fn data(mut self, data: JsonObject) -> Failed {
        self.data = data;
        self
    }

    /// How long to wait before the next try.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Failed {
        self.retry_after = Some(delay);
        self
    }

    /// What the tool produced before it failed.
    #[must_use]
    pub fn partial(mut self, partial: Payload) -> Failed {
        self.partial = partial;
        self
    }
}

/// What is known around a call.
impl Observation {
    /// The tool that was called.
    #[must_use]
    pub fn tool(mut self, id: impl Into<String>, version: impl Into<String>) -> Observation {
        self.call.tool_id = Some(id.into());
        self.call.tool_version = Some(version.into());
        self
    }

    /// The caller's correlation id.
    #[must_use]
    pub fn request_id(mut self, id: impl Into<String>) -> Observation {
        self.call.request_id = Some(id.into());
        self
    }

    /// The caller's tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Observation {
        self.call.tier = tier;
        self
    }

    /// How long the call took.
    #[must_use]
    pub fn duration(mut self, duration: Duration) -> Observation {
        self.call.duration = Some(duration);
        self
    }

    /// The answer must not depend on time or chance.
    #[must_use]
    pub fn deterministic(mut self) -> Observation {
        self.call.deterministic = Some(true);
        self
    }

    /// Something that did not stop the call.
    #[must_use]
    pub fn warning(mut self, warning: Warning) -> Observation {
        self.notes.warnings.push(warning);
        self
    }

    /// Where in a longer list the answer is.
    #[must_use]
    pub fn pagination(mut self, pagination: Pagination) -> Observation {
        self.notes.pagination = Some(pagination.into());
        self
    }

    /// How many calls the caller has left.
    #[must_use]
    pub fn rate_limit(mut self, rate_limit: RateLimit) -> Observation {
        self.notes.rate_limit = Some(rate_limit.into());
        self
    }

    /// Timings and counts.
    #[must_use]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Observation {
        self.notes.telemetry = Some(telemetry.into());
        self
    }

    /// A fact about how the tool worked.
    #[must_use]
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<String>) -> Observation {
        let (name, value) = (name.into(), value.into());
        self.notes.metadata.retain(|(known, _)| *known != name);
        self.notes.metadata.push((name, value));
        self
    }

    /// A feature that the caller's tier withheld or limited.
    #[must_use]
    pub fn upgrade_hint(mut self, hint: UpgradeHint) -> Observation {
        self.notes.upgrade_hints.push(hint);
        self
    }

    /// Extra keys for `response-v2`'s `meta`.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Observation {
        self.notes.meta = meta;
        self
    }

    /// How complete the answer is.
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
    /// # Ok::<(), manila::UnfitValue>(())
    /// ```
    #[must_use]
    pub fn fidelity(mut self, fidelity: Fidelity) -> Observation {
        self.notes.fidelity = fidelity;
        self
    }

    /// The envelope, in the contract that the caller wants.
    #[must_use]
    pub fn seal(self, contract: Contract, context: &Context) -> Reply {
        pipeline::seal(self, contract, &Settings::default(), context)
    }
}
