//! `manila.toml`: what an operator decides. Errors name their line and column.
//!
//! Each table has a module with its keys, the table as serde reads it, its settings, and `read`,
//! which turns the table into settings. [`KEYS`] lists the keys of all modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use manila::Contract;
use manila_files::{ConfigError, Key, at, not_read};
use serde::Deserialize;
use toml::Spanned;

use self::journal::JournalTable;
use self::limits::LimitsTable;
use self::listen::ListenTable;
use self::pack::PackTable;
use self::redact::RedactTable;
use self::settings::{OutputCheckWord, PlacementWord};
use self::tool::ToolTable;
use self::upstream::UpstreamTable;
use crate::protocol::presentation::Shape;

mod address;
mod fixed;
mod hiding;
mod journal;
mod limits;
mod listen;
mod pack;
mod redact;
mod schema;
mod server;
mod settings;
mod tool;
mod upstream;
mod value;
mod words;

pub use address::{Address, NoAddress};
pub use fixed::Fixed;
pub use journal::Journal;
pub use limits::Limits;
pub use listen::Listen;
pub(crate) use listen::not_local;
pub use redact::{Hiding, Passthrough, UnsafeOutput};
pub use schema::schema;
pub use server::{Member, Server};
pub use settings::{OutputCheck, Settings};
pub use tool::ToolSettings;
pub use upstream::Offered;

/// A configuration that was read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Config {
    /// How secrets are hidden.
    pub hiding: Hiding,
    /// What becomes of results, where that is said.
    pub contract: Option<Shape>,
    /// The contract in which the server answers already.
    pub speaks: Option<Contract>,
    /// How everything works that is no single server's.
    pub settings: Settings,
    /// The limits of what is served over HTTP.
    pub limits: Limits,
    /// Where clients come.
    pub listen: Listen,
    /// The servers.
    pub members: Vec<Member>,
    /// The journal.
    pub journal: Journal,
}

/// The whole file. Errors list the keys in the order of the fields.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    contract: Option<Spanned<String>>,
    speaks: Option<Spanned<String>>,
    placement: Option<PlacementWord>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckWord>,
    listen: ListenTable,
    limits: LimitsTable,
    upstream: BTreeMap<Spanned<String>, Spanned<UpstreamTable>>,
    pack: BTreeMap<Spanned<String>, Spanned<PackTable>>,
    tool: BTreeMap<String, ToolTable>,
    redact: RedactTable,
    journal: JournalTable,
}

/// The keys of each table, in the order of the page and of the schema.
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

/// How many keys there are.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
const N_KEYS: usize = {
    let (mut n, mut table) = (0, 0);
    while table < TABLES.len() {
        n += TABLES[table].len();
        table += 1;
    }
    n
};

/// The keys of the configuration, each with what it does.
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

/// Where people find every key.
const PAGE: &str = "docs/configuration.md";

impl Config {
    /// Reads what every command uses. The servers are not checked: they may need variables of the
    /// environment that are set only where they are served.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let wrong = Config::from_toml("[redact]\nof = [\"jwt\"]").unwrap_err();
    /// assert_eq!((wrong.line, wrong.column), (2, 1));
    /// assert_eq!(wrong.hint, "did you mean `off`?");
    /// ```
    pub fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| not_read(text, &error, PAGE))?;
        Config::of(text, &file)
    }

    /// Reads everything, the servers too. `variable` is what `${NAME}` stands for.
    ///
    /// ```
    /// use manila_gateway::Config;
    ///
    /// let text = "[upstream.search]\nurl = \"http://127.0.0.1:${PORT}/mcp\"";
    /// let wrong = Config::for_serving(text, |_| None).unwrap_err();
    /// assert_eq!(wrong.to_string(), "line 2, column 7: `${PORT}` is not set in the environment");
    /// assert_eq!(Config::for_serving(text, |_| Some("9000".into()))?.members.len(), 1);
    /// # Ok::<(), manila_files::ConfigError>(())
    /// ```
    pub fn for_serving(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Config, ConfigError> {
        Config::for_serving_with(text, variable, |_| ())
    }

    /// The same, where `decide` has the last word about what holds for all servers.
    pub fn for_serving_with(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
        decide: impl FnOnce(&mut Settings),
    ) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text).map_err(|error| not_read(text, &error, PAGE))?;
        let mut config = Config::of(text, &file)?;
        decide(&mut config.settings);
        for (name, table) in &file.upstream {
            let member = upstream::read(text, name, table, &config.settings, &variable)?;
            config.members.push(member);
        }
        for (name, table) in &file.pack {
            if file.upstream.contains_key(name) {
                let message = format!("a server is called `{}`, too", name.get_ref());
                return Err(at(text, Some(name.span()), message, "rename one of the two"));
            }
            config.members.push(pack::read(text, name, table, &config.settings, &variable)?);
        }
        Ok(config)
    }

    fn of(text: &str, file: &File) -> Result<Config, ConfigError> {
        let hiding = redact::read(text, &file.redact, tool::not_redacted(&file.tool))?;
        let mut settings = settings::read(text, file)?;
        settings.hiding = Arc::new(hiding.clone());
        settings.tools = Arc::new(tool::read(text, &file.tool)?);
        let limits = limits::read(text, &file.limits, &mut settings)?;
        let listen = listen::read(text, &file.listen)?;
        let journal = journal::read(text, &file.journal)?;
        let contract = file.contract.as_ref().map(|_| settings.shape);
        let (speaks, members) = (settings.speaks, Vec::new());
        Ok(Config { hiding, contract, speaks, settings, limits, listen, members, journal })
    }
}

#[cfg(test)]
mod tests;
