//! Reading `manila.toml`.

use std::path::PathBuf;

use manila_gateway::Config;

use crate::input::InputArgs;
use crate::refusal::Refusal;

/// `--config`, for every command that an operator's decisions bind.
#[derive(clap::Args)]
pub(crate) struct ConfigArgs {
    /// The configuration, e.g. manila.toml; it says what is redacted
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigArgs {
    /// What the file says, or what holds without one.
    pub(crate) fn read(&self) -> anyhow::Result<Config> {
        const BYTES_MAX: u64 = 4 * 1024 * 1024;
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
