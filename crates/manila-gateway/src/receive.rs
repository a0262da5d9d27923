//! Where clients come in: a transport frames, a session speaks the client's era.

mod answering;
mod encode;
mod hello;
pub mod http;
mod in_flight;
mod listen;
mod modern;
mod record;
mod session;
pub mod stdio;
