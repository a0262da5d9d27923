//! Conversations with the server, in memory: what the client sends, and what comes back.

mod conversation;
mod misbehaving;
mod protocol;
mod table;
mod tools;
mod waiting;
