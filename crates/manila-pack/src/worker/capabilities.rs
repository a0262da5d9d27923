//! The report of what a pack can do on this machine.

use std::path::{Path, PathBuf};

use manila::{JsonObject, Observed};

use crate::probe::Probe;
use crate::refusal::{self, Refusal};
use crate::{Action, PackTool, RESPONSE_PARAMETERS, Version, Worker};

impl Worker {
    /// Reports the program, its version, and its tools with their actions.
    pub(super) async fn capabilities(&self) -> JsonObject {
        let version = match (self.platform_reason(), &self.pack.probe) {
            (Some(reason), _) => Err(reason),
            (None, None) if is_on_path(&self.pack.program) => Ok(None),
            (None, None) => Err("It is not on PATH".to_owned()),
            (None, Some(_)) => self.version().await.map(Some).map_err(|error| reason(&error)),
        };
        let too_old = match &version {
            Ok(Some(version)) => {
                let minimum = self.pack.probe.as_ref().and_then(|probe| probe.minimum.as_ref());
                minimum.and_then(|minimum| self.too_old_reason(version, minimum))
            }
            Ok(None) | Err(_) => None,
        };
        let upgrade = |probe: &Probe| probe.minimum.as_ref().map(|it| self.upgrade_hint(it));
        let alternatives = match &too_old {
            Some(_) => self.pack.probe.as_ref().and_then(upgrade).into_iter().collect(),
            None => self.pack.missing.alternatives.clone(),
        };
        let reason = version.as_ref().err().cloned().or(too_old);
        let version = version.ok().flatten();
        let program = JsonObject::build(|program| {
            program.member("name", &self.pack.program);
            program.member("available", &reason.is_none());
            program.member("version", &version.as_ref().map(Version::to_string));
            program.member("reason", &reason);
            program.member("alternatives", &reason.as_ref().map(|_| &alternatives));
        });
        let availability = match &reason {
            Some(_) => Availability::Nothing,
            None => Availability::Version(version.as_ref()),
        };
        let tools: Vec<JsonObject> =
            self.pack.tools.iter().map(|tool| self.tool(tool, &availability)).collect();
        JsonObject::build(|object| {
            object.member("pack", &self.pack.name);
            object.member("about", &self.pack.about);
            object.member("program", &program);
            object.member("platform", std::env::consts::OS);
            object.member("tools", &tools);
        })
    }

    fn tool(&self, tool: &PackTool, availability: &Availability<'_>) -> JsonObject {
        let action = |action: &Action| {
            let minimum = action.minimum.as_ref();
            JsonObject::build(|object| {
                object.member("name", &action.name);
                object.member("available", &availability.has(minimum));
                object.member("requires", &minimum.map(Version::to_string));
            })
        };
        let actions: Vec<JsonObject> = tool.actions.iter().map(action).collect();
        JsonObject::build(|object| {
            object.member("name", &self.pack.public_name(tool));
            object.member("actions", &actions);
        })
    }
}

/// The available part of a program.
enum Availability<'a> {
    Nothing,
    /// The actions that this version has; if it is unknown, those without a minimum version.
    Version(Option<&'a Version>),
}

impl Availability<'_> {
    /// Returns whether an action with this minimum version is available.
    fn has(&self, minimum: Option<&Version>) -> bool {
        match (self, minimum) {
            (Availability::Nothing, _) => false,
            (Availability::Version(_), None) => true,
            (Availability::Version(found), Some(minimum)) => {
                found.is_some_and(|found| found.is_at_least(minimum))
            }
        }
    }
}

/// Refuses arguments, because this tool has none.
pub(super) fn refuse_arguments(arguments: &JsonObject) -> Option<Refusal> {
    let mut names = arguments.members().map(|member| member.key().into_owned());
    let name = names.find(|name| !RESPONSE_PARAMETERS.contains(&name.as_str()))?;
    let message = format!("Parameter '{name}' is unknown");
    Some(refusal::invalid_parameter(&name, "invalid value", Some(message)))
}

/// Returns why a program cannot be used, in a sentence.
fn reason(error: &Observed) -> String {
    if let Observed::Unavailable(it) = error {
        let reason = it.reason.as_ref().or(it.details.as_ref());
        return reason.cloned().unwrap_or_else(|| "not available".to_owned());
    }
    "It does not report its version".to_owned()
}

/// Returns whether the program is on the `PATH`, or at its absolute path.
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_folder =
        |folder: PathBuf| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    Path::new(program).is_absolute() && Path::new(program).is_file()
        || std::env::split_paths(&path).any(|folder| in_folder(folder).is_file())
}
