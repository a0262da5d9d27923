//! The configuration file, `manila.toml`. Errors name their line and column.
//!
//! Each table has a module with its keys, the table as serde reads it, its settings, and `read`,
//! which turns the table into settings. [`KEYS`] lists the keys of all modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use manila::Contract;
use manila_files::{ConfigError, Key, at, parse_error};
use serde::Deserialize;
use toml::Spanned;

use self::journal::JournalTable;
use self::limits::LimitsTable;
use self::listen::ListenTable;
use self::pack::PackTable;
use self::redact::RedactTable;
use self::settings::{OutputCheckValue, PlacementValue};
use self::tool::ToolTable;
use self::upstream::UpstreamTable;
use crate::protocol::presentation::ResultFormat;

mod address;
mod journal;
mod limits;
mod listen;
mod pack;
mod redact;
mod redaction;
mod schema;
mod server;
mod settings;
mod startup;
mod string_enum;
mod tool;
mod upstream;
mod value;

pub use address::{Address, AddressError};
pub use journal::Journal;
pub use limits::Limits;
pub use listen::Listen;
pub(crate) use listen::not_local;
pub use redact::{Passthrough, RedactionPolicy, UnsafeOutput};
pub(crate) use redaction::RedactedMessage;
pub use schema::schema;
pub use server::{NamedServer, Server};
pub use settings::{OutputCheck, Settings};
pub use startup::StartupSettings;
pub use tool::ToolSettings;
pub use upstream::ToolFilter;

/// A parsed configuration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// The redaction policy.
    pub redaction: RedactionPolicy,
    /// The format of results, if the file sets one.
    pub contract: Option<ResultFormat>,
    /// The contract that the server's results already follow.
    pub speaks: Option<Contract>,
    /// The settings that apply to every server.
    pub settings: Settings,
    /// The limits for HTTP clients.
    pub limits: Limits,
    /// The transports that clients connect to.
    pub listen: Listen,
    /// The servers.
    pub servers: Vec<NamedServer>,
    /// The journal.
    pub journal: Journal,
}

/// The whole file. Errors list the keys in the order of the fields.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    contract: Option<Spanned<String>>,
    speaks: Option<Spanned<String>>,
    placement: Option<PlacementValue>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckValue>,
    listen: ListenTable,
    limits: LimitsTable,
    upstream: BTreeMap<Spanned<String>, Spanned<UpstreamTable>>,
    pack: BTreeMap<Spanned<String>, Spanned<PackTable>>,
    tool: BTreeMap<String, ToolTable>,
    redact: RedactTable,
    journal: JournalTable,
}

/// The keys of each table, in the order of `docs/configuration.md` and of the schema.
const TABLES: &[&[Key]] = &[
    settings::KEYS,
    listen::KEYS,
    limits::KEYS,
    upstream::KEYS,
    pack::KEYS,
    tool::KEYS,
    redact::KEYS,
    journal::KEYS,
];

/// The number of keys.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
const N_KEYS: usize = {
    let (mut n, mut table) = (0, 0);
    while table < TABLES.len() {
        n += TABLES[table].len();
        table += 1;
    }
    n
};

/// The keys of the configuration, each with its description.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
pub const KEYS: [Key; N_KEYS] = {
    let mut keys = [TABLES[0][0]; N_KEYS];
    let (mut n, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut place = 0;
        while place < TABLES[table].len() {
            keys[n] = TABLES[table][place];
            n += 1;
            place += 1;
        }
        table += 1;
    }
    keys
};

/// The argument of `manila schema` that prints all keys.
const SCHEMA: &str = "config";

impl Config {
    /// Parses the parts that every command uses.
    ///
    /// The servers are not checked, because they may need environment variables that are set only
    /// where Manila serves them.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let wrong = Config::from_toml("[redact]\nof = [\"jwt\"]").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 1));
    /// assert_eq!(wrong.hint, "did you mean `off`?");
    /// ```
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| parse_error(text, &error, SCHEMA))?;
        Config::of(text, &file)
    }

    /// Parses everything, including the servers. `variable` returns the value for `${NAME}`.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let text = "[upstream.search]\nurl = \"http://127.0.0.1:${PORT}/mcp\"";
    /// let wrong = Config::for_serving(text, |_| None).unwrap_err();
    /// assert_eq!(wrong.to_string(), "line 2, column 7: `${PORT}` is not set in the environment");
    /// assert_eq!(Config::for_serving(text, |_| Some("9000".into()))?.servers.len(), 1);
    /// # Ok::<(), manila_files::ConfigError>(())
    /// ```
    pub fn for_serving(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        Config::for_serving_with(text, variable, |_| ())
    }

    /// Parses everything, including the servers. `adjust` may override the settings that apply to
    /// every server.
    pub fn for_serving_with(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
        adjust: impl FnOnce(&mut Settings),
    ) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| parse_error(text, &error, SCHEMA))?;
        let mut config = Config::of(text, &file)?;
        adjust(&mut config.settings);
        for (name, table) in &file.upstream {
            let server = upstream::read(text, name, table, &config.settings, &variable)?;
            config.servers.push(server);
        }
        for (name, table) in &file.pack {
            if file.upstream.contains_key(name) {
                let message = format!("a server and a pack are both named `{}`", name.get_ref());
                return Err(at(text, Some(name.span()), message, "rename one of them"));
            }
            config.servers.push(pack::read(text, name, table, &config.settings, &variable)?);
        }
        Ok(config)
    }

    fn of(text: &str, file: &File) -> Result<Config, ConfigError> {
        let redaction = redact::read(text, &file.redact, tool::unredacted_tools(&file.tool))?;
        let mut settings = settings::read(text, file)?;
        settings.redaction = Arc::new(redaction.clone());
        settings.tools = Arc::new(tool::read(text, &file.tool)?);
        let limits = limits::read(text, &file.limits, &mut settings)?;
        let listen = listen::read(text, &file.listen, &mut settings)?;
        let journal = journal::read(text, &file.journal)?;
        let contract = file.contract.as_ref().map(|_| settings.format);
        let (speaks, servers) = (settings.speaks, Vec::new());
        Ok(Config { redaction, contract, speaks, settings, limits, listen, servers, journal })
    }
}

#[cfg(test)]
mod tests;
