//! Reading `manila.toml`.

use std::path::{Path, PathBuf};

use manila_gateway::Config;

use crate::input::InputArgs;
use crate::refusal::Refusal;

/// The largest configuration that is read.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// `--config`, for every command that an operator's decisions bind.
#[derive(clap::Args)]
pub(crate) struct ConfigArgs {
    /// The configuration, e.g. manila.toml; it says what is redacted
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigArgs {
    /// Whether this file is the configuration.
    pub(crate) fn is_file(&self, other: &Path) -> bool {
        let config = self.config.clone();
        config.is_some_and(|path| InputArgs::new(Some(path), BYTES_MAX).is_file(other))
    }

    /// What the file says, or what holds without one.
    pub(crate) fn read(&self) -> anyhow::Result<Config> {
        let Some(path) = &self.config else { return Ok(Config::default()) };
        let (name, text) = text(path)?;
        Ok(Config::from_toml(&text)
            .map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?)
    }
}

/// The name and the text of a configuration.
pub(crate) fn text(path: &Path) -> anyhow::Result<(String, String)> {
    let input = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX);
    let bytes = input.read()?;
    let name = input.name();
    match String::from_utf8(bytes.to_vec()) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Refusal::new(format!("{name} is not UTF-8"), "save it as UTF-8").into()),
    }
}
