//! Where clients come in: a transport frames, a session speaks the client's era.

mod encode;
mod in_flight;
mod pump;
mod questions;
mod session;
pub mod stdio;
