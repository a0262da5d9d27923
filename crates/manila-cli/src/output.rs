//! Stdout, which is for data only.

use std::io::{self, BufWriter, ErrorKind, IsTerminal, StdoutLock, Write};

use anstream::ColorChoice;
use manila::RawJson;

use crate::refusal::Refusal;

/// Buffered stdout.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    is_terminal: bool,
}

/// The layout of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Pretty,
    Compact,
}

/// `--pretty` and `--compact`, for every command that prints JSON.
#[derive(clap::Args)]
pub(crate) struct LayoutArgs {
    /// Indent the JSON, even when stdout is not a terminal
    #[arg(long, conflicts_with = "compact")]
    pretty: bool,

    /// Print the JSON on one line, even on a terminal
    #[arg(long)]
    compact: bool,
}

impl LayoutArgs {
    /// Returns the requested layout, or else pretty on a terminal and compact in a pipe.
    pub(crate) fn layout(&self, out: &Output) -> Layout {
        if self.pretty || (out.is_terminal && !self.compact) {
            Layout::Pretty
        } else {
            Layout::Compact
        }
    }
}

impl Output {
    pub(crate) fn stdout() -> Output {
        let stdout = io::stdout().lock();
        let is_terminal = stdout.is_terminal();
        Output { out: BufWriter::with_capacity(64 * 1024, stdout), is_terminal }
    }

    /// Returns whether to use colours: on a terminal, unless the user has disabled them.
    pub(crate) fn is_coloured(&self) -> bool {
        match anstream::AutoStream::choice(self.out.get_ref()) {
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Auto | ColorChoice::Never => false,
        }
    }

    /// Writes a JSON value and a line end.
    pub(crate) fn json(&mut self, value: &RawJson, layout: Layout) -> anyhow::Result<()> {
        match layout {
            Layout::Compact => self.line(&value.compact()),
            Layout::Pretty => {
                let mut written = Ok(());
                manila::pretty_pieces(value, |piece| {
                    if written.is_ok() {
                        written = self.out.write_all(piece);
                    }
                });
                written.map_err(|error| refuse(&error))?;
                self.line(b"")
            }
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = self.out.write_all(bytes).and_then(|()| self.out.write_all(b"\n"));
        Ok(written.map_err(|error| refuse(&error))?)
    }

    /// Writes bytes unchanged.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.out.write_all(bytes).map_err(|error| refuse(&error))?)
    }

    /// Writes the buffered bytes, because a reader may wait for them.
    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush().map_err(|error| refuse(&error))?)
    }

    /// Writes the rest. Fails if the output is incomplete.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        self.flush()
    }
}

fn refuse(error: &io::Error) -> Refusal {
    if error.kind() == ErrorKind::BrokenPipe {
        return Refusal::new(
            "stdout was closed before everything was written",
            "this is expected if the reader exits early, as with `| head`",
        );
    }
    Refusal::new(
        format!("cannot write to stdout: {error}"),
        "check the free disk space and that the target is writable",
    )
}
