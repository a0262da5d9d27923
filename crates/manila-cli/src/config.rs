//! Reads `manila.toml`.

use std::path::{Path, PathBuf};

use manila_gateway::{Config, NamedServer, Settings};

use crate::environment::variable;
use crate::input::InputArgs;
use crate::refusal::Refusal;

/// The size limit of a configuration.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// `--config`, for every command that the operator's configuration applies to.
#[derive(clap::Args)]
pub(crate) struct ConfigArgs {
    /// Configuration file, e.g. manila.toml
    ///
    /// Manila applies its redaction rules.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ConfigArgs {
    /// Returns whether this file is the configuration.
    pub(crate) fn is_file(&self, other: &Path) -> bool {
        let config = self.config.clone();
        config.is_some_and(|path| InputArgs::new(Some(path), BYTES_MAX).is_file(other))
    }

    /// Reads the configuration without its servers, or returns the default one.
    pub(crate) fn read(&self) -> anyhow::Result<Config> {
        self.config.as_deref().map_or_else(|| Ok(Config::default()), read_without_servers)
    }

    /// Returns the servers of the configuration, at least one.
    ///
    /// `adjust` can change the settings of the file before they apply to the servers.
    pub(crate) fn servers(
        &self,
        adjust: impl FnOnce(&mut Settings),
    ) -> anyhow::Result<Vec<NamedServer>> {
        let path = self.config.as_deref().unwrap_or(Path::new("manila.toml"));
        let (name, text) = read_text(path)?;
        let config = Config::for_serving_with(&text, variable, adjust);
        let config =
            config.map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?;
        Ok(require_server(config, path)?.servers)
    }
}

/// Reads a configuration without its servers, which may need variables that are not set here.
pub(crate) fn read_without_servers(path: &Path) -> anyhow::Result<Config> {
    let (name, text) = read_text(path)?;
    Ok(Config::from_toml(&text)
        .map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?)
}

/// Reads a configuration with its servers, if it has any.
pub(crate) fn read_with_servers(path: &Path) -> anyhow::Result<Config> {
    let (name, text) = read_text(path)?;
    Ok(Config::for_serving(&text, variable)
        .map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?)
}

/// Reads a configuration with its servers, at least one.
pub(crate) fn read_for_serving(path: &Path) -> anyhow::Result<Config> {
    require_server(read_with_servers(path)?, path)
}

fn require_server(config: Config, path: &Path) -> anyhow::Result<Config> {
    if config.servers.is_empty() {
        let name = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX).name();
        let message = format!("{name} contains no server");
        let hint = "add one, e.g. [upstream.files] with command = [\"npx\", ...], or try \
                    `manila import` with your client's configuration";
        return Err(Refusal::new(message, hint).into());
    }
    Ok(config)
}

/// Reads a configuration, and returns its name for messages and its text.
fn read_text(path: &Path) -> anyhow::Result<(String, String)> {
    let input = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX);
    let bytes = input.read()?;
    let name = input.name();
    match String::from_utf8(bytes.to_vec()) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Refusal::new(format!("{name} is not UTF-8"), "save it as UTF-8").into()),
    }
}
