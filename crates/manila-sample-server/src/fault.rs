//! Faults: the ways in which the server misbehaves from its start.

/// A way to misbehave from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Writes two lines to stderr and exits with code 3 before it reads anything.
    Exit,
    /// Reads all messages and never responds.
    Silent,
    /// Writes lines that are not messages to stdout, then serves as usual.
    Noise,
    /// Serves as usual, but keeps running for ten minutes after the end of its input.
    Stubborn,
}

impl Fault {
    /// All faults, in the order of the documentation.
    pub const ALL: &[Fault] = &[Fault::Exit, Fault::Silent, Fault::Noise, Fault::Stubborn];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Exit => "exit",
            Fault::Silent => "silent",
            Fault::Noise => "noise",
            Fault::Stubborn => "stubborn",
        }
    }

    /// Returns the fault with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

/// The output of [`Fault::Noise`]: a banner, an empty line, JSON that is not a message, and half a
/// message.
pub(super) const NOISE: &[u8] = b"manila-sample is warming up ...\n\
\n\
[1, \"two\", {\"three\": 3}]\n\
\"a lone string\"\n\
{\"jsonrpc\": \"2.0\", \"method\":\n\
\x1b[32mready\x1b[0m\n";
