//! The keys of a file. Its documentation pages and schemas are generated from them.

/// A key of a configuration file.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Key {
    /// Its path. `NAME` stands for a name that the operator chooses.
    pub path: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// The description of the key.
    pub description: &'static str,
}

/// The kind of a key's value.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// One of these names.
    Enum(&'static [&'static str]),
    /// The id of a contract.
    Contract,
    /// The id of a contract, or `none`.
    ContractOrNone,
    /// Names of redaction rules.
    Rules,
    /// The name of a redaction rule that the operator defines.
    RuleName,
    /// A duration with a unit.
    Time,
    /// A number of bytes, with a unit.
    Size,
    /// An address of this machine.
    Address,
    /// The URL of a server.
    Url,
    /// A program and its arguments.
    Command,
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// A table of strings with any keys.
    StringTable,
    /// A count, which may be 0.
    Count,
    /// A count of at least 1.
    PositiveCount,
    /// `true` or `false`.
    Flag,
    /// A table with the keys below this one.
    Table,
    /// The table of a server, with the keys below this one.
    Server,
    /// The table of a pack, with the keys below this one.
    Pack,
    /// A list of tables with the keys below this one, all of which are required.
    Tables,
    /// A table with the keys below this one, of which these are required.
    TableWith(&'static [&'static str]),
    /// A list of tables with the keys below this one, of which these are required.
    TablesWith(&'static [&'static str]),
    /// An integer.
    Number,
    /// A list of integers.
    Numbers,
    /// A list of lists of strings.
    StringLists,
    /// Any value.
    Any,
}

/// Creates a key from its path, the kind of its value and its description.
#[must_use]
pub const fn key(path: &'static str, kind: Kind, description: &'static str) -> Key {
    Key { path, kind, description }
}
