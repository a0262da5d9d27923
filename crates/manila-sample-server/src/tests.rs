//! Conversations with the server, in memory: the lines that each side sends.

mod conversation;
mod http;
mod misbehaving;
mod modern;
mod pending_calls;
mod protocol;
mod table;
mod tasks;
mod tools;
