//! One call of a tool of a pack: prepared, alone at what it changes, run, and told.

mod capabilities;

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use manila::{Cancelled, Code, Conflict, Failed, JsonObject, Observation, Observed, Unavailable};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::locks::{Held, Holder, Locks, NotHeld};
use super::probe::Version;
use super::refusal;
use super::report::{self, Progress, Report};
use super::{Action, CAPABILITIES, Output, Pack, Prepared, Roots, Target};
use manila_process::Command;
use manila_process::clock;
use manila_process::run::{End, Program, Stream, run};

/// A pack at work: its calls run programs.
#[derive(Debug)]
pub(super) struct Worker {
    /// What it works by.
    pub(super) pack: Pack,
    /// Where programs may work.
    pub(super) roots: Roots,
    /// How long an action may take that does not say it.
    pub(super) timeout: Duration,
    /// How many characters are kept of each stream of a program (M13).
    pub(super) stream_chars_max: usize,
    /// Those that may run beside what runs now.
    pub(super) programs: Semaphore,
    locks: Locks,
    /// The program's version, once it is known.
    version: tokio::sync::Mutex<Asked>,
}

/// A call that may run, alone at what it changes, as long as this is kept.
struct Ready<'a> {
    prepared: Prepared,
    _held: Option<Held>,
    _turn: Option<SemaphorePermit<'a>>,
}

/// What came of asking a program for its version.
#[derive(Debug, Default)]
enum Asked {
    #[default]
    Never,
    Told(Version),
    InVain(Instant, NoVersion),
}

/// The version of a program cannot be told, and why.
type NoVersion = Box<Observed>;

impl Worker {
    /// How long an action may take if nobody says it.
    pub(super) const TIMEOUT: Duration = Duration::from_secs(10 * 60);

    /// A pack that works below `roots`, with programs in our environment. `locks` is a folder that
    /// all share who must not change the same at once.
    pub(super) fn new(pack: Pack, roots: Roots, locks: PathBuf) -> Worker {
        Worker {
            pack,
            roots,
            timeout: Worker::TIMEOUT,
            stream_chars_max: Worker::STREAM_CHARS_MAX,
            programs: Semaphore::new(Worker::PROGRAMS_MAX),
            locks: Locks::new(locks),
            version: tokio::sync::Mutex::default(),
        }
    }

    /// Calls the tool with this name of its own. `told` hears how far it has come.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &JsonObject,
        told: Option<impl Fn(Progress) + Send + Sync>,
        cancelled: impl Future<Output = ()> + Send,
    ) -> Observation {
        let mut cancelled = pin!(cancelled);
        if tool == CAPABILITIES {
            if let Some(refused) = capabilities::refused(arguments) {
                return Observation::new(*refused);
            }
            return tokio::select! {
                found = self.capabilities() => Observation::new(Observed::Answered(found.into())),
                () = &mut cancelled => Observation::new(Observed::Cancelled(Cancelled::default())),
            };
        }
        let prepared = match self.pack.prepare(tool, arguments, &self.roots) {
            Ok(prepared) => prepared,
            Err(refused) => return Observation::new(*refused),
        };
        let waits_for = Mutex::new(None);
        let ready = self.ready(tool, arguments, prepared, &waits_for);
        let ready = tokio::select! {
            ready = ready => ready,
            // No command was run yet.
            () = &mut cancelled => Err(Observation::new(Observed::Cancelled(Cancelled::default()))),
        };
        let Ready { prepared, _held, _turn } = match ready {
            Ok(ready) => ready,
            Err(mut observation) => {
                if let (Observed::Cancelled(_), Some(Holder { operation, since })) =
                    (&observation.observed, waits_for.into_inner().ok().flatten())
                {
                    let told = format!("{operation} in progress since {since}");
                    observation.notes.metadata.push(("waitedFor".to_owned(), told));
                }
                return observation;
            }
        };
        let mut observation = self.ran(&prepared, told, cancelled).await;
        tell_first(&mut observation, prepared.metadata);
        observation
    }

    /// Waits until a call may run: its program can be used, nobody else changes the same, and it is
    /// its turn. What it waited for may have changed what was looked at, so that is looked at
    /// again.
    async fn ready(
        &self,
        tool: &str,
        arguments: &JsonObject,
        mut prepared: Prepared,
        waits_for: &Mutex<Option<Holder>>,
    ) -> Result<Ready<'_>, Observation> {
        /// So often something else may have become what is changed.
        const TRIES: usize = 8;
        let latest = clock::now() + prepared.wait;
        let with_metadata = |mut observation: Observation, prepared: &Prepared| {
            tell_first(&mut observation, prepared.metadata.clone());
            observation
        };
        for _ in 0..TRIES {
            let usable = self.usable(tool, &prepared).await;
            usable.map_err(|it| with_metadata(it, &prepared))?;
            let held = self.alone(&prepared, latest, waits_for).await;
            let held = held.map_err(|it| with_metadata(it, &prepared))?;
            // It is never closed.
            let turn = self.programs.acquire().await.ok();
            let again = self.pack.prepare(tool, arguments, &self.roots);
            let again = again.map_err(|refused| Observation::new(*refused))?;
            if again.target == prepared.target {
                return Ok(Ready { prepared: again, _held: held, _turn: turn });
            }
            prepared = again;
        }
        Err(Observation::new(*refusal::moved()))
    }

    /// Runs what was prepared.
    async fn ran(
        &self,
        prepared: &Prepared,
        told: Option<impl Fn(Progress) + Send + Sync>,
        cancelled: impl Future<Output = ()> + Send,
    ) -> Observation {
        let mut program = Program::new(self.command(&prepared.arguments, prepared));
        program.timeout = prepared.timeout.unwrap_or(self.timeout);
        program.stream_chars_max = self.stream_chars_max;
        let report = told.map(|told| (told, Mutex::new(Report::new(self.pack.progress.as_ref()))));
        let tell = |find: &dyn Fn(&mut Report<'_>) -> Option<Progress>| {
            if let Some((told, report)) = &report
                && let Some(progress) = report.lock().ok().and_then(|mut report| find(&mut report))
            {
                told(progress);
            }
        };
        let heard = |stream, piece: &[u8]| tell(&|report| report.hear(stream, piece, clock::now()));
        let ticking = async {
            loop {
                tokio::time::sleep(report::BETWEEN).await;
                tell(&|report| report.due(clock::now()));
            }
        };
        let ran = tokio::select! {
            ran = run(&program, &heard, cancelled) => ran,
            never = ticking => never,
        };
        let mut observation = ran.observation(self.pack.missing.clone());
        if let Observed::Exited(exited) = &mut observation.observed
            && prepared.good_exits.contains(&exited.code)
        {
            let told = ("exitCode".to_owned(), exited.code.to_string());
            observation.notes.metadata.push(told);
            exited.code = 0;
        }
        if let (Observed::Exited(exited), Output::Both) =
            (&mut observation.observed, prepared.output)
            && exited.code == 0
        {
            if !exited.stdout.is_empty() && !exited.stdout.ends_with('\n') {
                exited.stdout.push('\n');
            }
            exited.stdout.push_str(&std::mem::take(&mut exited.stderr));
        }
        observation
    }

    fn command(&self, arguments: &[String], prepared: &Prepared) -> Command {
        let arguments = arguments.iter().map(OsString::from).collect();
        let mut command = Command::new(self.pack.program.clone().into(), arguments);
        command.folder = Some(prepared.folder.clone());
        command
    }

    /// Whether the program is for this system and new enough (M9).
    async fn usable(&self, tool: &str, prepared: &Prepared) -> Result<(), Observation> {
        if let Some(reason) = self.wrong_platform() {
            let feature = self.pack.missing.feature.clone();
            let elsewhere = format!("Use it on {}", self.pack.platforms.join(" or "));
            return Err(unavailable(feature, reason, vec![elsewhere]));
        }
        let of_pack = self.pack.probe.as_ref().and_then(|probe| probe.minimum.as_ref());
        let of_action = prepared.minimum.as_ref();
        if of_pack.is_none() && of_action.is_none() {
            return Ok(());
        }
        let version = self.version().await.map_err(|it| Observation::new(*it))?;
        let feature = self.pack.missing.feature.clone();
        let action = format!("{}_{tool} {}", self.pack.name, prepared.action);
        for (feature, wanted) in [(feature, of_pack), (action, of_action)] {
            let Some(wanted) = wanted else { continue };
            if let Some(reason) = self.too_old(&version, wanted) {
                return Err(unavailable(feature, reason, vec![self.newer(wanted)]));
            }
        }
        Ok(())
    }

    /// What to do about a program that is too old.
    pub(super) fn newer(&self, wanted: &Version) -> String {
        format!("Install {} {wanted} or newer", self.pack.program)
    }

    /// Why this version of the program will not do, if it will not.
    pub(super) fn too_old(&self, version: &Version, wanted: &Version) -> Option<String> {
        let program = &self.pack.program;
        let why = || format!("Requires {program} {wanted} or newer, but {version} is installed");
        (!version.is_at_least(wanted)).then(why)
    }

    /// Why the program is not for this system, if it is not.
    pub(super) fn wrong_platform(&self) -> Option<String> {
        let (here, known) = (std::env::consts::OS, &self.pack.platforms);
        let is_good = known.is_empty() || known.iter().any(|it| it == here);
        (!is_good).then(|| format!("Requires {}, but this is {here}", known.join(" or ")))
    }

    /// The program's version. It is asked for until it has told it once, by one at a time; whoever
    /// waited meanwhile need not ask again.
    pub(super) async fn version(&self) -> Result<Version, NoVersion> {
        let wanted_since = clock::now();
        let mut asked = self.version.lock().await;
        match &*asked {
            Asked::Told(version) => return Ok(version.clone()),
            Asked::InVain(at, seen) if *at >= wanted_since => return Err(seen.clone()),
            Asked::InVain(..) | Asked::Never => {}
        }
        let told = self.told_version().await;
        *asked = match &told {
            Ok(version) => Asked::Told(version.clone()),
            Err(seen) => Asked::InVain(clock::now(), seen.clone()),
        };
        told
    }

    async fn told_version(&self) -> Result<Version, NoVersion> {
        const PATIENCE: Duration = Duration::from_secs(30);
        const DETAILS_CHARS_MAX: usize = 1000;
        let Some(probe) = &self.pack.probe else {
            let message = "The pack does not say how the program tells its version";
            return Err(Box::new(Observed::Failed(Box::new(Failed::new(
                Code::CapabilityNotAvailable,
                message,
            )))));
        };
        let arguments = probe.arguments.iter().map(OsString::from).collect();
        let mut command = Command::new(self.pack.program.clone().into(), arguments);
        // A project may say which program is meant by its name, and nobody wants to run that yet.
        command.folder = self.roots.first().ancestors().last().map(Path::to_path_buf);
        let mut program = Program::new(command);
        program.timeout = PATIENCE;
        let ran = run(&program, &|_: Stream, _: &[u8]| (), std::future::pending()).await;
        let printed = format!("{}\n{}", ran.stdout.text, ran.stderr.text);
        let is_good = matches!(ran.end, End::Exited(0));
        let found = is_good.then(|| probe.version_in(&printed)).flatten();
        let Some(version) = found else {
            let seen = ran.observation(self.pack.missing.clone()).observed;
            let Observed::Exited(exited) = seen else { return Err(Box::new(seen)) };
            return Err(Box::new(Observed::Unavailable(Unavailable {
                feature: self.pack.missing.feature.clone(),
                reason: None,
                command: exited.command,
                details: Some(printed.trim().chars().take(DETAILS_CHARS_MAX).collect()),
                alternatives: self.pack.missing.alternatives.clone(),
            })));
        };
        Ok(version)
    }

    /// Waits until nobody else changes the same; or says who does. Whoever it waits for is noted.
    async fn alone(
        &self,
        prepared: &Prepared,
        latest: Instant,
        waits_for: &Mutex<Option<Holder>>,
    ) -> Result<Option<Held>, Observation> {
        const BETWEEN: Duration = Duration::from_millis(50);
        let name = match &prepared.target {
            None => return Ok(None),
            Some(Target::Path(path)) => format!("path:{}", path.display()),
            Some(Target::Global) => format!("global:{}", self.pack.program),
        };
        let operation = Action::spelled(&prepared.action);
        let note = |holder: Option<Holder>| {
            if let Ok(mut waits_for) = waits_for.lock() {
                *waits_for = holder;
            }
        };
        loop {
            match self.locks.take(&name, &operation) {
                Ok(held) => {
                    note(None);
                    return Ok(Some(held));
                }
                Err(NotHeld::Busy(holder)) if clock::now() < latest => {
                    note(holder);
                    tokio::time::sleep(BETWEEN).await;
                }
                Err(NotHeld::Busy(holder)) => return Err(conflict(operation, prepared, holder)),
                Err(NotHeld::Unusable(error)) => {
                    let folder = self.locks.folder().display();
                    let message = format!(
                        "Nobody can tell whether others change the same, without locks in `{folder}`: {error}"
                    );
                    let mut failed = Failed::new(Code::InternalError, message);
                    failed.remediation =
                        Some("Set MANILA_HOME to a folder that can be written".to_owned());
                    return Err(Observation::new(Observed::Failed(Box::new(failed))));
                }
            }
        }
    }
}

/// Tells what was decided before what was seen, which counts more.
fn tell_first(observation: &mut Observation, mut metadata: Vec<(String, String)>) {
    let seen = std::mem::take(&mut observation.notes.metadata);
    metadata.retain(|(name, _)| seen.iter().all(|(known, _)| known != name));
    metadata.extend(seen);
    observation.notes.metadata = metadata;
}

fn unavailable(feature: String, reason: String, alternatives: Vec<String>) -> Observation {
    let missing =
        Unavailable { feature, reason: Some(reason), alternatives, ..Unavailable::default() };
    Observation::new(Observed::Unavailable(missing))
}

fn conflict(operation: String, prepared: &Prepared, holder: Option<Holder>) -> Observation {
    let what = holder.as_ref().map_or("another operation", |holder| &holder.operation);
    let conflicting = format!("{what} in progress");
    let target = prepared.target_name.clone();
    let mut observation =
        Observation::new(Observed::Conflict(Conflict { operation, target, conflicting }));
    if let Some(Holder { since, .. }) = holder {
        observation.notes.metadata.push(("conflictingSince".to_owned(), since));
    }
    observation
}

impl Action {
    /// Its name as people would say it: `MigrationsAdd` is `migrations add`.
    pub(super) fn spelled(name: &str) -> String {
        let mut words = String::new();
        for letter in name.chars() {
            if letter.is_ascii_uppercase() && !words.is_empty() {
                words.push(' ');
            }
            words.push(letter.to_ascii_lowercase());
        }
        words
    }
}
