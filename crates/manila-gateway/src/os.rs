//! What differs between systems: processes, and the standard streams. All `cfg` is here.

#[cfg(unix)]
mod descendants;
#[cfg(unix)]
pub mod keeper;
#[cfg(not(unix))]
#[path = "os/keeper_elsewhere.rs"]
pub mod keeper;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "os/process_elsewhere.rs"]
mod process;
pub(crate) mod stdio;
pub(crate) mod stop;

pub(crate) use process::{Lifeline, Process, Status};

use tokio::io::{AsyncRead, AsyncWrite};

/// A stream that is read.
pub(crate) type Source = Box<dyn AsyncRead + Send + Unpin>;

/// A stream that is written.
pub(crate) type Target = Box<dyn AsyncWrite + Send + Unpin>;
