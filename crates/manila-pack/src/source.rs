//! The source of a pack, and the settings with which a gateway serves it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use manila::{JsonObject, RawJson, sha256_hex};
use tokio::sync::Semaphore;

use super::path_text::{path_to_text, text_to_path};
use super::serve::PACK_COMMAND;
use super::{Pack, Roots, Worker};
use manila_files::ConfigError;
use manila_process::os::this_program;
use manila_process::{Command, ESSENTIAL_VARIABLES, Environment};

/// The built-in packs, by name.
pub const BUILT_IN: [(&str, &str); 2] = [
    ("cargo", include_str!("../packs/cargo.toml")),
    ("dotnet", include_str!("../packs/dotnet.toml")),
];

/// A pack and its source.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedPack {
    /// The pack.
    pub pack: Pack,
    /// Its text.
    pub text: String,
    /// Its file; `None` for a built-in pack.
    pub file: Option<PathBuf>,
}

/// The reason why a pack cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// No pack has this name.
    #[error("there is no pack `{0}`")]
    Unknown(String),
    /// Its file cannot be read.
    #[error("the pack `{0}` cannot be read: {1}")]
    File(PathBuf, io::Error),
    /// The pack is invalid.
    #[error("the pack `{0}`, {1}")]
    Invalid(String, ConfigError),
}

impl PackError {
    /// Returns the suggested next step.
    #[must_use]
    pub fn hint(&self) -> String {
        self.hint_with("a path must contain `/` or end with .toml")
    }

    /// Returns the suggested next step for `[pack.NAME]`, whose name cannot be a path.
    #[must_use]
    pub fn table_hint(&self) -> String {
        self.hint_with("for your own pack, set `file`")
    }

    /// Returns the suggested next step; `own_pack` is the one for a pack that is not built in.
    fn hint_with(&self, own_pack: &str) -> String {
        match self {
            PackError::Unknown(name) => {
                let names = BUILT_IN.map(|(name, _)| name);
                match manila::closest(name, names) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => {
                        format!("the built-in packs are {}; {own_pack}", names.join(" and "))
                    }
                }
            }
            PackError::File(..) => "check the path, and that the file can be read".to_owned(),
            PackError::Invalid(_, error) => error.hint.clone(),
        }
    }
}

impl LoadedPack {
    /// Maximum size of a pack file.
    pub const BYTES_MAX: u64 = 1024 * 1024;

    /// Reads the built-in pack of this name, or the pack in this file.
    pub fn from_name(name: impl AsRef<OsStr>) -> Result<LoadedPack, PackError> {
        let path = Path::new(name.as_ref());
        let name = path.to_string_lossy();
        if name.contains(['/', '\\']) || path.extension().is_some_and(|it| it == "toml") {
            return LoadedPack::file(path);
        }
        let built_in = BUILT_IN.into_iter().find(|(known, _)| *known == name);
        let (_, text) = built_in.ok_or_else(|| PackError::Unknown(name.into_owned()))?;
        LoadedPack::new(text.to_owned(), None)
    }

    /// Reads the pack in this file.
    pub fn file(path: &Path) -> Result<LoadedPack, PackError> {
        let failed = |error| PackError::File(path.to_path_buf(), error);
        if path.metadata().is_ok_and(|it| !it.is_file()) {
            return Err(failed(io::Error::other("it is not a file")));
        }
        let mut text = String::new();
        let mut file = File::open(path).map_err(failed)?.take(LoadedPack::BYTES_MAX + 1);
        file.read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > LoadedPack::BYTES_MAX {
            return Err(failed(io::Error::other("it is larger than 1 MiB")));
        }
        LoadedPack::new(text, Some(path.to_path_buf()))
    }

    fn new(text: String, file: Option<PathBuf>) -> Result<LoadedPack, PackError> {
        let name = file.as_ref().map(|file| file.display().to_string());
        let name = name.unwrap_or_else(|| "built in".to_owned());
        let pack = Pack::from_toml(&text).map_err(|error| PackError::Invalid(name, error))?;
        Ok(LoadedPack { pack, text, file })
    }

    /// Returns the server that offers this pack under `name` to a gateway that reads messages of at
    /// most `message_bytes_max`.
    pub fn into_server(
        self,
        name: &str,
        settings: PackSettings,
        message_bytes_max: usize,
    ) -> io::Result<PackServer> {
        /// Additional time for the worker to wait for other calls, and to respond after it has
        /// stopped a program.
        const EXTRA_TIME: Duration = Duration::from_secs(15 * 60);
        let mut settings = settings;
        let room = PackSettings::room_for_output(message_bytes_max);
        settings.stream_chars_max = settings.stream_chars_max.min(room);
        if settings.roots.is_empty() {
            let here = std::env::current_dir()?;
            if here.parent().is_none() {
                let message = "the current folder is the root of the file system; set the allowed \
                               folders with `roots`";
                return Err(io::Error::other(message));
            }
            settings.roots.push(here);
        }
        let mut pack = self.pack;
        let pack_env = pack.pass_env.clone();
        name.clone_into(&mut pack.name);
        let actions = pack.tools.iter().flat_map(|tool| &tool.actions);
        let longest = actions.filter_map(|action| action.timeout).max().unwrap_or_default();
        let timeout = longest.max(settings.timeout) + EXTRA_TIME;
        let json = settings.to_json(name, self.file.as_deref(), &self.text);
        let arguments = vec![PACK_COMMAND.into(), json.to_string().into()];
        let mut command = Command::new(this_program()?.into(), arguments);
        let mut environment = environment(&pack_env, &settings.pass_env);
        environment.extend(settings.env);
        let environment = environment.into_iter().filter_map(with_absolute_paths).collect();
        command.environment = Environment::Only(environment);
        command.display_name = Some(format!("the pack {name}"));
        Ok(PackServer { command, pack, timeout })
    }
}

/// A pack as an upstream server of a gateway.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackServer {
    /// Starts the MCP server of the pack, which is this program run again.
    pub command: Command,
    /// The pack, with the name under which it is served.
    pub pack: Pack,
    /// Maximum duration of a call, including waiting.
    pub timeout: Duration,
}

/// The settings of a pack.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackSettings {
    /// The folders in which its program may work; the first one is the default working directory.
    /// An empty list means the current folder.
    pub roots: Vec<PathBuf>,
    /// Environment variables for the program, in addition to those that the pack names.
    pub env: Vec<(OsString, OsString)>,
    /// Names of environment variables to pass to the program unchanged.
    pub pass_env: Vec<String>,
    /// Time limit of an action without its own.
    pub timeout: Duration,
    /// Maximum number of characters to keep of each stream of the program (M13).
    pub stream_chars_max: usize,
    /// Maximum number of programs that run at once; further calls wait.
    pub programs_max: usize,
    /// The folder of locks, shared by all processes that must not change the same target at once.
    pub locks: PathBuf,
}

impl PackSettings {
    /// Creates the default settings. `variable` returns the value of an environment variable.
    #[must_use]
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> PackSettings {
        let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        // Clients start servers with few variables, but all processes of one user must use the same
        // folder.
        let home =
            set("MANILA_HOME").or_else(|| set("HOME").map(|home| home.join(".cache/manila")));
        PackSettings {
            roots: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
            timeout: Worker::TIMEOUT,
            stream_chars_max: Worker::STREAM_CHARS_MAX,
            programs_max: Worker::PROGRAMS_MAX,
            locks: home.unwrap_or_else(|| "./.manila".into()).join("locks"),
        }
    }

    /// Returns how many characters of each stream always fit into a message of this size.
    #[must_use]
    pub fn room_for_output(message_bytes_max: usize) -> usize {
        const N_STREAMS: usize = 2;
        /// The longest JSON escape: `\u001b`
        const BYTES_PER_CHAR: usize = 6;
        // The other half is for the command line and everything else.
        message_bytes_max / 2 / (N_STREAMS * BYTES_PER_CHAR)
    }

    /// Encodes the settings for the worker's process, except the environment.
    fn to_json(&self, name: &str, file: Option<&Path>, text: &str) -> JsonObject {
        JsonObject::build(|json| {
            json.member("name", name);
            json.member("file", &file.map(path_to_text));
            // A changed pack becomes a different server.
            json.member("sha256", &sha256_hex(text.as_bytes()));
            json.member(
                "roots",
                &self.roots.iter().map(|root| path_to_text(root)).collect::<Vec<_>>(),
            );
            let to_ms = |time: Duration| time.as_millis().try_into().unwrap_or(u64::MAX);
            json.member("timeout_ms", &to_ms(self.timeout));
            json.member("stream_chars_max", &(self.stream_chars_max as u64));
            json.member("programs_max", &(self.programs_max as u64));
            json.member("locks", &path_to_text(&self.locks));
        })
    }
}

impl Worker {
    /// Default maximum number of programs that run at once.
    pub(super) const PROGRAMS_MAX: usize = 16;

    /// Default maximum number of characters to keep of each stream of a program (M13).
    pub(super) const STREAM_CHARS_MAX: usize = 1_000_000;

    /// Creates a worker from the settings that the gateway encoded.
    pub(super) fn from_json(settings: &str) -> Result<Worker, String> {
        let settings = RawJson::parse(settings.to_owned()).map_err(|error| error.to_string())?;
        let text = |name: &str| settings.get(name)?.as_text().map(std::borrow::Cow::into_owned);
        let number = |name: &str| settings.get(name)?.as_str().parse::<u64>().ok();
        let texts = |name: &str| {
            let items = settings.get(name);
            let items = items.iter().flat_map(RawJson::items);
            let texts = items.filter_map(|it| it.as_text().map(std::borrow::Cow::into_owned));
            texts.collect::<Vec<String>>()
        };
        let name = text("name").unwrap_or_default();
        let built_in = BUILT_IN.into_iter().find(|(_, text)| has_digest(&settings, text));
        let source = match (text("file"), built_in) {
            (Some(file), _) => LoadedPack::file(&text_to_path(&file)),
            (None, Some((built_in, _))) => LoadedPack::from_name(built_in),
            (None, None) => Err(PackError::Unknown(name.clone())),
        };
        let source = source.map_err(|error| error.to_string())?;
        if !has_digest(&settings, &source.text) {
            return Err(format!("the file of the pack {name} has changed since it was read"));
        }
        let mut pack = source.pack;
        pack.name = name;
        let roots = texts("roots");
        let allowed = Roots::new(roots.iter().map(|root| text_to_path(root)));
        let allowed = allowed.map_err(|error| {
            format!("cannot use one of the folders {}: {error}", roots.join(", "))
        })?;
        let locks = text("locks").unwrap_or_default();
        let mut worker = Worker::new(pack, allowed, text_to_path(&locks));
        worker.timeout = number("timeout_ms").map_or(worker.timeout, Duration::from_millis);
        let size = |name: &str| number(name).and_then(|it| usize::try_from(it).ok());
        let programs_max = size("programs_max").unwrap_or(Worker::PROGRAMS_MAX);
        worker.programs = Semaphore::new(programs_max.clamp(1, Semaphore::MAX_PERMITS));
        let stream_chars_max = size("stream_chars_max");
        worker.stream_chars_max = stream_chars_max.unwrap_or(worker.stream_chars_max);
        Ok(worker)
    }
}

fn has_digest(settings: &RawJson, text: &str) -> bool {
    let digest = settings.get("sha256");
    digest.is_some_and(|it| it.as_text().is_some_and(|it| it == sha256_hex(text.as_bytes())))
}

/// Removes relative folders from the variable `PATH`; other variables stay unchanged.
///
/// A relative or empty folder would let a project choose the program, and so would an empty `PATH`,
/// which is removed.
fn with_absolute_paths((name, value): (OsString, OsString)) -> Option<(OsString, OsString)> {
    if name != "PATH" {
        return Some((name, value));
    }
    let folders = std::env::split_paths(&value).filter(|folder| folder.is_absolute());
    // Folders that were split from a list can be joined again.
    let value = std::env::join_paths(folders).unwrap_or_default();
    (!value.is_empty()).then_some((name, value))
}

/// Returns the essential variables of this process's environment, and those that the pack and the
/// operator name.
fn environment(of_pack: &[String], of_operator: &[String]) -> Vec<(OsString, OsString)> {
    let is_named = |name: &str| {
        let mut patterns = of_pack.iter().chain(of_operator);
        ESSENTIAL_VARIABLES.contains(&name)
            || patterns.any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == pattern,
            })
    };
    let all = std::env::vars_os();
    all.filter(|(name, _)| name.to_str().is_some_and(is_named)).collect()
}
