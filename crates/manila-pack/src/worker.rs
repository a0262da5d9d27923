//! Calls of a pack's tools: waiting for locks, running the program, and reporting the result.

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

use super::locks::{Holder, LockError, LockGuard, Locks};
use super::probe::{self, Version};
use super::progress::{self, Progress, ProgressReader};
use super::refusal;
use super::{Action, CAPABILITIES, Output, Pack, PreparedCall, Roots, Target};
use manila_process::Command;
use manila_process::clock;
use manila_process::run::{End, Program, Stream, run};

/// Runs the calls of a pack's tools.
#[derive(Debug)]
pub(super) struct Worker {
    /// The pack.
    pub(super) pack: Pack,
    /// The folders in which programs may work.
    pub(super) roots: Roots,
    /// Time limit of an action without its own.
    pub(super) timeout: Duration,
    /// Maximum number of characters to keep of each stream of a program (M13).
    pub(super) stream_chars_max: usize,
    /// Limits the number of programs that run at once.
    pub(super) programs: Semaphore,
    locks: Locks,
    /// The program's version, once it is known.
    version: tokio::sync::Mutex<VersionState>,
}

/// A call that may run. While this exists, no other call changes the same target.
struct ReadyCall<'a> {
    prepared: PreparedCall,
    _lock: Option<LockGuard>,
    _permit: Option<SemaphorePermit<'a>>,
}

/// What is known about the version of a program.
#[derive(Debug, Default)]
enum VersionState {
    #[default]
    NotProbed,
    Known(Version),
    /// The last probe failed at this time.
    Failed(Instant, VersionError),
}

/// The reason why the version of a program is unknown.
type VersionError = Box<Observed>;

impl Worker {
    /// The default time limit of an action.
    pub(super) const TIMEOUT: Duration = Duration::from_secs(10 * 60);

    /// Creates a worker with the default limits. Programs run in `roots`, with this process's
    /// environment.
    ///
    /// `locks` is the lock folder. All processes that may change the same target must share it.
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

    /// Calls a tool, named without the pack's prefix. `on_progress` receives its progress.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &JsonObject,
        on_progress: Option<impl Fn(Progress) + Send + Sync>,
        cancelled: impl Future<Output = ()> + Send,
    ) -> Observation {
        let mut cancelled = pin!(cancelled);
        if tool == CAPABILITIES {
            if let Some(refused) = capabilities::refuse_arguments(arguments) {
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
        let waiting_for = Mutex::new(None);
        let ready = self.wait_until_ready(tool, arguments, prepared, &waiting_for);
        let ready = tokio::select! {
            ready = ready => ready,
            // No command has run yet.
            () = &mut cancelled => Err(Observation::new(Observed::Cancelled(Cancelled::default()))),
        };
        let ReadyCall { prepared, _lock, _permit } = match ready {
            Ok(ready) => ready,
            Err(mut observation) => {
                if let (Observed::Cancelled(_), Some(Holder { operation, since })) =
                    (&observation.observed, waiting_for.into_inner().ok().flatten())
                {
                    let holder = format!("{operation} in progress since {since}");
                    observation.notes.metadata.push(("waitedFor".to_owned(), holder));
                }
                return observation;
            }
        };
        let mut observation = self.run(&prepared, on_progress, cancelled).await;
        prepend_metadata(&mut observation, prepared.metadata);
        observation
    }

    /// Waits until a call may run: its program is usable, no other call changes the same target,
    /// and fewer than the maximum number of programs run.
    ///
    /// Other calls may have changed files meanwhile, so the call is prepared again.
    async fn wait_until_ready(
        &self,
        tool: &str,
        arguments: &JsonObject,
        mut prepared: PreparedCall,
        waiting_for: &Mutex<Option<Holder>>,
    ) -> Result<ReadyCall<'_>, Observation> {
        /// The number of times that the target may change while the call waits.
        const TRIES: usize = 8;
        let deadline = clock::now() + prepared.wait;
        let with_metadata = |mut observation: Observation, prepared: &PreparedCall| {
            prepend_metadata(&mut observation, prepared.metadata.clone());
            observation
        };
        for _ in 0..TRIES {
            let usable = self.check_usable(tool, &prepared).await;
            usable.map_err(|it| with_metadata(it, &prepared))?;
            let lock = self.acquire_lock(&prepared, deadline, waiting_for).await;
            let lock = lock.map_err(|it| with_metadata(it, &prepared))?;
            // The semaphore is never closed.
            let permit = self.programs.acquire().await.ok();
            let again = self.pack.prepare(tool, arguments, &self.roots);
            let again = again.map_err(|refused| Observation::new(*refused))?;
            if again.target == prepared.target {
                return Ok(ReadyCall { prepared: again, _lock: lock, _permit: permit });
            }
            prepared = again;
        }
        Err(Observation::new(*refusal::target_moved()))
    }

    /// Runs a prepared call.
    async fn run(
        &self,
        prepared: &PreparedCall,
        on_progress: Option<impl Fn(Progress) + Send + Sync>,
        cancelled: impl Future<Output = ()> + Send,
    ) -> Observation {
        let mut program = Program::new(self.command(&prepared.arguments, prepared));
        program.timeout = prepared.timeout.unwrap_or(self.timeout);
        program.stream_chars_max = self.stream_chars_max;
        let reader = || Mutex::new(ProgressReader::new(self.pack.progress.as_ref()));
        let reporter = on_progress.map(|on_progress| (on_progress, reader()));
        let report = |read: &dyn Fn(&mut ProgressReader<'_>) -> Option<Progress>| {
            if let Some((on_progress, reader)) = &reporter
                && let Some(progress) = reader.lock().ok().and_then(|mut reader| read(&mut reader))
            {
                on_progress(progress);
            }
        };
        let on_output =
            |stream, piece: &[u8]| report(&|reader| reader.on_output(stream, piece, clock::now()));
        let ticking = async {
            loop {
                tokio::time::sleep(progress::REPORT_INTERVAL).await;
                report(&|reader| reader.take_due(clock::now()));
            }
        };
        let ran = tokio::select! {
            ran = run(&program, &on_output, cancelled) => ran,
            never = ticking => never,
        };
        let mut observation = ran.observation(self.pack.missing.clone());
        if let Observed::Exited(exited) = &mut observation.observed
            && prepared.good_exits.contains(&exited.code)
        {
            let exit_code = ("exitCode".to_owned(), exited.code.to_string());
            observation.notes.metadata.push(exit_code);
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

    fn command(&self, arguments: &[String], prepared: &PreparedCall) -> Command {
        let arguments = arguments.iter().map(OsString::from).collect();
        let mut command = Command::new(self.pack.program.clone().into(), arguments);
        command.folder = Some(prepared.folder.clone());
        command.has_real_folder = true;
        command
    }

    /// Checks that the program works on this system and is new enough (M9).
    async fn check_usable(&self, tool: &str, prepared: &PreparedCall) -> Result<(), Observation> {
        if let Some(reason) = self.platform_reason() {
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
        for (feature, minimum) in [(feature, of_pack), (action, of_action)] {
            let Some(minimum) = minimum else { continue };
            if let Some(reason) = self.too_old_reason(&version, minimum) {
                return Err(unavailable(feature, reason, vec![self.upgrade_hint(minimum)]));
            }
        }
        Ok(())
    }

    /// Returns the next step for a program that is too old.
    pub(super) fn upgrade_hint(&self, minimum: &Version) -> String {
        format!("Install {} {minimum} or newer", self.pack.program)
    }

    /// Returns the reason if this version of the program is too old.
    pub(super) fn too_old_reason(&self, version: &Version, minimum: &Version) -> Option<String> {
        let program = &self.pack.program;
        let why = || format!("Requires {program} {minimum} or newer, but {version} is installed");
        (!version.is_at_least(minimum)).then(why)
    }

    /// Returns the reason if the program does not work on this system.
    pub(super) fn platform_reason(&self) -> Option<String> {
        let (here, known) = (std::env::consts::OS, &self.pack.platforms);
        let is_supported = known.is_empty() || known.iter().any(|it| it == here);
        (!is_supported).then(|| format!("Requires {}, but this is {here}", known.join(" or ")))
    }

    /// Returns the program's version, probing it until one probe succeeds.
    ///
    /// Only one probe runs at a time; a call that waited for one shares its result.
    pub(super) async fn version(&self) -> Result<Version, VersionError> {
        let requested_at = clock::now();
        let mut state = self.version.lock().await;
        match &*state {
            VersionState::Known(version) => return Ok(version.clone()),
            VersionState::Failed(at, error) if *at >= requested_at => return Err(error.clone()),
            VersionState::Failed(..) | VersionState::NotProbed => {}
        }
        let probed = self.probe_version().await;
        *state = match &probed {
            Ok(version) => VersionState::Known(version.clone()),
            Err(error) => VersionState::Failed(clock::now(), error.clone()),
        };
        probed
    }

    async fn probe_version(&self) -> Result<Version, VersionError> {
        const TIMEOUT: Duration = Duration::from_secs(30);
        let Some(probe) = &self.pack.probe else {
            let message = "The pack does not declare how to read the program's version";
            return Err(Box::new(Observed::Failed(Box::new(Failed::new(
                Code::CapabilityNotAvailable,
                message,
            )))));
        };
        let arguments = probe.arguments.iter().map(OsString::from).collect();
        let mut command = Command::new(self.pack.program.clone().into(), arguments);
        // A project may select which program this name runs, so the probe runs outside of projects.
        command.folder = self.roots.first().ancestors().last().map(Path::to_path_buf);
        let mut program = Program::new(command);
        program.timeout = TIMEOUT;
        let ran = run(&program, &|_: Stream, _: &[u8]| (), std::future::pending()).await;
        let printed = format!("{}\n{}", ran.stdout.text, ran.stderr.text);
        let has_succeeded = matches!(ran.end, End::Exited(0));
        let found = has_succeeded.then(|| probe.version_in(&printed)).flatten();
        let Some(version) = found else {
            let observed = ran.observation(self.pack.missing.clone()).observed;
            let Observed::Exited(exited) = observed else { return Err(Box::new(observed)) };
            return Err(Box::new(Observed::Unavailable(Unavailable {
                feature: self.pack.missing.feature.clone(),
                reason: None,
                command: exited.command,
                details: Some(probe::excerpt(&printed)),
                alternatives: self.pack.missing.alternatives.clone(),
            })));
        };
        Ok(version)
    }

    /// Acquires the lock of the target, or returns the conflict. While it waits, `waiting_for`
    /// contains the holder.
    async fn acquire_lock(
        &self,
        prepared: &PreparedCall,
        deadline: Instant,
        waiting_for: &Mutex<Option<Holder>>,
    ) -> Result<Option<LockGuard>, Observation> {
        const RETRY_INTERVAL: Duration = Duration::from_millis(50);
        let name = match &prepared.target {
            None => return Ok(None),
            Some(Target::Path(path)) => format!("path:{}", path.display()),
            Some(Target::Global) => format!("global:{}", self.pack.program),
        };
        let operation = Action::to_words(&prepared.action);
        let note = |holder: Option<Holder>| {
            if let Ok(mut waiting_for) = waiting_for.lock() {
                *waiting_for = holder;
            }
        };
        loop {
            match self.locks.take(&name, &operation) {
                Ok(lock) => {
                    note(None);
                    return Ok(Some(lock));
                }
                Err(LockError::Busy(holder)) if clock::now() < deadline => {
                    note(holder);
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                Err(LockError::Busy(holder)) => return Err(conflict(operation, prepared, holder)),
                Err(LockError::Unusable(error)) => {
                    let folder = self.locks.folder().display();
                    let message = format!("Cannot use the lock folder `{folder}`: {error}");
                    let mut failed = Failed::new(Code::InternalError, message);
                    failed.remediation =
                        Some("Set MANILA_HOME to a folder that can be written".to_owned());
                    return Err(Observation::new(Observed::Failed(Box::new(failed))));
                }
            }
        }
    }
}

/// Prepends the metadata of choices to the observed metadata, which takes precedence.
fn prepend_metadata(observation: &mut Observation, mut metadata: Vec<(String, String)>) {
    let observed = std::mem::take(&mut observation.notes.metadata);
    metadata.retain(|(name, _)| observed.iter().all(|(known, _)| known != name));
    metadata.extend(observed);
    observation.notes.metadata = metadata;
}

fn unavailable(feature: String, reason: String, alternatives: Vec<String>) -> Observation {
    let missing =
        Unavailable { feature, reason: Some(reason), alternatives, ..Unavailable::default() };
    Observation::new(Observed::Unavailable(missing))
}

fn conflict(operation: String, prepared: &PreparedCall, holder: Option<Holder>) -> Observation {
    let other = holder.as_ref().map_or("another operation", |holder| &holder.operation);
    let conflicting = format!("{other} in progress");
    let target = prepared.target_name.clone();
    let mut observation =
        Observation::new(Observed::Conflict(Conflict { operation, target, conflicting }));
    if let Some(Holder { since, .. }) = holder {
        observation.notes.metadata.push(("conflictingSince".to_owned(), since));
    }
    observation
}

impl Action {
    /// Converts an action's name for people: `MigrationsAdd` becomes `migrations add`.
    pub(super) fn to_words(name: &str) -> String {
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
