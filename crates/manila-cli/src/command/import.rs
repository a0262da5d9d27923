//! `manila import`

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use manila_process::os::private;

use crate::exit_status::ExitStatus;
use crate::input::InputArgs;
use crate::output::Output;
use crate::refusal::{Refusal, print_note};

mod names;
mod node;
mod secrets;
mod sections;
mod server;
mod template;
mod toml;
mod translate;
mod variables;

use translate::{Secrets, translate};

/// Convert a client's MCP configuration to manila.toml
///
/// Manila detects the format by its contents:
///
///   Claude Desktop   claude_desktop_config.json
///   Claude Code      .mcp.json, and ~/.claude.json with the servers of its projects
///   Cursor           .cursor/mcp.json
///   VS Code          .vscode/mcp.json, and the `mcp` section of settings.json
///
///   manila import ~/.cursor/mcp.json
///   manila import .vscode/mcp.json --output manila.toml
///
/// Each server becomes a table [upstream.NAME]. In names, characters other than letters, digits and
/// `-` are replaced with `-`. The file may contain comments and trailing commas; comments are
/// dropped.
///
/// Secrets are not copied. Tokens, keys and passwords in variables, options, headers and URLs
/// become ${VARIABLE}, and stderr lists the variables to set. So do values that may be secrets:
/// the value of `-p`, and custom headers with more than words and numbers. Check the result
/// nevertheless; only you can read the --output file.
///
/// VS Code inputs and variables that only a client knows, such as ${workspaceFolder}, become
/// variables too. In manila.toml, ${NAME} is an environment variable, and `$${` is a literal `${`.
///
/// Manila reports every setting that it cannot convert on stderr. Disabled servers, and servers
/// with an unsupported transport (sse), are written as comments.
///
/// Exit status: 0 the configuration was written; 2 it could not be converted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(rustdoc::broken_intra_doc_links, reason = "it is TOML, not a link")]
pub(crate) struct Args {
    /// Client configuration to read; `-` or none is stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Write to this new file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the --output file if it exists
    #[arg(long, requires = "output")]
    force: bool,

    /// Copy secrets into the output; protect the resulting file
    #[arg(long)]
    keep_secrets: bool,

    /// Largest configuration to read, in bytes
    #[arg(long, value_name = "N", default_value_t = 4 * 1024 * 1024)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1024 * 1024 * 1024))]
    bytes_max: u64,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> anyhow::Result<ExitStatus> {
    let input = InputArgs::new(args.file.clone(), args.bytes_max);
    let text = input.read()?;
    let secrets = if args.keep_secrets { Secrets::Kept } else { Secrets::Named };
    let translated =
        translate(&text, &file_name(args.file.as_deref()), secrets).map_err(|error| {
            Refusal::new(format!("{}: {}", input.name(), error.message), error.hint)
        })?;
    match args.output.as_deref() {
        Some(path) => write(path, &translated.toml, args, &input)?,
        None => out.raw(translated.toml.as_bytes())?,
    }
    // On a terminal, the notes must come after the configuration.
    out.flush()?;
    for text in &translated.notes {
        print_note(text);
    }
    Ok(ExitStatus::Success)
}

/// Returns the file's name without its folder.
fn file_name(file: Option<&Path>) -> String {
    let named = file.filter(|path| *path != Path::new("-")).and_then(Path::file_name);
    named.map_or_else(|| "stdin".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Writes the configuration to a file that is not the input. Only its owner can read it, because it
/// may contain secrets that are not recognised.
fn write(path: &Path, text: &str, args: &Args, input: &InputArgs) -> anyhow::Result<()> {
    let name = path.display();
    if input.is_file(path) {
        let message = format!("cannot write `{name}`: it is the input file");
        return Err(Refusal::new(message, "choose another path for --output").into());
    }
    let opened =
        if args.force { private::overwrite_file(path) } else { private::create_file(path) };
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    Ok(written.map_err(|error| unwritable(path, &error))?)
}

fn unwritable(path: &Path, error: &io::Error) -> Refusal {
    let name = path.display();
    if error.kind() == ErrorKind::AlreadyExists {
        let message = format!("cannot write `{name}`: the file exists");
        let hint = "choose another path for --output, or overwrite it with --force";
        return Refusal::new(message, hint);
    }
    let hint = "check the path of --output, its permissions and the free disk space";
    Refusal::new(format!("cannot write `{name}`: {error}"), hint)
}
