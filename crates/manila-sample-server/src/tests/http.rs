//! Conversations over HTTP, on a loopback socket.

mod client;
mod guarded;
mod legacy;
mod mirrored;
mod misbehaving;
mod modern;
