//! Reading `manila.toml`.

use std::path::{Path, PathBuf};

use manila_gateway::{Config, Member, Settings};

use crate::environment::variable;
use crate::input::InputArgs;
use crate::refusal::Refusal;

/// The largest configuration that is read.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// `--config`, for every command that an operator's decisions bind.
#[derive(clap::Args)]
pub(crate) struct ConfigArgs {
    /// The configuration, e.g. manila.toml: what is redacted, limits, and the servers where none is
    /// named here
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
        self.config.as_deref().map_or_else(|| Ok(Config::default()), without_servers)
    }

    /// The servers that the file names, of which there is one at least.
    /// `decide` has the last word about what holds for all of them.
    pub(crate) fn servers(
        &self,
        decide: impl FnOnce(&mut Settings),
    ) -> anyhow::Result<Vec<Member>> {
        let path = self.config.as_deref().unwrap_or(Path::new("manila.toml"));
        let (name, text) = text(path)?;
        let config = Config::for_serving_with(&text, variable, decide);
        let config =
            config.map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?;
        Ok(with_a_server(config, path)?.members)
    }
}

/// A configuration without its servers, which may want variables that are not set here.
pub(crate) fn without_servers(path: &Path) -> anyhow::Result<Config> {
    let (name, text) = text(path)?;
    Ok(Config::from_toml(&text)
        .map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?)
}

/// A configuration with its servers, if it names any.
pub(crate) fn with_servers(path: &Path) -> anyhow::Result<Config> {
    let (name, text) = text(path)?;
    Ok(Config::for_serving(&text, variable)
        .map_err(|error| Refusal::new(format!("{name}, {error}"), error.hint.clone()))?)
}

/// A configuration that names a server at least.
pub(crate) fn for_serving(path: &Path) -> anyhow::Result<Config> {
    with_a_server(with_servers(path)?, path)
}

fn with_a_server(config: Config, path: &Path) -> anyhow::Result<Config> {
    if config.members.is_empty() {
        let name = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX).name();
        let message = format!("{name} names no server");
        let hint = "add one, e.g. [upstream.files] with command = [\"npx\", ...], or try \
                    `manila import` with your client's configuration";
        return Err(Refusal::new(message, hint).into());
    }
    Ok(config)
}

/// The name and the text of a configuration.
fn text(path: &Path) -> anyhow::Result<(String, String)> {
    let input = InputArgs::new(Some(path.to_path_buf()), BYTES_MAX);
    let bytes = input.read()?;
    let name = input.name();
    match String::from_utf8(bytes.to_vec()) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Refusal::new(format!("{name} is not UTF-8"), "save it as UTF-8").into()),
    }
}
