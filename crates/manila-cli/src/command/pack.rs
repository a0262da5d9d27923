//! `manila pack`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use manila_pack::{Action, BUILT_IN, Effect, NotRead, Pack, PackTool, Parameter, Source};
use serde::Serialize;

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::refusal::{self, Refusal};
use crate::server;
use crate::words::counted;

/// Look at packs: files that make a program into well-behaved tools
///
/// A pack says how a program is found, which tools and actions it offers, what their parameters
/// are, which command line they become, and how its output is read. docs/packs.md tells how to
/// write one.
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
    /// List the packs that come with Manila
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the tools of a pack, with their actions, parameters and command lines
    Show {
        /// A pack that comes with Manila, or a file
        #[arg(value_name = "PACK")]
        pack: String,

        /// Print JSON
        #[arg(long, conflicts_with = "toml")]
        json: bool,

        /// Print the pack's file, e.g. to begin one of your own with it
        #[arg(long)]
        toml: bool,
    },
    /// Say whether packs are good, or what is wrong at which line and column; then it exits with 1
    Check {
        /// The files; `-` is standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    match &args.command {
        Command::List { json } => list(*json, out)?,
        Command::Show { pack, toml: true, .. } => {
            out.line(server::pack(pack)?.text.trim_end().as_bytes())?;
        }
        Command::Show { pack, json, .. } => {
            let Source { pack, .. } = server::pack(pack)?;
            if *json {
                out.line(&serde_json::to_vec_pretty(&Shown::of(&pack))?)?;
            } else {
                out.raw(described(&pack).as_bytes())?;
            }
        }
        Command::Check { files } => return check(files, out),
    }
    Ok(ExitStatus::Good)
}

fn check(files: &[PathBuf], out: &mut Output) -> anyhow::Result<ExitStatus> {
    let mut status = ExitStatus::Good;
    for file in files {
        match read(file)? {
            Ok(pack) => {
                let n_actions: usize = pack.tools.iter().map(|tool| tool.actions.len()).sum();
                let tools = counted(pack.tools.len() as u64, "tool", "tools");
                let actions = counted(n_actions as u64, "action", "actions");
                let name = file.display();
                out.line(format!("{name} is good: {tools}, {actions}").as_bytes())?;
            }
            Err(error @ NotRead::Wrong(..)) => {
                refusal::tell(&error.to_string(), &error.hint());
                status = ExitStatus::BadNews;
            }
            Err(error) => return Err(Refusal::new(error.to_string(), error.hint()).into()),
        }
    }
    Ok(status)
}

/// The pack in a file, or in what comes as standard input.
fn read(file: &Path) -> anyhow::Result<Result<Pack, NotRead>> {
    if file != Path::new("-") {
        return Ok(Source::file(file).map(|source| source.pack));
    }
    let input = InputArgs::new(Some(file.to_path_buf()), Source::BYTES_MAX);
    let name = input.name();
    let Ok(text) = String::from_utf8(input.read()?.to_vec()) else {
        return Err(Refusal::new(format!("{name} is not UTF-8"), "save it as UTF-8").into());
    };
    Ok(Pack::from_toml(&text).map_err(|error| NotRead::Wrong(name, error)))
}

fn list(json: bool, out: &mut Output) -> anyhow::Result<()> {
    let packs = BUILT_IN.into_iter().map(|(name, _)| server::pack(name).map(|it| it.pack));
    let packs: Vec<Pack> = packs.collect::<Result<_, _>>()?;
    if json {
        let shown: Vec<Shown<'_>> = packs.iter().map(Shown::of).collect();
        return out.line(&serde_json::to_vec_pretty(&shown)?);
    }
    for pack in &packs {
        let Pack { name, about, .. } = pack;
        let tools: Vec<String> = pack.tool_names().map(|tool| format!("{name}_{tool}")).collect();
        out.line(format!("{name}\n  what   {about}\n  tools  {}\n", tools.join(", ")).as_bytes())?;
    }
    out.line(b"More about one: manila pack show NAME. Your own: manila pack check FILE")
}

/// A pack, for scripts.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    about: &'a str,
    program: &'a str,
    tools: Vec<ShownTool<'a>>,
}

#[derive(Serialize)]
struct ShownTool<'a> {
    name: String,
    about: &'a str,
    parameters: Vec<ShownParameter<'a>>,
    actions: Vec<ShownAction<'a>>,
}

#[derive(Serialize)]
struct ShownParameter<'a> {
    name: &'a str,
    about: &'a str,
    /// What may be given.
    takes: String,
}

#[derive(Serialize)]
struct ShownAction<'a> {
    name: &'a str,
    about: &'a str,
    command: String,
    required: &'a [String],
    effect: String,
}

impl<'a> Shown<'a> {
    fn of(pack: &'a Pack) -> Shown<'a> {
        let tool = |tool: &'a PackTool| ShownTool {
            name: pack.public_name(tool),
            about: &tool.about,
            parameters: tool.parameters.iter().map(parameter).collect(),
            actions: tool.actions.iter().map(|it| action(pack, it)).collect(),
        };
        let Pack { name, about, program, tools, .. } = pack;
        Shown { name, about, program, tools: tools.iter().map(tool).collect() }
    }
}

fn parameter(parameter: &Parameter) -> ShownParameter<'_> {
    let Parameter { name, about, .. } = parameter;
    ShownParameter { name, about, takes: parameter.described() }
}

fn action<'a>(pack: &Pack, action: &'a Action) -> ShownAction<'a> {
    let Action { name, about, required, effect, .. } = action;
    let effect = match effect {
        Effect::Reads => "reads".to_owned(),
        Effect::Writes(None) => "writes the working directory".to_owned(),
        Effect::Writes(Some(target)) => format!("writes {target}"),
        Effect::Global => "global".to_owned(),
    };
    let command = format!("{} {}", pack.program, action.command_line());
    ShownAction { name, about, command, required, effect }
}

/// A pack, for people.
fn described(pack: &Pack) -> String {
    let Shown { name, about, program, tools } = Shown::of(pack);
    let mut text = format!("{name}: {about}\nprogram: {program}\n");
    for ShownTool { name, about, parameters, actions } in tools {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{name}\n  {about}\n\n  actions:");
        for ShownAction { name, about, command, effect, .. } in actions {
            let _ = writeln!(text, "    {name}: {about}\n      {command}\n      {effect}");
        }
        let _ = writeln!(text, "\n  parameters:");
        for ShownParameter { name, about, takes } in parameters {
            let _ = writeln!(text, "    {name} ({takes}): {about}");
        }
    }
    text
}
