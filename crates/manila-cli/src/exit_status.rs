//! How the program ends.

use std::process::ExitCode;

/// How the program ends, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// 0: it was done.
    Good,
    /// 1: it was done, and the news is bad.
    BadNews,
    /// 2: it could not be done.
    CouldNot,
    /// What a server that misbehaves on purpose ends with.
    Other(u8),
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        match status {
            ExitStatus::Good => ExitCode::SUCCESS,
            ExitStatus::BadNews => ExitCode::from(1),
            ExitStatus::CouldNot => ExitCode::from(2),
            ExitStatus::Other(code) => ExitCode::from(code),
        }
    }
}
