//! Eras: the two ways to speak MCP, and which of them a server speaks.

/// Which eras the server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Eras {
    /// Only the revisions with an `initialize` handshake.
    Legacy,
    /// Only the revision in which every request says what it speaks.
    Modern,
    /// Both, told apart by each message.
    #[default]
    Both,
}

impl Eras {
    /// Every choice, in the order of the documentation.
    pub const ALL: &[Eras] = &[Eras::Legacy, Eras::Modern, Eras::Both];

    /// The name of the choice on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Eras::Legacy => "legacy",
            Eras::Modern => "modern",
            Eras::Both => "both",
        }
    }

    /// The choice of this name. There is no fallback: an unknown name is `None`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Eras> {
        Eras::ALL.iter().copied().find(|eras| eras.name() == name)
    }
}
