//! `manila pack`

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use manila_pack::{Action, BUILT_IN, Effect, LoadedPack, Pack, PackError, PackTool, Parameter};
use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::plural::pluralize;
use crate::refusal::{self, Refusal};
use crate::server;

/// List, show and check packs, which turn programs into MCP tools
///
/// A pack is a TOML file. It declares how to find a program, the tools and actions that it offers,
/// their parameters and command lines, and how to parse the output. docs/packs.md describes the
/// format.
///
///   manila pack list
///   manila pack show cargo
///   manila pack check my-pack.toml
///   manila tools --pack cargo
///   manila call cargo_project --arg action=Check --pack cargo
///   manila serve --pack cargo --stdio
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the built-in packs
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a pack's tools, actions, parameters and command lines
    Show {
        /// Built-in pack, or a file
        #[arg(value_name = "PACK")]
        pack: OsString,

        /// Print JSON
        #[arg(long, conflicts_with = "toml")]
        json: bool,

        /// Print the pack's TOML file, e.g. as a template
        #[arg(long)]
        toml: bool,
    },
    /// Check pack files and report errors with line and column
    ///
    /// Exit status: 0 all packs are valid; 1 some are not; 2 a file could not be read.
    Check {
        /// Files to check; `-` is stdin
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    match &args.command {
        Command::List { json } => list(*json, out)?,
        Command::Show { pack, toml: true, .. } => {
            out.line(server::load_pack(pack)?.text.trim_end().as_bytes())?;
        }
        Command::Show { pack, json, .. } => {
            let LoadedPack { pack, .. } = server::load_pack(pack)?;
            if *json {
                out.line(&serde_json::to_vec_pretty(&PackRow::of(&pack))?)?;
            } else {
                out.raw(describe(&pack).as_bytes())?;
            }
        }
        Command::Check { files } => return check(files, out),
    }
    Ok(ExitStatus::Success)
}

/// Checks pack files; all are checked even if one is invalid.
fn check(files: &[PathBuf], out: &mut Output) -> anyhow::Result<ExitStatus> {
    let mut status = ExitStatus::Success;
    for file in files {
        match read(file)? {
            Ok(pack) => {
                let n_actions: usize = pack.tools.iter().map(|tool| tool.actions.len()).sum();
                let tools = pluralize(pack.tools.len() as u64, "tool", "tools");
                let actions = pluralize(n_actions as u64, "action", "actions");
                let name = file.display();
                out.line(format!("{name} is valid: {tools}, {actions}").as_bytes())?;
            }
            Err(error @ PackError::Invalid(..)) => {
                refusal::print_error(&error.to_string(), &error.hint());
                status = ExitStatus::Failure;
            }
            Err(error) => return Err(Refusal::new(error.to_string(), error.hint()).into()),
        }
    }
    Ok(status)
}

/// Reads the pack in a file or on stdin.
fn read(file: &Path) -> anyhow::Result<Result<Pack, PackError>> {
    if file != Path::new("-") {
        return Ok(LoadedPack::file(file).map(|source| source.pack));
    }
    let input = InputArgs::new(Some(file.to_path_buf()), LoadedPack::BYTES_MAX);
    let name = input.name();
    let Ok(text) = String::from_utf8(input.read()?.to_vec()) else {
        return Err(Refusal::new(format!("{name} is not UTF-8"), "save it as UTF-8").into());
    };
    Ok(Pack::from_toml(&text).map_err(|error| PackError::Invalid(name, error)))
}

fn list(json: bool, out: &mut Output) -> anyhow::Result<()> {
    let packs = BUILT_IN.into_iter().map(|(name, _)| server::load_pack(name).map(|it| it.pack));
    let packs: Vec<Pack> = packs.collect::<Result<_, _>>()?;
    if json {
        let shown: Vec<PackRow<'_>> = packs.iter().map(PackRow::of).collect();
        return out.line(&serde_json::to_vec_pretty(&shown)?);
    }
    for pack in &packs {
        let Pack { name, about, .. } = pack;
        let tools: Vec<String> = pack.tool_names().map(|tool| format!("{name}_{tool}")).collect();
        out.line(format!("{name}\n  what   {about}\n  tools  {}\n", tools.join(", ")).as_bytes())?;
    }
    out.line(b"For details: manila pack show NAME. To check your own: manila pack check FILE")
}

/// A pack as JSON.
#[derive(Serialize)]
struct PackRow<'a> {
    name: &'a str,
    about: &'a str,
    program: &'a str,
    tools: Vec<ToolRow<'a>>,
}

#[derive(Serialize)]
struct ToolRow<'a> {
    name: String,
    about: &'a str,
    parameters: Vec<ParameterRow<'a>>,
    actions: Vec<ActionRow<'a>>,
}

#[derive(Serialize)]
struct ParameterRow<'a> {
    name: &'a str,
    about: &'a str,
    /// Accepted values.
    takes: String,
}

#[derive(Serialize)]
struct ActionRow<'a> {
    name: &'a str,
    about: &'a str,
    command: String,
    required: &'a [String],
    effect: String,
}

impl<'a> PackRow<'a> {
    fn of(pack: &'a Pack) -> PackRow<'a> {
        let tool = |tool: &'a PackTool| ToolRow {
            name: pack.public_name(tool),
            about: &tool.about,
            parameters: tool.parameters.iter().map(parameter).collect(),
            actions: tool.actions.iter().map(|it| action(pack, it)).collect(),
        };
        let Pack { name, about, program, tools, .. } = pack;
        PackRow { name, about, program, tools: tools.iter().map(tool).collect() }
    }
}

fn parameter(parameter: &Parameter) -> ParameterRow<'_> {
    let Parameter { name, about, .. } = parameter;
    ParameterRow { name, about, takes: parameter.describe() }
}

fn action<'a>(pack: &Pack, action: &'a Action) -> ActionRow<'a> {
    let Action { name, about, required, effect, .. } = action;
    let effect = match effect {
        Effect::Reads => "reads".to_owned(),
        Effect::Writes(None) => "writes the working directory".to_owned(),
        Effect::Writes(Some(target)) => format!("writes {target}"),
        Effect::Global => "global".to_owned(),
    };
    let command = format!("{} {}", pack.program, action.command_line());
    ActionRow { name, about, command, required, effect }
}

/// Describes a pack for people.
fn describe(pack: &Pack) -> String {
    let PackRow { name, about, program, tools } = PackRow::of(pack);
    let mut text = format!("{name}: {about}\nprogram: {program}\n");
    for ToolRow { name, about, parameters, actions } in tools {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{name}\n  {about}\n\n  actions:");
        for ActionRow { name, about, command, effect, .. } in actions {
            let _ = writeln!(text, "    {name}: {about}\n      {command}\n      {effect}");
        }
        let _ = writeln!(text, "\n  parameters:");
        for ParameterRow { name, about, takes } in parameters {
            let _ = writeln!(text, "    {name} ({takes}): {about}");
        }
    }
    text
}
