//! Conversations over HTTP, on a loopback socket.

mod client;
mod guard;
mod header_check;
mod legacy;
mod misbehaving;
mod modern;
