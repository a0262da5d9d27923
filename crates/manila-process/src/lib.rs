//! Programs that never outlive their caller: the keeper, process trees, and running one program.
//!
//! A program is started under a keeper: a second process of the caller's own executable. When the
//! caller exits for any reason, the keeper kills the program and all of its descendants. [`run`]
//! starts one program, captures its output within limits and returns the result; [`os`] contains
//! everything that differs between operating systems.
//!
//! A program that uses this crate calls [`run_if_keeper`] first in `main`.
#![forbid(unsafe_code)]

pub mod clock;
mod command;
pub mod os;
pub mod run;

pub use command::{Command, ESSENTIAL_VARIABLES, Environment};
pub use os::keeper::run_if_keeper;
