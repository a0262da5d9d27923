//! Conversations with the server, in memory: what the client sends, and what comes back.

mod conversation;
mod http;
mod misbehaving;
mod modern;
mod protocol;
mod table;
mod tasks;
mod tools;
mod waiting;
