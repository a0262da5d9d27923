//! Observations of about 1 KB, from which envelopes are made to measure with.

/// A JSON object of 170 bytes, as tools answer them.
#[must_use]
pub fn record(n: usize) -> String {
    format!(
        r#"{{"id":{n},"name":"finding-{n}","severity":"high","score":7.5,"tags":["a","b"],"path":"src/module_{n}/file.rs","ok":true,"text":"A sentence about what was found here."}}"#
    )
}

/// What a call was seen to give.
#[derive(Debug, Clone, Copy)]
pub enum Seen {
    /// An answer that holds the payload.
    Answered,
    /// A failure whose details hold the payload.
    Failed,
}

impl Seen {
    /// Both.
    pub const ALL: [Seen; 2] = [Seen::Answered, Seen::Failed];

    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Seen::Answered => "answered",
            Seen::Failed => "failed",
        }
    }

    /// An observation, in one line, around these items.
    #[must_use]
    pub fn observation(self, items: &[String]) -> String {
        let form = match self {
            Seen::Answered => concat!(
                r#"{"tool":{"id":"scan","version":"1.4.0"},"request_id":"req_8b3e5f6c0a2f","#,
                r#""duration_ms":27,"warnings":[{"code":"STALE_CACHE","message":"an hour old"}],"#,
                r#""observed":{"answered":{"items":[ITEMS]}}}"#,
            ),
            Seen::Failed => concat!(
                r#"{"tool":{"id":"scan","version":"1.4.0"},"request_id":"req_8b3e5f6c0a2f","#,
                r#""observed":{"failed":{"code":"NOT_FOUND","message":"Finding 'x' not found","#,
                r#""details":{"resource":"finding","known":[ITEMS]}}}}"#,
            ),
        };
        form.replace("ITEMS", &items.join(","))
    }
}
