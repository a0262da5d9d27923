//! `[upstream.NAME]`: the servers, and how each is served.

use std::collections::BTreeMap;
use std::ffi::OsString;

use manila_files::values::{self, SERVER_NAME_CHARS_MAX};
use manila_files::{ConfigError, Key, Kind, at, key};
use manila_process::{Command, ESSENTIAL_VARIABLES, Environment};
use serde::Deserialize;
use toml::Spanned;

use super::address::{Address, NoAddress};
use super::server::{Member, Server};
use super::settings::{OutputCheckWord, Settings};
use super::value::{contract, shape};
use super::words::words;

/// The keys of `[upstream.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "upstream.NAME",
        Kind::Server,
        "a table for each server. With several of them, the names of its tools and prompts begin \
         with `NAME_`; a name has letters, digits and `-`",
    ),
    key(
        "upstream.NAME.command",
        Kind::Command,
        "the server's program and its arguments; no shell is involved",
    ),
    key(
        "upstream.NAME.env",
        Kind::NamedTexts,
        "variables for the program, beside the few that every program needs (`PATH`, `HOME`, the \
         language, folders for temporary files); `${VAR}` stands for a variable of Manila's own",
    ),
    key(
        "upstream.NAME.pass_env",
        Kind::Texts,
        "names of variables that are handed on to the program as they are",
    ),
    key("upstream.NAME.cwd", Kind::Text, "the folder in which the program runs"),
    key(
        "upstream.NAME.url",
        Kind::Url,
        "the URL of a server that runs already, instead of a command",
    ),
    key(
        "upstream.NAME.headers",
        Kind::NamedTexts,
        "headers for it, such as credentials; `${VAR}` as above",
    ),
    key(
        "upstream.NAME.start",
        Kind::Words(StartWord::WORDS),
        "`lazy` starts the program when it is needed for the first time, `eager` at once, which is \
         what happens otherwise",
    ),
    key("upstream.NAME.start_timeout", Kind::Time, "how long it may take to answer the greeting"),
    key("upstream.NAME.contract", Kind::Shape, "the contract of this server's answers"),
    key("upstream.NAME.speaks", Kind::Contract, "the contract in which it answers already"),
    key("upstream.NAME.timeout", Kind::Time, "how long a call of its tools may take"),
    key(
        "upstream.NAME.output_check",
        Kind::Words(OutputCheckWord::WORDS),
        "what becomes of answers that do not fit the `outputSchema` of its tools",
    ),
    key(
        "upstream.NAME.allow",
        Kind::Texts,
        "the tools that are offered, by their own names; `*` stands for any letters. Without it, \
         all are",
    ),
    key("upstream.NAME.deny", Kind::Texts, "the tools that are not offered, whatever `allow` says"),
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
    start: StartWord,
    start_timeout: Option<Spanned<String>>,
    contract: Option<Spanned<String>>,
    speaks: Option<Spanned<String>>,
    timeout: Option<Spanned<String>>,
    output_check: Option<OutputCheckWord>,
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

words! {
    #[derive(Default)]
    StartWord {
        #[default]
        Eager = "eager",
        Lazy = "lazy",
    }
}

/// Which tools of a server are offered, by their own names; `*` stands for any letters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Offered {
    /// Those that are; all, if this is not said.
    pub allow: Option<Vec<String>>,
    /// Those that are not, whatever else is said.
    pub deny: Vec<String>,
}

/// A variable of the environment, if it is set.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads the table of a server.
pub(super) fn read(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<UpstreamTable>,
    settings: &Settings,
    variable: Variable<'_>,
) -> Result<Member, ConfigError> {
    named(text, name)?;
    let own = table.get_ref();
    let mut settings = settings.clone();
    if let Some(id) = &own.contract {
        settings.shape = shape(text, id)?;
    }
    if let Some(id) = &own.speaks {
        settings.speaks = Some(contract(text, id)?);
    }
    if let Some(timeout) = &own.timeout {
        settings.timeout = manila_files::read(text, timeout, values::duration)?;
    }
    if let Some(timeout) = &own.start_timeout {
        settings.start_timeout = manila_files::read(text, timeout, values::duration)?;
    }
    if let Some(word) = own.output_check {
        settings.output_check = word.into();
    }
    settings.is_lazy = own.start == StartWord::Lazy;
    settings.offered = Offered { allow: own.allow.clone(), deny: own.deny.clone() };
    let server = server(text, name, table, variable)?;
    Ok(Member::new(name.get_ref().clone(), server, settings))
}

/// Refuses a name that tools cannot begin with.
pub(super) fn named(text: &str, name: &Spanned<String>) -> Result<(), ConfigError> {
    let is_good = (1..=SERVER_NAME_CHARS_MAX).contains(&name.get_ref().len())
        && name.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_good {
        return Ok(());
    }
    let message = format!("`{}` cannot be the name of a server", name.get_ref());
    let hint = format!(
        "use at most {SERVER_NAME_CHARS_MAX} letters, digits and `-`: tools are named NAME_TOOL"
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
            let mut words = command.get_ref().iter().map(|word| expanded(text, word, variable));
            let program = words.next().transpose()?.filter(|program| !program.is_empty());
            let Some(program) = program else {
                let hint = "give the program and its arguments, e.g. [\"npx\", \"some-server\"]";
                return Err(at(text, Some(command.span()), "the command is empty", hint));
            };
            let arguments = words.map(|word| word.map(OsString::from)).collect::<Result<_, _>>()?;
            let environment = environment(text, env, pass_env, variable)?;
            let folder = cwd.as_ref().map(|cwd| expanded(text, cwd, variable)).transpose()?;
            Ok(Server::Command(Command {
                program: program.into(),
                arguments,
                environment,
                folder: folder.map(Into::into),
                known_as: None,
            }))
        }
        (None, Some(url)) if env.is_empty() && pass_env.is_empty() && cwd.is_none() => {
            let address = expanded(text, url, variable)?;
            let headers = headers.iter().map(|(name, value)| {
                expanded(text, value, variable).map(|value| format!("{name}: {value}"))
            });
            let headers = headers.collect::<Result<Vec<String>, _>>()?;
            let address = Address::new(&address, &headers).map_err(|error| {
                let hint = match &error {
                    NoAddress::Url(..) | NoAddress::Scheme(_) => {
                        "give the whole URL, e.g. http://127.0.0.1:9000/mcp"
                    }
                    NoAddress::Header(_) => "a header has a name and one line of text",
                    NoAddress::Own(_) => "leave it out",
                };
                at(text, Some(url.span()), error.to_string(), hint)
            })?;
            Ok(Server::At(address))
        }
        (Some(_), Some(_)) => {
            let message = format!("server `{}` has a `command` and a `url`", name.get_ref());
            Err(at(text, Some(name.span()), message, "keep one of the two"))
        }
        (None, None) => {
            let message = format!("server `{}` has no `command` and no `url`", name.get_ref());
            Err(at(text, Some(name.span()), message, "give one of the two"))
        }
        (Some(_), None) => {
            let message = "`headers` are for a server at a `url`, but a `command` is given";
            Err(at(text, Some(name.span()), message, "leave them out; `env` is for programs"))
        }
        (None, Some(_)) => {
            let message = "`env`, `pass_env` and `cwd` are for a `command`, but a `url` is given";
            Err(at(text, Some(name.span()), message, "leave them out; `headers` are for URLs"))
        }
    }
}

/// What the program finds in its environment: little that is not named.
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
        all.push((name.into(), expanded(text, value, variable)?.into()));
    }
    Ok(Environment::Only(all))
}

pub(super) fn expanded(
    text: &str,
    value: &Spanned<String>,
    variable: Variable<'_>,
) -> Result<String, ConfigError> {
    values::with_variables(value.get_ref(), variable).map_err(|name| {
        let message = format!("`${{{name}}}` is not set in the environment");
        at(text, Some(value.span()), message, format!("set it first: export {name}=..."))
    })
}

impl Offered {
    /// Whether a tool is offered.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        let is_among = |patterns: &[String]| patterns.iter().any(|it| is_like(tool, it));
        self.allow.as_deref().is_none_or(is_among) && !is_among(&self.deny)
    }
}

/// Whether a name is like a pattern, in which `*` stands for any letters.
fn is_like(name: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(left) = name.strip_prefix(start) else { return false };
    let Some((middle, end)) = rest.rsplit_once('*') else { return left.ends_with(rest) };
    let Some(mut left) = left.strip_suffix(end) else { return false };
    // What stands between two stars is taken where it comes first.
    for part in middle.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    true
}
