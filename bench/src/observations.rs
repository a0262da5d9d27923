//! Observations of about 1 KB, from which the benchmarks make envelopes.

/// Returns a JSON object of 170 bytes, as in a typical tool result.
#[must_use]
pub fn record(n: usize) -> String {
    format!(
        r#"{{"id":{n},"name":"finding-{n}","severity":"high","score":7.5,"tags":["a","b"],"path":"src/module_{n}/file.rs","ok":true,"text":"A sentence about what was found here."}}"#
    )
}

/// The kind of an observation.
#[derive(Debug, Clone, Copy)]
pub enum ResultKind {
    /// A result that contains the payload.
    Answered,
    /// A failure whose details contain the payload.
    Failed,
}

impl ResultKind {
    /// Both kinds.
    pub const ALL: [ResultKind; 2] = [ResultKind::Answered, ResultKind::Failed];

    /// Returns the name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ResultKind::Answered => "answered",
            ResultKind::Failed => "failed",
        }
    }

    /// Returns an observation of these items, on one line.
    #[must_use]
    pub fn observation(self, items: &[String]) -> String {
        let template = match self {
            ResultKind::Answered => concat!(
                r#"{"tool":{"id":"scan","version":"1.4.0"},"request_id":"req_8b3e5f6c0a2f","#,
                r#""duration_ms":27,"warnings":[{"code":"STALE_CACHE","message":"an hour old"}],"#,
                r#""observed":{"answered":{"items":[ITEMS]}}}"#,
            ),
            ResultKind::Failed => concat!(
                r#"{"tool":{"id":"scan","version":"1.4.0"},"request_id":"req_8b3e5f6c0a2f","#,
                r#""observed":{"failed":{"code":"NOT_FOUND","message":"Finding 'x' not found","#,
                r#""details":{"resource":"finding","known":[ITEMS]}}}}"#,
            ),
        };
        template.replace("ITEMS", &items.join(","))
    }
}
