//! `[pack.NAME]`: programs whose tools are defined in a file.

use std::collections::BTreeMap;
use std::num::{NonZero, NonZeroUsize};
use std::path::{Path, PathBuf};

use manila_files::{ConfigError, Key, Kind, at, key, values};
use manila_pack::{LoadedPack, PackSettings};
use serde::Deserialize;
use toml::Spanned;

use super::server::NamedServer;
use super::settings::Settings;
use super::upstream::{StartValue, ToolFilter, Variable, check_name, expand_variables};
use super::value::result_format;

/// The keys of `[pack.NAME]`.
pub(super) const KEYS: &[Key] = &[
    key(
        "pack.NAME",
        Kind::Pack,
        "table for one pack: a program whose tools are defined in a declarative file, such as \
         `cargo` or `dotnet` (see `manila pack list`). The names of its tools start with `NAME_`",
    ),
    key(
        "pack.NAME.file",
        Kind::String,
        "path to your own pack file, relative to Manila's working directory; without it, `NAME` \
         is a built-in pack",
    ),
    key(
        "pack.NAME.roots",
        Kind::Strings,
        "folders in which the program may work; paths in calls may not leave them, and the program \
         runs in the first. Relative paths start at Manila's working directory. Default: that \
         directory",
    ),
    key(
        "pack.NAME.env",
        Kind::StringTable,
        "environment variables for the program, in addition to the few that every program gets \
         and those that the pack names; `${VAR}` inserts a variable of Manila's environment",
    ),
    key(
        "pack.NAME.pass_env",
        Kind::Strings,
        "names of environment variables to pass to the program unchanged; a `*` at the end \
         matches any characters",
    ),
    key(
        "pack.NAME.start",
        Kind::Enum(StartValue::NAMES),
        "when to start the pack's server: `eager` (the default) or `lazy`",
    ),
    key("pack.NAME.contract", Kind::ContractOrNone, "contract for the results of its tools"),
    key(
        "pack.NAME.timeout",
        Kind::Time,
        "how long an action may take if the pack sets no timeout for it; default 10m",
    ),
    key(
        "pack.NAME.output_chars_max",
        Kind::PositiveCount,
        "how many characters of each output stream to keep; default 1,000,000. The limit is \
         2,796,202 unless `limits.message_bytes_max` is changed, because both streams must fit in \
         one message",
    ),
    key(
        "pack.NAME.programs_max",
        Kind::PositiveCount,
        "how many of its programs may run at once; further calls wait. Default 16",
    ),
    key(
        "pack.NAME.allow",
        Kind::Strings,
        "tools to offer, by the pack's names for them, e.g. `project`",
    ),
    key("pack.NAME.deny", Kind::Strings, "tools not to offer, even if `allow` matches them"),
];

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PackTable {
    file: Option<Spanned<String>>,
    roots: Vec<Spanned<String>>,
    env: BTreeMap<String, Spanned<String>>,
    pass_env: Vec<String>,
    start: StartValue,
    contract: Option<Spanned<String>>,
    timeout: Option<Spanned<String>>,
    output_chars_max: Option<Spanned<NonZeroUsize>>,
    programs_max: Option<NonZeroUsize>,
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

/// Reads one pack's table.
pub(super) fn read(
    text: &str,
    name: &Spanned<String>,
    table: &Spanned<PackTable>,
    settings: &Settings,
    variable: Variable<'_>,
) -> Result<NamedServer, ConfigError> {
    check_name(text, name)?;
    let given = table.get_ref();
    let source = match &given.file {
        Some(file) => LoadedPack::file(Path::new(&expand_variables(text, file, variable)?)),
        None => LoadedPack::from_name(name.get_ref()),
    };
    let source = source.map_err(|error| {
        let place = given.file.as_ref().map_or(name.span(), Spanned::span);
        at(text, Some(place), error.to_string(), error.table_hint())
    })?;
    let mut pack_settings = PackSettings::new(variable);
    if !given.roots.is_empty() {
        let roots = given.roots.iter().map(|root| folder(text, root, variable));
        pack_settings.roots = roots.collect::<Result<_, _>>()?;
    }
    for (name, value) in &given.env {
        pack_settings.env.push((name.into(), expand_variables(text, value, variable)?.into()));
    }
    pack_settings.pass_env.clone_from(&given.pass_env);
    if let Some(timeout) = &given.timeout {
        pack_settings.timeout = manila_files::read(text, timeout, values::duration)?;
    }
    pack_settings.programs_max =
        given.programs_max.map_or(pack_settings.programs_max, NonZero::get);
    if let Some(chars_max) = &given.output_chars_max {
        let room = PackSettings::room_for_output(settings.message_bytes_max);
        if chars_max.get_ref().get() > room {
            let given = chars_max.get_ref();
            let message = format!("`output_chars_max` is {given}, more than {room}");
            let hint = "both streams must fit in one message; reduce it, or increase \
                        limits.message_bytes_max";
            return Err(at(text, Some(chars_max.span()), message, hint));
        }
        pack_settings.stream_chars_max = chars_max.get_ref().get();
    }
    let allowed = given.allow.iter().flatten().map(|pattern| ("allow", pattern));
    for (key, pattern) in allowed.chain(given.deny.iter().map(|pattern| ("deny", pattern))) {
        let place = format!("pack.{}.{key}", name.get_ref());
        check_pattern(text, table, (place.as_str(), pattern.as_str()), &source)?;
    }
    let mut settings = settings.clone();
    if let Some(id) = &given.contract {
        settings.format = result_format(text, id)?;
    }
    settings.is_lazy = given.start == StartValue::Lazy;
    settings.tool_filter = ToolFilter { allow: given.allow.clone(), deny: given.deny.clone() };
    NamedServer::of_pack(source, name.get_ref(), pack_settings, settings).map_err(|error| {
        let message = format!("the pack cannot be used: {error}");
        at(
            text,
            Some(name.span()),
            message,
            "set the folders it may use, e.g. roots = [\"/srv/project\"]",
        )
    })
}

/// Refuses a pattern of `allow` or `deny`, with the path of its key, that matches no tool of the
/// pack.
fn check_pattern(
    text: &str,
    table: &Spanned<PackTable>,
    (key, pattern): (&str, &str),
    source: &LoadedPack,
) -> Result<(), ConfigError> {
    let names: Vec<&str> = source.pack.tool_names().collect();
    let only = ToolFilter { allow: Some(vec![pattern.to_owned()]), deny: Vec::new() };
    if names.iter().any(|name| only.has(name)) {
        return Ok(());
    }
    let message = format!("`{pattern}` in `{key}` matches no tool of the pack");
    let hint = format!("its tools are {}", names.join(", "));
    Err(at(text, Some(table.span()), message, hint))
}

/// Parses the path of an existing folder.
fn folder(
    text: &str,
    written: &Spanned<String>,
    variable: Variable<'_>,
) -> Result<PathBuf, ConfigError> {
    let path = PathBuf::from(expand_variables(text, written, variable)?);
    if path.is_dir() {
        return Ok(path);
    }
    let message = format!("`{}` is not a folder", path.display());
    Err(at(text, Some(written.span()), message, "give a folder that exists"))
}
