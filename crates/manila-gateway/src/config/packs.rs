//! `[pack.NAME]`: programs whose tools come from a file.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use manila_files::{ConfigError, at, read, values};
use manila_pack::{Source, Work};
use toml::Spanned;

use super::members::{self, Variable, expanded};
use super::shape;
use super::tables::{PackTable, StartWord};
use crate::config::Member;
use crate::config::{Offered, Settings};

/// The pack of a table.
pub(super) fn member(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<PackTable>,
    settings: &Settings,
    variable: Variable<'_>,
) -> Result<Member, ConfigError> {
    members::named(text, name)?;
    let own = table.get_ref();
    let source = match &own.file {
        Some(file) => Source::file(Path::new(&expanded(text, file, variable)?)),
        None => Source::named(name.get_ref()),
    };
    let source = source.map_err(|error| {
        let place = own.file.as_ref().map_or(name.span(), Spanned::span);
        at(text, Some(place), error.to_string(), error.hint())
    })?;
    let mut work = Work::new(variable);
    if !own.roots.is_empty() {
        let roots = own.roots.iter().map(|root| folder(text, root, variable));
        work.roots = roots.collect::<Result<_, _>>()?;
    }
    for (name, value) in &own.env {
        work.env.push((name.into(), expanded(text, value, variable)?.into()));
    }
    work.pass_env.clone_from(&own.pass_env);
    if let Some(timeout) = &own.timeout {
        work.timeout = read(text, timeout, values::duration)?;
    }
    work.programs_max = own.programs_max.map_or(work.programs_max, NonZero::get);
    if let Some(most) = &own.output_chars_max {
        let room = Work::room_for_output(settings.frame_bytes_max);
        if most.get_ref().get() > room {
            let hint = format!(
                "it must be at most {room}, or no answer would have room for it; \
                 limits.message_bytes_max says how large those may be"
            );
            return Err(at(text, Some(most.span()), "that is too much to keep", hint));
        }
        work.stream_chars_max = most.get_ref().get();
    }
    for pattern in own.allow.iter().flatten().chain(&own.deny) {
        fits_a_tool(text, table, pattern, &source)?;
    }
    let mut settings = settings.clone();
    if let Some(id) = &own.contract {
        settings.shape = shape(text, id)?;
    }
    settings.is_lazy = own.start == StartWord::Lazy;
    settings.offered = Offered { allow: own.allow.clone(), deny: own.deny.clone() };
    Member::of_pack(source, name.get_ref(), work, settings).map_err(|error| {
        let message = format!("the pack cannot be set to work: {error}");
        at(text, Some(name.span()), message, "e.g. roots = [\"/srv/project\"]")
    })
}

/// What is allowed or denied is something that there is.
fn fits_a_tool(
    text: &str,
    table: &Spanned<PackTable>,
    pattern: &str,
    source: &Source,
) -> Result<(), ConfigError> {
    let names: Vec<&str> = source.pack.tool_names().collect();
    let only = Offered { allow: Some(vec![pattern.to_owned()]), deny: Vec::new() };
    if names.iter().any(|name| only.has(name)) {
        return Ok(());
    }
    let message = format!("`{pattern}` is none of the pack's tools");
    let hint = format!("its tools are {}", names.join(", "));
    Err(at(text, Some(table.span()), message, hint))
}

/// A folder that is there.
fn folder(
    text: &str,
    written: &Spanned<String>,
    variable: Variable<'_>,
) -> Result<PathBuf, ConfigError> {
    let path = PathBuf::from(expanded(text, written, variable)?);
    if path.is_dir() {
        return Ok(path);
    }
    let message = format!("`{}` is no folder", path.display());
    Err(at(text, Some(written.span()), message, "give a folder that exists"))
}
