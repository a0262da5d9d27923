//! The exit status of the program.

use std::process::ExitCode;

/// The exit status of the program, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// 0: the command succeeded.
    Success,
    /// 1: the command ran, and the check, the tool or the program failed.
    Failure,
    /// 2: the command could not run.
    Error,
    /// Another code: that of the sample server, or of the program with `manila run --keep-exit`.
    Other(u8),
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        match status {
            ExitStatus::Success => ExitCode::SUCCESS,
            ExitStatus::Failure => ExitCode::from(1),
            ExitStatus::Error => ExitCode::from(2),
            ExitStatus::Other(code) => ExitCode::from(code),
        }
    }
}
