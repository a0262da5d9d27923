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
        let input = InputArgs::new(Some(path.clone()), BYTES_MAX);
        let bytes = input.read()?;
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            Refusal::new(format!("{} is not UTF-8", input.name()), "save it as UTF-8")
        })?;
        Ok(Config::from_toml(text).map_err(|error| {
            Refusal::new(format!("{}, {error}", input.name()), error.hint.clone())
        })?)
    }
}
