//! `manila import`

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::refusal::{Refusal, note};

mod found;
mod names;
mod node;
mod secrets;
mod server;
mod template;
mod toml;
mod translate;
mod variables;

use translate::{Secrets, translate};

/// Turn a client's MCP configuration into manila.toml
///
/// Takes the files in which clients keep their servers, and tells them apart by what is in them:
///
///   Claude Desktop   claude_desktop_config.json
///   Claude Code      .mcp.json, and ~/.claude.json with the servers of its projects
///   Cursor           .cursor/mcp.json
///   VS Code          .vscode/mcp.json, and the `mcp` section of settings.json
///
///   manila import ~/.cursor/mcp.json
///   manila import .vscode/mcp.json --output manila.toml
///
/// Each server becomes a table [upstream.NAME]. A name has only letters, digits and `-`; others are
/// changed. Comments and trailing commas in the file are fine; comments are not kept.
///
/// Secrets are not written down: tokens, keys, passwords and Authorization headers become
/// ${VARIABLE}, and standard error lists the variables to set before Manila is started, never a
/// value. So do the inputs of VS Code and what only a client knows, such as ${workspaceFolder}.
/// In manila.toml, ${NAME} is a variable of Manila's own environment, and `$${` is `${` itself.
///
/// Nothing is lost in silence: what Manila cannot take over is told on standard error, a line for
/// each. Servers that are disabled, or of a type that Manila does not speak (sse), are written as
/// comments.
///
/// Exit status: 0 it was written, whatever was told; 2 it could not be done.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(rustdoc::broken_intra_doc_links, reason = "it is TOML, shown as it is written")]
pub(crate) struct Args {
    /// The client's configuration; `-` is standard input, and so is no file at all
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Write into this new file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write over the file of --output if it is there already
    #[arg(long, requires = "output")]
    force: bool,

    /// Write secrets as they are; then take care who can read the result
    #[arg(long)]
    keep_secrets: bool,

    /// The largest configuration that is read, in bytes
    #[arg(long, value_name = "N", default_value_t = 4 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1024 * 1024 * 1024))]
    bytes_max: u64,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let input = InputArgs::new(args.file.clone(), args.bytes_max);
    let text = input.read()?;
    let secrets = if args.keep_secrets { Secrets::Kept } else { Secrets::Named };
    let translated =
        translate(&text, &file_name(args.file.as_deref()), secrets).map_err(|wrong| {
            Refusal::new(format!("{}: {}", input.name(), wrong.message), wrong.hint)
        })?;
    match args.output.as_deref() {
        Some(path) => write(path, &translated.toml, args, &input)?,
        None => out.raw(translated.toml.as_bytes())?,
    }
    // On a terminal, what is told stands below.
    out.flush()?;
    for text in &translated.notes {
        note(text);
    }
    Ok(ExitStatus::Good)
}

/// The file's own name, without its folder.
fn file_name(file: Option<&Path>) -> String {
    let named = file.filter(|path| *path != Path::new("-")).and_then(Path::file_name);
    named.map_or_else(|| "standard input".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn write(path: &Path, text: &str, args: &Args, input: &InputArgs) -> anyhow::Result<()> {
    let name = path.display();
    if input.is_file(path) {
        let message = format!("cannot write `{name}`: it is the file that is read");
        return Err(Refusal::new(message, "give --output another path").into());
    }
    let opened = if args.force { File::create(path) } else { File::create_new(path) };
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    Ok(written.map_err(|error| unwritable(path, &error))?)
}

fn unwritable(path: &Path, error: &io::Error) -> Refusal {
    let name = path.display();
    if error.kind() == ErrorKind::AlreadyExists {
        let message = format!("cannot write `{name}`: it is there already");
        return Refusal::new(message, "give --output another path, or write over it with --force");
    }
    let hint = "check the path of --output, who may write there, and that the disk has room";
    Refusal::new(format!("cannot write `{name}`: {error}"), hint)
}
