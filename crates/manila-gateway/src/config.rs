//! `manila.toml`: what an operator decides. Whatever is wrong in it is told with its place.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use manila::Contract;
use manila_files::{ConfigError, at, not_read, read, values};
use toml::Spanned;

use self::redact::PassthroughWord;
use self::tables::{File, LimitsTable, OutputCheckWord, PlacementWord, ToolTable};
use crate::config::hiding::{Hiding, Passthrough, UnsafeOutput};
use crate::protocol::host;
use crate::protocol::presentation::{Placement, Shape};

mod address;
pub(crate) mod hiding;
mod keys;
mod limits;
mod members;
mod packs;
mod redact;
mod schema;
mod server;
mod settings;
mod tables;
mod words;

pub use address::{Address, NoAddress};
pub use keys::KEYS;
pub use limits::Limits;
pub use schema::schema;
pub use server::{Member, Server};
pub use settings::{Offered, OutputCheck, Settings, ToolSettings};

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

/// The journal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Journal {
    /// Where it is written, if not where it usually is.
    pub folder: Option<PathBuf>,
    /// How large a file may become.
    pub file_bytes_max: usize,
    /// How many files are kept; 0 keeps no journal.
    pub files_max: usize,
}

impl Default for Journal {
    fn default() -> Journal {
        Journal { folder: None, file_bytes_max: 64 * 1024 * 1024, files_max: 5 }
    }
}

/// Where clients come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listen {
    /// Over HTTP, at this address.
    pub http: Option<SocketAddr>,
    /// Over standard input and output.
    pub stdio: bool,
}

/// Where people find every key.
const PAGE: &str = "docs/configuration.md";

impl Config {
    /// Reads what binds every command. The servers are not looked at closely: they may want
    /// variables that only whoever serves them has.
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
    /// assert_eq!(Config::for_serving(text, |_| Some("9000".into())).unwrap().members.len(), 1);
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
            let member = members::member(text, name, table, &config.settings, &variable)?;
            config.members.push(member);
        }
        for (name, table) in &file.pack {
            if file.upstream.contains_key(name) {
                let message = format!("a server is called `{}`, too", name.get_ref());
                return Err(at(text, Some(name.span()), message, "rename one of the two"));
            }
            config.members.push(packs::member(text, name, table, &config.settings, &variable)?);
        }
        Ok(config)
    }

    fn of(text: &str, file: &File) -> Result<Config, ConfigError> {
        let hiding = hiding(text, file)?;
        let contract = file.contract.as_ref().map(|id| shape(text, id)).transpose()?;
        let speaks = file.speaks.as_ref().map(|id| self::contract(text, id)).transpose()?;
        let mut settings = Settings { hiding: Arc::new(hiding.clone()), ..Settings::default() };
        settings.shape = contract.unwrap_or(settings.shape);
        settings.is_plain = true;
        settings.speaks = speaks;
        settings.placement = file.placement.map_or(settings.placement, Placement::from);
        let output_check = file.output_check.map(OutputCheck::from);
        settings.output_check = output_check.unwrap_or(settings.output_check);
        set(text, file.timeout.as_ref(), &mut settings.timeout, values::duration)?;
        settings.tools = Arc::new(tools(text, &file.tool)?);
        let mut limits = Limits::default();
        self::limits(text, &file.limits, &mut settings, &mut limits)?;
        let http = file.listen.http.as_ref().map(|at| own_address(text, at)).transpose()?;
        let listen = Listen { http, stdio: file.listen.stdio };
        let mut journal = Journal::default();
        journal.folder = file.journal.folder.as_ref().map(PathBuf::from);
        let file_bytes = file.journal.file_bytes_max.as_ref();
        set(text, file_bytes, &mut journal.file_bytes_max, values::bytes)?;
        journal.files_max = file.journal.files_max.unwrap_or(journal.files_max);
        let members = Vec::new();
        Ok(Config { hiding, contract, speaks, settings, limits, listen, members, journal })
    }
}

/// An address that only this machine can reach.
fn own_address(text: &str, written: &Spanned<String>) -> Result<SocketAddr, ConfigError> {
    let address = read(text, written, values::address)?;
    if host::is_local(&address) {
        return Ok(address);
    }
    let hint = "use an address of this machine, e.g. 127.0.0.1:7300";
    Err(at(text, Some(written.span()), not_local(&address), hint))
}

/// Says why an address is not served.
pub(crate) fn not_local(address: &SocketAddr) -> String {
    format!("{address} can be reached from other machines, which is refused until there are keys")
}

fn hiding(text: &str, file: &File) -> Result<Hiding, ConfigError> {
    let redactor = Arc::new(redact::redactor(text, &file.redact)?);
    let is_off = |(_, tool): &(&String, &ToolTable)| tool.redact == Some(false);
    let not_for = file.tool.iter().filter(is_off).map(|(name, _)| name.clone()).collect();
    let unsafe_output =
        if file.redact.unsafe_output { UnsafeOutput::Allowed } else { UnsafeOutput::Ignored };
    let passthrough = match file.redact.passthrough {
        PassthroughWord::Redacted => Passthrough::Redacted,
        PassthroughWord::Verbatim => Passthrough::Verbatim,
    };
    Ok(Hiding { redactor, not_for, unsafe_output, passthrough })
}

fn tools(
    text: &str,
    tables: &BTreeMap<String, ToolTable>,
) -> Result<BTreeMap<String, ToolSettings>, ConfigError> {
    let of = |table: &ToolTable| {
        let timeout = table.timeout.as_ref();
        Ok(ToolSettings {
            shape: table.contract.as_ref().map(|id| shape(text, id)).transpose()?,
            placement: table.placement.map(Placement::from),
            timeout: timeout.map(|it| read(text, it, values::duration)).transpose()?,
            output_check: table.output_check.map(OutputCheck::from),
        })
    };
    tables.iter().map(|(name, table)| Ok((name.clone(), of(table)?))).collect()
}

fn limits(
    text: &str,
    table: &LimitsTable,
    settings: &mut Settings,
    limits: &mut Limits,
) -> Result<(), ConfigError> {
    set(text, table.message_bytes_max.as_ref(), &mut settings.frame_bytes_max, values::bytes)?;
    let in_flight_bytes = table.in_flight_bytes_max.as_ref();
    set(text, in_flight_bytes, &mut settings.in_flight_bytes_max, values::bytes)?;
    set(text, table.queue_bytes_max.as_ref(), &mut settings.queue_bytes_max, values::bytes)?;
    set(text, table.grace.as_ref(), &mut settings.grace, values::duration)?;
    set(text, table.session_idle.as_ref(), &mut limits.session_idle, values::duration)?;
    set(text, table.head_timeout.as_ref(), &mut limits.head_timeout, values::duration)?;
    set(text, table.body_timeout.as_ref(), &mut limits.body_timeout, values::duration)?;
    settings.in_flight_max = table.in_flight_max.map_or(settings.in_flight_max, NonZero::get);
    limits.connections_max = table.connections_max.map_or(limits.connections_max, NonZero::get);
    limits.sessions_max = table.sessions_max.map_or(limits.sessions_max, NonZero::get);
    Ok(())
}

/// Sets what is given.
fn set<T>(
    text: &str,
    given: Option<&Spanned<String>>,
    place: &mut T,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<(), ConfigError> {
    if let Some(given) = given {
        *place = read(text, given, parse)?;
    }
    Ok(())
}

impl From<PlacementWord> for Placement {
    fn from(word: PlacementWord) -> Placement {
        match word {
            PlacementWord::Structured => Placement::Structured,
            PlacementWord::Text => Placement::Text,
        }
    }
}

impl From<OutputCheckWord> for OutputCheck {
    fn from(word: OutputCheckWord) -> OutputCheck {
        match word {
            OutputCheckWord::Strict => OutputCheck::Strict,
            OutputCheckWord::Warn => OutputCheck::Warn,
            OutputCheckWord::Off => OutputCheck::Off,
        }
    }
}

fn contract(text: &str, id: &Spanned<String>) -> Result<Contract, ConfigError> {
    Contract::from_id(id.get_ref()).map_err(|error| {
        let ids: Vec<&str> = Contract::ALL.into_iter().map(Contract::id).collect();
        at(text, Some(id.span()), error.to_string(), meant(id.get_ref(), &ids))
    })
}

fn shape(text: &str, id: &Spanned<String>) -> Result<Shape, ConfigError> {
    Shape::from_id(id.get_ref()).ok_or_else(|| {
        let message = format!("there is no contract `{}`", id.get_ref());
        at(text, Some(id.span()), message, meant(id.get_ref(), &Shape::ids().collect::<Vec<_>>()))
    })
}

fn meant(given: &str, ids: &[&str]) -> String {
    match manila::closest(given, ids.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it is one of {}", ids.join(", ")),
    }
}

#[cfg(test)]
mod tests;
