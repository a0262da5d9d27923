//! Faults: the ways in which the server misbehaves from its start.

/// A way to misbehave from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Complains on stderr in two lines and exits with code 3 before it reads anything.
    Exit,
    /// Reads everything and never answers.
    Silent,
    /// Prints lines that are no messages on stdout, then serves as usual.
    Noise,
    /// Serves as usual, but stays for ten minutes after the end of its input.
    Stubborn,
}

impl Fault {
    /// Every fault, in the order of the documentation.
    pub const ALL: &[Fault] = &[Fault::Exit, Fault::Silent, Fault::Noise, Fault::Stubborn];

    /// The name of the fault on a command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Fault::Exit => "exit",
            Fault::Silent => "silent",
            Fault::Noise => "noise",
            Fault::Stubborn => "stubborn",
        }
    }

    /// The fault of this name. There is no fallback: an unknown name is `None`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}

/// What [`Fault::Noise`] prints: a banner, an empty line, JSON that is no message, half a message.
pub(super) const NOISE: &[u8] = b"manila-sample is warming up ...\n\
\n\
[1, \"two\", {\"three\": 3}]\n\
\"a lone string\"\n\
{\"jsonrpc\": \"2.0\", \"method\":\n\
\x1b[32mready\x1b[0m\n";
