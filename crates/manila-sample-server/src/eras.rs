//! Eras: the two generations of MCP, and which of them a server supports.

/// The eras that the server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eras {
    /// Only the revisions with an `initialize` handshake.
    Legacy,
    /// Only the revision in which every request declares its version.
    Modern,
    /// Both; each message selects its era.
    #[default]
    Both,
}

impl Eras {
    /// All values, in the order of the documentation.
    pub const ALL: &[Eras] = &[Eras::Legacy, Eras::Modern, Eras::Both];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Eras::Legacy => "legacy",
            Eras::Modern => "modern",
            Eras::Both => "both",
        }
    }

    /// Returns the value with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Eras> {
        Eras::ALL.iter().copied().find(|eras| eras.name() == name)
    }
}
