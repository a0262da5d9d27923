//! `[pack.NAME]`: programs whose tools come from a file.

use std::collections::BTreeMap;
use std::num::{NonZero, NonZeroUsize};
use std::path::{Path, PathBuf};

use manila_files::{ConfigError, Key, Kind, at, key, values};
use manila_pack::{Source, Work};
use serde::Deserialize;
use toml::Spanned;

use super::server::Member;
use super::settings::Settings;
use super::upstream::{Offered, StartWord, Variable, expanded, named};
use super::value::shape;

/// The keys of `[pack.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "pack.NAME",
        Kind::Pack,
        "a table for each pack: a program whose tools come from a declarative file, such as \
         `cargo` or `dotnet` (`manila pack list`). The names of its tools begin with `NAME_`",
    ),
    key(
        "pack.NAME.file",
        Kind::Text,
        "the file of a pack of your own, from the folder in which Manila runs; without it, `NAME` \
         is one that Manila brings along",
    ),
    key(
        "pack.NAME.roots",
        Kind::Texts,
        "the folders in which the program may work, and which paths that callers give may not \
         leave; it runs in the first of them. Without it, the folder in which Manila runs, from \
         which relative ones count",
    ),
    key(
        "pack.NAME.env",
        Kind::NamedTexts,
        "variables for the program, beside the few that every program needs and those that the \
         pack names; `${VAR}` as above",
    ),
    key(
        "pack.NAME.pass_env",
        Kind::Texts,
        "names of variables that are handed on to the program as they are; a `*` at the end stands \
         for any letters",
    ),
    key("pack.NAME.start", Kind::Words(StartWord::WORDS), "as for a server"),
    key("pack.NAME.contract", Kind::Shape, "the contract of the answers of its tools"),
    key(
        "pack.NAME.timeout",
        Kind::Time,
        "how long an action may take for which the pack says nothing; 10m by default",
    ),
    key(
        "pack.NAME.output_chars_max",
        Kind::Several,
        "how many characters are kept of each stream of the program; 1,000,000 by default. \
         Messages must have room for both: 2,796,202 at most, unless `limits.message_bytes_max` \
         says otherwise",
    ),
    key(
        "pack.NAME.programs_max",
        Kind::Several,
        "how many of its programs may run at once; further calls wait. 16 by default",
    ),
    key(
        "pack.NAME.allow",
        Kind::Texts,
        "the tools that are offered, by the names that the pack has for them, e.g. `project`",
    ),
    key("pack.NAME.deny", Kind::Texts, "the tools that are not offered, whatever `allow` says"),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PackTable {
    file: Option<Spanned<String>>,
    roots: Vec<Spanned<String>>,
    env: BTreeMap<String, Spanned<String>>,
    pass_env: Vec<String>,
    start: StartWord,
    contract: Option<Spanned<String>>,
    timeout: Option<Spanned<String>>,
    output_chars_max: Option<Spanned<NonZeroUsize>>,
    programs_max: Option<NonZeroUsize>,
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Reads the table of a pack.
pub(super) fn read(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<PackTable>,
    settings: &Settings,
    variable: Variable<'_>,
) -> Result<Member, ConfigError> {
    named(text, name)?;
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
        work.timeout = manila_files::read(text, timeout, values::duration)?;
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
