//! Programs that never outlive their caller: the keeper, process trees, and running one program.
//!
//! A program is started under a keeper, which is the calling program run again. When the caller
//! ends, however it ends, the keeper kills the program and all of its descendants. [`run`] starts
//! one program, captures its output within limits and returns what happened; [`os`] has all that
//! differs between systems.
//!
//! A program that uses this crate calls [`dispatch`] first in `main`.
#![forbid(unsafe_code)]

pub mod clock;
mod command;
pub mod os;
pub mod run;

pub use command::{Command, ESSENTIAL_VARIABLES, Environment};
pub use os::keeper::dispatch;
