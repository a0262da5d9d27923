//! Where clients come in: a transport frames, a session speaks the client's era.

mod encode;
mod hello;
mod in_flight;
pub mod nobody;
mod pump;
mod questions;
mod session;
pub mod stdio;
