//! `[upstream.NAME]`: the servers and their settings.

use std::collections::BTreeMap;
use std::ffi::OsString;

use manila_files::values::{self, SERVER_NAME_CHARS_MAX};
use manila_files::{ConfigError, Key, Kind, at, key};
use manila_process::{Command, ESSENTIAL_VARIABLES, Environment};
use serde::Deserialize;
use toml::Spanned;

use super::address::{Address, AddressError};
use super::server::{NamedServer, Server};
use super::settings::{OutputCheckValue, Settings};
use super::string_enum::string_enum;
use super::value::{contract, result_format};

/// The keys of `[upstream.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "upstream.NAME",
        Kind::Server,
        "table for one server. `NAME` consists of letters, digits and `-`. With several servers, \
         the names of its tools and prompts start with `NAME_`",
    ),
    key(
        "upstream.NAME.command",
        Kind::Command,
        "program to start, and its arguments; no shell is involved",
    ),
    key(
        "upstream.NAME.env",
        Kind::StringTable,
        "environment variables for the program, in addition to the few that every program gets \
         (`PATH`, `HOME`, locale, temporary folders); `${VAR}` inserts a variable of Manila's \
         environment",
    ),
    key(
        "upstream.NAME.pass_env",
        Kind::Strings,
        "names of environment variables to pass to the program unchanged",
    ),
    key("upstream.NAME.cwd", Kind::String, "working directory of the program"),
    key(
        "upstream.NAME.url",
        Kind::Url,
        "URL of a server that is already running, instead of `command`",
    ),
    key(
        "upstream.NAME.headers",
        Kind::StringTable,
        "HTTP headers to send to the server, such as credentials; `${VAR}` inserts an environment \
         variable",
    ),
    key(
        "upstream.NAME.start",
        Kind::Enum(StartValue::NAMES),
        "when to start the program: `eager` (the default) starts it at once, `lazy` when it is \
         first needed",
    ),
    key(
        "upstream.NAME.start_timeout",
        Kind::Time,
        "how long the server may take to complete the handshake; default `\"60s\"`",
    ),
    key("upstream.NAME.contract", Kind::ContractOrNone, "contract for this server's results"),
    key(
        "upstream.NAME.speaks",
        Kind::Contract,
        "contract that this server's results already follow",
    ),
    key("upstream.NAME.timeout", Kind::Time, "how long a call to one of its tools may take"),
    key(
        "upstream.NAME.output_check",
        Kind::Enum(OutputCheckValue::NAMES),
        "what to do with results that do not match the `outputSchema` of its tools",
    ),
    key(
        "upstream.NAME.allow",
        Kind::Strings,
        "tools to offer, by the server's names for them; `*` matches any characters. Without this \
         key, all tools are offered",
    ),
    key("upstream.NAME.deny", Kind::Strings, "tools not to offer, even if `allow` matches them"),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpstreamTable {
    command: Option<Spanned<Vec<Spanned<String>>>>,
    env: BTreeMap<String, Spanned<String>>,
    pass_env: Vec<String>,
    cwd: Option<Spanned<String>>,
    url: Option<Spanned<String>>,
    headers: BTreeMap<String, Spanned<String>>,
    start: StartValue,
    start_timeout: Option<Spanned<String>>,
    contract: Option<Spanned<String>>,
    speaks: Option<Spanned<String>>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckValue>,
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

string_enum! {
    #[derive(Default)]
    StartValue {
        #[default]
        Eager = "eager",
        Lazy = "lazy",
    }
}

/// Which tools of a server are offered, by the server's names; `*` matches any characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// The tools to offer; `None` offers all.
    pub allow: Option<Vec<String>>,
    /// The tools not to offer, even if `allow` matches them.
    pub deny: Vec<String>,
}

/// Looks up an environment variable.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads one server's table.
pub(super) fn read(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<UpstreamTable>,
    settings: &Settings,
    variable: Variable<'_>,
) -> Result<NamedServer, ConfigError> {
    check_name(text, name)?;
    let given = table.get_ref();
    let mut settings = settings.clone();
    if let Some(id) = &given.contract {
        settings.format = result_format(text, id)?;
    }
    if let Some(id) = &given.speaks {
        settings.speaks = Some(contract(text, id)?);
    }
    if let Some(timeout) = &given.timeout {
        settings.timeout = manila_files::read(text, timeout, values::duration)?;
    }
    if let Some(timeout) = &given.start_timeout {
        settings.start_timeout = manila_files::read(text, timeout, values::duration)?;
    }
    if let Some(check) = given.output_check {
        settings.output_check = check.into();
    }
    settings.is_lazy = given.start == StartValue::Lazy;
    settings.tool_filter = ToolFilter { allow: given.allow.clone(), deny: given.deny.clone() };
    let server = server(text, name, table, variable)?;
    Ok(NamedServer::new(name.get_ref().clone(), server, settings))
}

/// Refuses a name that cannot be the prefix of tool names.
pub(super) fn check_name(text: &str, name: &Spanned<String>) -> Result<(), ConfigError> {
    let is_good = (1..=SERVER_NAME_CHARS_MAX).contains(&name.get_ref().len())
        && name.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_good {
        return Ok(());
    }
    let message = format!("invalid server name `{}`", name.get_ref());
    let hint = format!(
        "use at most {SERVER_NAME_CHARS_MAX} letters, digits and `-`: tools are named SERVER_TOOL"
    );
    Err(at(text, Some(name.span()), message, hint))
}

fn server(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<UpstreamTable>,
    variable: Variable<'_>,
) -> Result<Server, ConfigError> {
    let UpstreamTable { command, env, pass_env, cwd, url, headers, .. } = table.get_ref();
    match (command, url) {
        (Some(command), None) if headers.is_empty() => {
            let mut parts =
                command.get_ref().iter().map(|part| expand_variables(text, part, variable));
            let program = parts.next().transpose()?.filter(|program| !program.is_empty());
            let Some(program) = program else {
                let hint = "give the program and its arguments, e.g. [\"npx\", \"some-server\"]";
                return Err(at(text, Some(command.span()), "the command is empty", hint));
            };
            let arguments = parts.map(|part| part.map(OsString::from)).collect::<Result<_, _>>()?;
            let environment = environment(text, env, pass_env, variable)?;
            let folder =
                cwd.as_ref().map(|cwd| expand_variables(text, cwd, variable)).transpose()?;
            Ok(Server::Command(Command {
                program: program.into(),
                arguments,
                environment,
                folder: folder.map(Into::into),
                has_real_folder: false,
                display_name: None,
            }))
        }
        (None, Some(url)) if env.is_empty() && pass_env.is_empty() && cwd.is_none() => {
            let address = expand_variables(text, url, variable)?;
            let headers = headers.iter().map(|(name, value)| {
                expand_variables(text, value, variable).map(|value| format!("{name}: {value}"))
            });
            let headers = headers.collect::<Result<Vec<String>, _>>()?;
            let address = Address::new(&address, &headers).map_err(|error| {
                let hint = match &error {
                    AddressError::Url(..) | AddressError::Scheme(_) => {
                        "give the whole URL, e.g. http://127.0.0.1:9000/mcp"
                    }
                    AddressError::Header(_) => "write a header as a name and one line of text",
                    AddressError::Reserved(_) => "remove it",
                };
                at(text, Some(url.span()), error.to_string(), hint)
            })?;
            Ok(Server::Remote(address))
        }
        (Some(_), Some(_)) => {
            let message = format!("server `{}` has both a `command` and a `url`", name.get_ref());
            Err(at(text, Some(name.span()), message, "remove one of them"))
        }
        (None, None) => {
            let message = format!("server `{}` has no `command` and no `url`", name.get_ref());
            Err(at(text, Some(name.span()), message, "set one of them"))
        }
        (Some(_), None) => {
            let message = "`headers` need a `url`, but the server has a `command`";
            Err(at(
                text,
                Some(name.span()),
                message,
                "remove `headers`; use `env` to configure a program",
            ))
        }
        (None, Some(_)) => {
            let message =
                "`env`, `pass_env` and `cwd` need a `command`, but the server has a `url`";
            Err(at(
                text,
                Some(name.span()),
                message,
                "remove them; use `headers` to configure a remote server",
            ))
        }
    }
}

/// Builds the program's environment: the essential variables and those that the table names.
fn environment(
    text: &str,
    env: &BTreeMap<String, Spanned<String>>,
    pass_env: &[String],
    variable: Variable<'_>,
) -> Result<Environment, ConfigError> {
    let passed = ESSENTIAL_VARIABLES.into_iter().chain(pass_env.iter().map(String::as_str));
    let passed = passed.filter_map(|name| Some((name.into(), variable(name)?.into())));
    let mut all: Vec<(OsString, OsString)> = passed.collect();
    for (name, value) in env {
        all.push((name.into(), expand_variables(text, value, variable)?.into()));
    }
    Ok(Environment::Only(all))
}

pub(super) fn expand_variables(
    text: &str,
    value: &Spanned<String>,
    variable: Variable<'_>,
) -> Result<String, ConfigError> {
    values::expand_variables(value.get_ref(), variable).map_err(|name| {
        let message = format!("`${{{name}}}` is not set in the environment");
        at(text, Some(value.span()), message, format!("set it first: export {name}=..."))
    })
}

impl ToolFilter {
    /// Returns whether a tool is offered.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        let is_among = |patterns: &[String]| patterns.iter().any(|it| glob_match(tool, it));
        self.allow.as_deref().is_none_or(is_among) && !is_among(&self.deny)
    }

    /// Returns whether a tool is offered that the server does not list.
    ///
    /// The server may accept other spellings of its tools' names. Without its list, the filter
    /// cannot tell which tool a name means, so it offers only names that `allow` spells out.
    #[must_use]
    pub fn has_unlisted(&self, tool: &str) -> bool {
        let is_unfiltered = self.allow.is_none() && self.deny.is_empty();
        let mut allowed = self.allow.iter().flatten().filter(|name| !name.contains('*'));
        is_unfiltered || (allowed.any(|name| name == tool) && self.has(tool))
    }
}

/// Returns whether a name matches a pattern, in which `*` matches any characters.
fn glob_match(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(left) = name.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    let Some(mut left) = left.strip_suffix(end) else { return false };
    // Taking the first occurrence of each part between two stars is enough.
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}
