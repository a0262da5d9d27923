//! Conversion of the tables of a pack file to a pack, with the position of each error.

use std::collections::HashSet;
use std::path::Path;

use manila::closest;
use regex::Regex;
use toml::Spanned;

use super::parameter::{Kind, Parameter};
use super::probe::Probe;
use super::tables::{PackTable, ToolTable};
use super::{Action, CAPABILITIES, Pack, PackTool};
use manila_files::{ConfigError, at, parse_error, read as read_value};
use manila_process::run::MissingProgram;

mod action;
mod output;
mod parameter;

/// The argument of `manila schema` that prints all keys.
const SCHEMA: &str = "pack";

/// Maximum length of a name. Clients have limits of their own.
const NAME_CHARS_MAX: usize = 64;

/// The systems that a pack may name.
const PLATFORMS: [&str; 3] = ["linux", "macos", "windows"];

/// Parses a pack.
pub(super) fn pack(text: &str) -> Result<Pack, ConfigError> {
    let table: PackTable =
        toml::from_str(text).map_err(|error| parse_error(text, &error, SCHEMA))?;
    let PackTable { name, about, program, missing, platforms, tool, .. } = &table;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_valid = |name: &str| {
        (1..=NAME_CHARS_MAX).contains(&name.len())
            && !name.starts_with('-')
            && name.bytes().all(is_name)
    };
    if !is_valid(name.get_ref()) {
        let message = format!("`{}` is not a valid pack name", name.get_ref());
        let hint = "use up to 64 letters, digits and `-`: its tools are named PACK_TOOL";
        return Err(at(text, Some(name.span()), message, hint));
    }
    let is_bare = |name: &str| !name.contains(['/', '\\']) && !name.contains(char::is_whitespace);
    let is_program = |name: &str| is_bare(name) || Path::new(name).is_absolute();
    let is_option = program.get_ref().starts_with('-');
    if program.get_ref().is_empty() || is_option || !is_program(program.get_ref()) {
        let message = match program.get_ref().as_str() {
            "" => "`program` is empty".to_owned(),
            program => format!("`{program}` is not a valid program name"),
        };
        let hint =
            "give its name on the PATH, or its absolute path; arguments belong to the actions";
        return Err(at(text, Some(program.span()), message, hint));
    }
    if let Some(wrong) = platforms.iter().find(|it| !PLATFORMS.contains(&it.get_ref().as_str())) {
        let message = format!("unknown system `{}`", wrong.get_ref());
        let hint = "the systems are linux, macos and windows";
        return Err(at(text, Some(wrong.span()), message, hint));
    }
    check_distinct(text, "tool", tool.iter().map(|tool| &tool.name))?;
    if tool.is_empty() {
        return Err(at(text, Some(name.span()), "the pack has no tool", "add a [[tool]]"));
    }
    if let Some(reserved) = tool.iter().find(|it| it.name.get_ref() == CAPABILITIES) {
        let message = format!("every pack already has a tool `{CAPABILITIES}`");
        return Err(at(text, Some(reserved.name.span()), message, "give it another name"));
    }
    let missing = missing.as_ref();
    let missing = missing.map(|it| MissingProgram {
        feature: it.feature.clone(),
        alternatives: it.alternatives.clone(),
    });
    let program = program.get_ref().clone();
    let missing = missing.unwrap_or_else(|| MissingProgram::of_program(&program));
    let probe = table.probe.as_ref().map(|it| output::probe(text, it)).transpose()?;
    let tools = tool.iter().map(|it| self::tool(text, it, probe.as_ref()));
    Ok(Pack {
        name: name.get_ref().clone(),
        about: about.clone(),
        program,
        missing,
        platforms: platforms.iter().map(|it| it.get_ref().clone()).collect(),
        pass_env: output::pass_env(text, &table.pass_env)?,
        progress: table.progress.as_ref().map(|it| output::progress(text, it)).transpose()?,
        rules: output::rules(text, name.get_ref(), &table.diagnostic)?,
        tools: tools.collect::<Result<_, _>>()?,
        probe,
    })
}

fn tool(text: &str, table: &ToolTable, probe: Option<&Probe>) -> Result<PackTool, ConfigError> {
    let ToolTable { name, about, parameter, action } = table;
    check_name(text, name)?;
    check_distinct(text, "parameter", parameter.iter().map(|it| &it.name))?;
    check_distinct(text, "action", action.iter().map(|it| &it.name))?;
    if action.is_empty() {
        let hint = "add a [[tool.action]]";
        return Err(at(
            text,
            Some(name.span()),
            format!("the tool `{}` has no action", name.get_ref()),
            hint,
        ));
    }
    let parameters: Vec<Parameter> =
        parameter.iter().map(|it| parameter::parameter(text, it)).collect::<Result<_, _>>()?;
    for base in parameter.iter().filter_map(|it| it.relative_to.as_ref()) {
        let parameter = parameters.iter().find(|it| it.name == *base.get_ref());
        let is_base =
            |kind: &Kind| matches!(kind, Kind::Path(rules) if rules.relative_to.is_none());
        if !parameter.is_some_and(|it| is_base(&it.kind)) {
            let message = format!("`{}` does not name a file by itself", base.get_ref());
            let hint = "name a parameter of type `path` without `relative_to`";
            return Err(at(text, Some(base.span()), message, hint));
        }
    }
    if let Some(minimum) = action.iter().find_map(|it| it.minimum.as_ref())
        && probe.is_none()
    {
        let hint = "add a [probe] that finds the program's version";
        return Err(at(text, Some(minimum.span()), "the program's version is unknown", hint));
    }
    let actions = action.iter().map(|it| action::action(text, it, &parameters));
    let actions: Vec<Action> = actions.collect::<Result<_, _>>()?;
    let (name_text, about) = (name.get_ref().clone(), about.clone());
    let tool = PackTool { name: name_text, about, parameters, actions };
    let is_used = |it: &&Parameter| {
        tool.actions.iter().any(|action| action.names().contains(&it.name.as_str()))
    };
    if let Some(unused) = tool.parameters.iter().find(|it| !is_used(it)) {
        let message = format!("no action of `{}` uses the parameter `{}`", tool.name, unused.name);
        let table = parameter.iter().find(|it| *it.name.get_ref() == unused.name);
        let span = table.map(|it| it.name.span());
        return Err(at(text, span, message, "use it in `arguments`, or remove it"));
    }
    Ok(tool)
}

/// Checks that a name is one of those known, and reports an unknown one at `place`.
fn check_known(
    text: &str,
    place: &Spanned<String>,
    name: &str,
    known: &[&str],
) -> Result<(), ConfigError> {
    if known.contains(&name) {
        return Ok(());
    }
    let hint = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "declare it as a [[tool.parameter]]".to_owned(),
    };
    Err(at(text, Some(place.span()), format!("there is no parameter `{name}`"), hint))
}

fn check_name(text: &str, name: &Spanned<String>) -> Result<(), ConfigError> {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_short = (1..=NAME_CHARS_MAX).contains(&name.get_ref().len());
    if is_short && name.get_ref().bytes().all(is_valid) {
        return Ok(());
    }
    let message = format!("`{}` is not a valid name", name.get_ref());
    Err(at(text, Some(name.span()), message, "use up to 64 letters, digits and `_`"))
}

fn check_distinct<'a>(
    text: &str,
    what: &str,
    names: impl Iterator<Item = &'a Spanned<String>>,
) -> Result<(), ConfigError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.get_ref()) {
            let message = format!("duplicate {what} `{}`", name.get_ref());
            return Err(at(text, Some(name.span()), message, "rename one of them"));
        }
    }
    Ok(())
}

/// Compiles a regular expression, and reports an error at `place`.
fn expression(text: &str, place: &Spanned<String>, pattern: &str) -> Result<Regex, ConfigError> {
    const BYTES_MAX: usize = 1024 * 1024;
    let built = regex::RegexBuilder::new(pattern).size_limit(BYTES_MAX).build();
    built.map_err(|error| invalid_expression(text, place, &error))
}

fn invalid_expression(text: &str, place: &Spanned<String>, error: &regex::Error) -> ConfigError {
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
    let message = format!("`{}` is not a valid regular expression: {reason}", place.get_ref());
    let hint = "correct the pattern; it uses the syntax of the Rust regex crate";
    at(text, Some(place.span()), message, hint)
}

#[cfg(test)]
mod tests;
