//! Where a pack comes from, and how it is set to work behind a gateway.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use manila::{JsonObject, RawJson, sha256_hex};
use tokio::sync::Semaphore;

use super::serve::MARK;
use super::{Pack, Roots, Worker};
use manila_files::ConfigError;
use manila_process::os::this_program;
use manila_process::{Command, ESSENTIAL_VARIABLES, Environment};

/// The packs that come with Manila, by their names.
pub const BUILT_IN: [(&str, &str); 2] = [
    ("cargo", include_str!("../packs/cargo.toml")),
    ("dotnet", include_str!("../packs/dotnet.toml")),
];

/// A pack, and where it comes from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Source {
    /// The pack.
    pub pack: Pack,
    /// Its text.
    pub text: String,
    /// Its file; `None` for one that comes with Manila.
    pub file: Option<PathBuf>,
}

/// Why a pack cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotRead {
    /// There is no such pack.
    #[error("there is no pack `{0}`")]
    Unknown(String),
    /// Its file cannot be read.
    #[error("the pack {0} cannot be read: {1}")]
    File(PathBuf, io::Error),
    /// What stands in it is wrong.
    #[error("the pack {0}, {1}")]
    Wrong(String, ConfigError),
}

impl NotRead {
    /// The next step.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            NotRead::Unknown(name) => {
                let names = BUILT_IN.map(|(name, _)| name);
                match manila::closest(name, names) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!(
                        "there are {}; the path of a file of your own has a `/` or ends with .toml",
                        names.join(" and ")
                    ),
                }
            }
            NotRead::File(..) => "check the path, and that the file can be read".to_owned(),
            NotRead::Wrong(_, error) => error.hint.clone(),
        }
    }
}

impl Source {
    /// How large a pack may be.
    pub const BYTES_MAX: u64 = 1024 * 1024;

    /// The pack of this name that comes with Manila, or the one in this file.
    pub fn named(name: &str) -> Result<Source, NotRead> {
        let path = Path::new(name);
        if name.contains(['/', '\\']) || path.extension().is_some_and(|it| it == "toml") {
            return Source::file(path);
        }
        let built_in = BUILT_IN.into_iter().find(|(known, _)| *known == name);
        let (_, text) = built_in.ok_or_else(|| NotRead::Unknown(name.to_owned()))?;
        Source::of(text.to_owned(), None)
    }

    /// The pack in this file.
    pub fn file(path: &Path) -> Result<Source, NotRead> {
        let failed = |error| NotRead::File(path.to_path_buf(), error);
        if path.metadata().is_ok_and(|it| !it.is_file()) {
            return Err(failed(io::Error::other("it is no file")));
        }
        let mut text = String::new();
        let mut file = File::open(path).map_err(failed)?.take(Source::BYTES_MAX + 1);
        file.read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > Source::BYTES_MAX {
            return Err(failed(io::Error::other("it has more than 1 MiB")));
        }
        Source::of(text, Some(path.to_path_buf()))
    }

    fn of(text: String, file: Option<PathBuf>) -> Result<Source, NotRead> {
        let name = file.as_ref().map(|file| file.display().to_string());
        let name = name.unwrap_or_else(|| "that comes along".to_owned());
        let pack = Pack::from_toml(&text).map_err(|error| NotRead::Wrong(name, error))?;
        Ok(Source { pack, text, file })
    }

    /// Returns how this pack is served under `name` to a gateway that reads messages of at most
    /// `message_bytes_max`.
    pub fn served(self, name: &str, work: Work, message_bytes_max: usize) -> io::Result<Served> {
        /// The program is ended by whoever works for the pack, who then answers. It may have waited
        /// for others before, and for its turn.
        const ANSWERING: Duration = Duration::from_secs(15 * 60);
        let mut work = work;
        let room = Work::room_for_output(message_bytes_max);
        work.stream_chars_max = work.stream_chars_max.min(room);
        if work.roots.is_empty() {
            let here = std::env::current_dir()?;
            if here.parent().is_none() {
                let why =
                    "the current folder is everything; say in which folders it may work (`roots`)";
                return Err(io::Error::other(why));
            }
            work.roots.push(here);
        }
        let mut pack = self.pack;
        let pack_env = pack.pass_env.clone();
        name.clone_into(&mut pack.name);
        let actions = pack.tools.iter().flat_map(|tool| &tool.actions);
        let longest = actions.filter_map(|action| action.timeout).max().unwrap_or_default();
        let timeout = longest.max(work.timeout) + ANSWERING;
        let told = work.told(name, self.file.as_deref(), &self.text);
        let arguments = vec![MARK.into(), told.to_string().into()];
        let mut command = Command::new(this_program()?.into(), arguments);
        let mut environment = environment(&pack_env, &work.pass_env);
        environment.extend(work.env);
        let environment = environment.into_iter().filter_map(with_whole_paths).collect();
        command.environment = Environment::Only(environment);
        command.known_as = Some(format!("the pack {name}"));
        Ok(Served { command, pack, timeout })
    }
}

/// A pack that a gateway can put behind itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Served {
    /// Starts the MCP server that works for the pack: this program run again.
    pub command: Command,
    /// The pack, under the name by which it is served.
    pub pack: Pack,
    /// The longest time that a call can take, waiting included.
    pub timeout: Duration,
}

/// How a pack works.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Work {
    /// The folders in which its program may work; the first of them is where it runs. Without any,
    /// the current folder.
    pub roots: Vec<PathBuf>,
    /// Variables for the program, beside those that the pack names.
    pub env: Vec<(OsString, OsString)>,
    /// Names of variables that are handed on to it as they are.
    pub pass_env: Vec<String>,
    /// How long an action may take that does not say it.
    pub timeout: Duration,
    /// How many characters are kept of each stream of the program (M13).
    pub stream_chars_max: usize,
    /// How many programs may run at once; further calls wait.
    pub programs_max: usize,
    /// The folder of locks, which all share who must not change the same at once.
    pub locks: PathBuf,
}

impl Work {
    /// In the current folder, with what every program needs. `variable` is what is set in the
    /// environment.
    #[must_use]
    pub fn new(variable: impl Fn(&str) -> Option<String>) -> Work {
        let set = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
        // Clients start servers with few variables; all of one user must come to the same folder.
        let home =
            set("MANILA_HOME").or_else(|| set("HOME").map(|home| home.join(".cache/manila")));
        Work {
            roots: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
            timeout: Worker::TIMEOUT,
            stream_chars_max: Worker::STREAM_CHARS_MAX,
            programs_max: Worker::PROGRAMS_MAX,
            locks: home.unwrap_or_else(|| "./.manila".into()).join("locks"),
        }
    }

    /// How many characters of each stream fit into a message of this size, whatever they are.
    #[must_use]
    pub fn room_for_output(message_bytes_max: usize) -> usize {
        const N_STREAMS: usize = 2;
        /// `\u001b`
        const BYTES_PER_CHAR: usize = 6;
        // The other half is for the command line and what else is said.
        message_bytes_max / 2 / (N_STREAMS * BYTES_PER_CHAR)
    }

    /// All that whoever works for a pack must know, beside its environment.
    fn told(&self, name: &str, file: Option<&Path>, text: &str) -> JsonObject {
        let in_text = |path: &PathBuf| path.to_string_lossy().into_owned();
        JsonObject::build(|told| {
            told.member("name", name);
            told.member("file", &file.map(|file| file.to_string_lossy()));
            // Another text is another server.
            told.member("sha256", &sha256_hex(text.as_bytes()));
            told.member("roots", &self.roots.iter().map(in_text).collect::<Vec<_>>());
            let in_ms = |time: Duration| time.as_millis().try_into().unwrap_or(u64::MAX);
            told.member("timeout_ms", &in_ms(self.timeout));
            told.member("stream_chars_max", &(self.stream_chars_max as u64));
            told.member("programs_max", &(self.programs_max as u64));
            told.member("locks", &in_text(&self.locks));
        })
    }
}

impl Worker {
    /// How many programs may run at once if nobody says it.
    pub(super) const PROGRAMS_MAX: usize = 16;

    /// How many characters are kept of each stream of a program if nobody says it (M13).
    pub(super) const STREAM_CHARS_MAX: usize = 1_000_000;

    /// Whoever works for a pack, from what a gateway told.
    pub(super) fn told(told: &str) -> Result<Worker, String> {
        let told = RawJson::parse(told.to_owned()).map_err(|error| error.to_string())?;
        let text = |name: &str| told.get(name)?.as_text().map(std::borrow::Cow::into_owned);
        let number = |name: &str| told.get(name)?.as_str().parse::<u64>().ok();
        let texts = |name: &str| {
            let items = told.get(name);
            let items = items.iter().flat_map(RawJson::items);
            let texts = items.filter_map(|it| it.as_text().map(std::borrow::Cow::into_owned));
            texts.collect::<Vec<String>>()
        };
        let name = text("name").unwrap_or_default();
        let source = match (text("file"), BUILT_IN.into_iter().find(|(_, text)| is_it(&told, text)))
        {
            (Some(file), _) => Source::file(Path::new(&file)),
            (None, Some((built_in, _))) => Source::named(built_in),
            (None, None) => Err(NotRead::Unknown(name.clone())),
        };
        let source = source.map_err(|error| error.to_string())?;
        if !is_it(&told, &source.text) {
            return Err(format!("the file of the pack {name} has changed since it was read"));
        }
        let mut pack = source.pack;
        pack.name = name;
        let roots = texts("roots");
        let found = Roots::new(roots.iter().map(PathBuf::from));
        let found = found.map_err(|error| {
            format!("a folder of {} cannot be worked in: {error}", roots.join(", "))
        })?;
        let locks = text("locks").unwrap_or_default();
        let mut worker = Worker::new(pack, found, locks.into());
        worker.timeout = number("timeout_ms").map_or(worker.timeout, Duration::from_millis);
        let size = |name: &str| number(name).and_then(|it| usize::try_from(it).ok());
        let programs_max = size("programs_max").unwrap_or(Worker::PROGRAMS_MAX);
        worker.programs = Semaphore::new(programs_max.clamp(1, Semaphore::MAX_PERMITS));
        let stream_chars_max = size("stream_chars_max");
        worker.stream_chars_max = stream_chars_max.unwrap_or(worker.stream_chars_max);
        Ok(worker)
    }
}

fn is_it(told: &RawJson, text: &str) -> bool {
    let digest = told.get("sha256");
    digest.is_some_and(|it| it.as_text().is_some_and(|it| it == sha256_hex(text.as_bytes())))
}

/// A variable, of whose folders only those count that are the same wherever one is, where it is
/// `PATH`. The others, an empty one among them, would let a project choose the program; and so
/// would an empty `PATH`.
fn with_whole_paths((name, value): (OsString, OsString)) -> Option<(OsString, OsString)> {
    if name != "PATH" {
        return Some((name, value));
    }
    let folders = std::env::split_paths(&value).filter(|folder| folder.is_absolute());
    // What was taken apart can be put together again.
    let value = std::env::join_paths(folders).unwrap_or_default();
    (!value.is_empty()).then_some((name, value))
}

/// What is handed on of our environment: little that is not named.
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
