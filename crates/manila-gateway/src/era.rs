//! The eras of MCP: how a peer opens a conversation, and what it understands.

/// How a peer speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// With an `initialize` handshake, in this revision.
    Legacy(Revision),
    /// Without a handshake: each request says everything (2026-07-28).
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

    /// Its date, as it stands in messages.
    #[must_use]
    pub const fn date(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
        }
    }

    /// The revision that a client gets that asks for `date`: its own, or else the newest.
    #[must_use]
    pub fn negotiated(date: &str) -> Revision {
        let known = Revision::ALL.into_iter().find(|revision| revision.date() == date);
        known.unwrap_or(Revision::LATEST)
    }
}

impl std::fmt::Display for Era {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Era::Legacy(revision) => f.write_str(revision.date()),
            Era::Modern => f.write_str("2026-07-28"),
        }
    }
}

impl Era {
    /// Whether the peer knows `structuredContent` and `outputSchema`.
    #[must_use]
    pub fn has_structured_results(self) -> bool {
        match self {
            Era::Legacy(revision) => revision >= Revision::V2025_06_18,
            Era::Modern => true,
        }
    }
}
