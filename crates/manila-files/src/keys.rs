//! A key of a file, from which the pages and schemas of that file follow.

/// A key of the configuration.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Key {
    /// Where it stands. `NAME` is a name that the operator gives.
    pub path: &'static str,
    /// What is written there.
    pub kind: Kind,
    /// What it does.
    pub what: &'static str,
}

/// What is written at a key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// One of these words.
    Words(&'static [&'static str]),
    /// The id of a contract.
    Contract,
    /// The id of a contract, or `none`.
    Shape,
    /// Names of rules of redaction.
    Rules,
    /// The name of a rule of the operator's own.
    RuleName,
    /// A time with a unit.
    Time,
    /// A number of bytes, with a unit.
    Size,
    /// An address of this machine.
    Address,
    /// The URL of a server.
    Url,
    /// A program and its arguments.
    Command,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// Texts by their names.
    NamedTexts,
    /// A number of things.
    Count,
    /// A number of things, of which there must be one.
    Several,
    /// `true` or `false`.
    Flag,
    /// A table with the keys below this one.
    Table,
    /// Such a table, and it is a server's.
    Server,
    /// Such a table, and it is a pack's.
    Pack,
    /// A list of such tables, each with all of the keys.
    Tables,
    /// A table with the keys below this one, of which these must be there.
    TableWith(&'static [&'static str]),
    /// A list of such tables.
    TablesWith(&'static [&'static str]),
    /// A whole number.
    Number,
    /// A list of whole numbers.
    Numbers,
    /// A list of lists of texts.
    Groups,
    /// Anything.
    Any,
}

/// Describes a key: where it stands, what is written there and what it does.
#[must_use]
pub const fn key(path: &'static str, kind: Kind, what: &'static str) -> Key {
    Key { path, kind, what }
}
