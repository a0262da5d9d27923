//! `[upstream.NAME]`: the servers, and how each is served.

use std::ffi::OsString;

use manila_process::{Command, ESSENTIAL_VARIABLES, Environment};
use toml::Spanned;

use manila_files::values::{self, SERVER_NAME_CHARS_MAX};
use manila_files::{ConfigError, at, read};

use super::tables::{StartWord, UpstreamTable};
use super::{contract, shape};
use crate::config::Member;
use crate::config::{Address, NoAddress, Server};
use crate::config::{Offered, Settings};

/// A variable of the environment, if it is set.
pub(super) type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The server of a table.
pub(super) fn member(
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
        settings.timeout = read(text, timeout, values::duration)?;
    }
    if let Some(timeout) = &own.start_timeout {
        settings.start_timeout = read(text, timeout, values::duration)?;
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
    env: &std::collections::BTreeMap<String, Spanned<String>>,
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
