//! What of a pack can be used here.

use std::path::{Path, PathBuf};

use manila::{JsonObject, Observed};

use crate::probe::Probe;
use crate::refusal::{self, Refused};
use crate::{Action, OF_THE_ANSWER, PackTool, Version, Worker};

impl Worker {
    /// The program, its version, and its tools with their actions.
    pub(super) async fn capabilities(&self) -> JsonObject {
        let version = match (self.wrong_platform(), &self.pack.probe) {
            (Some(reason), _) => Err(reason),
            (None, None) if is_on_path(&self.pack.program) => Ok(None),
            (None, None) => Err("It is not on PATH".to_owned()),
            (None, Some(_)) => self.version().await.map(Some).map_err(|seen| reason(&seen)),
        };
        let too_old = match &version {
            Ok(Some(version)) => {
                let wanted = self.pack.probe.as_ref().and_then(|probe| probe.minimum.as_ref());
                wanted.and_then(|wanted| self.too_old(version, wanted))
            }
            Ok(None) | Err(_) => None,
        };
        let newest = |probe: &Probe| probe.minimum.as_ref().map(|wanted| self.newer(wanted));
        let alternatives = match &too_old {
            Some(_) => self.pack.probe.as_ref().and_then(newest).into_iter().collect(),
            None => self.pack.missing.alternatives.clone(),
        };
        let why_not = version.as_ref().err().cloned().or(too_old);
        let version = version.ok().flatten();
        let program = JsonObject::build(|program| {
            program.member("name", &self.pack.program);
            program.member("available", &why_not.is_none());
            program.member("version", &version.as_ref().map(Version::to_string));
            program.member("reason", &why_not);
            program.member("alternatives", &why_not.as_ref().map(|_| &alternatives));
        });
        let usable = match &why_not {
            Some(_) => Usable::Nothing,
            None => Usable::Version(version.as_ref()),
        };
        let tools: Vec<JsonObject> =
            self.pack.tools.iter().map(|tool| self.tool(tool, &usable)).collect();
        JsonObject::build(|object| {
            object.member("pack", &self.pack.name);
            object.member("about", &self.pack.about);
            object.member("program", &program);
            object.member("platform", std::env::consts::OS);
            object.member("tools", &tools);
        })
    }

    fn tool(&self, tool: &PackTool, usable: &Usable<'_>) -> JsonObject {
        let action = |action: &Action| {
            let wanted = action.minimum.as_ref();
            JsonObject::build(|object| {
                object.member("name", &action.name);
                object.member("available", &usable.has(wanted));
                object.member("requires", &wanted.map(Version::to_string));
            })
        };
        let actions: Vec<JsonObject> = tool.actions.iter().map(action).collect();
        JsonObject::build(|object| {
            object.member("name", &self.pack.public_name(tool));
            object.member("actions", &actions);
        })
    }
}

/// What of a program can be used.
enum Usable<'a> {
    Nothing,
    /// What this version has; all that wants no version, where that is not known.
    Version(Option<&'a Version>),
}

impl Usable<'_> {
    /// Whether it has what wants this version.
    fn has(&self, wanted: Option<&Version>) -> bool {
        match (self, wanted) {
            (Usable::Nothing, _) => false,
            (Usable::Version(_), None) => true,
            (Usable::Version(found), Some(wanted)) => {
                found.is_some_and(|found| found.is_at_least(wanted))
            }
        }
    }
}

/// What is said against arguments: there are none.
pub(super) fn refused(arguments: &JsonObject) -> Option<Refused> {
    let mut names = arguments.members().map(|member| member.key().into_owned());
    let name = names.find(|name| !OF_THE_ANSWER.contains(&name.as_str()))?;
    let message = format!("Parameter '{name}' is not known");
    Some(refusal::invalid(&name, "invalid value", Some(message)))
}

/// Why a program cannot be used, in a sentence.
fn reason(seen: &Observed) -> String {
    if let Observed::Unavailable(it) = seen {
        let why = it.reason.as_ref().or(it.details.as_ref());
        return why.cloned().unwrap_or_else(|| "not available".to_owned());
    }
    "It does not tell its version".to_owned()
}

/// Whether there is such a program.
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let whole = |folder: PathBuf| folder.join(format!("{program}{}", std::env::consts::EXE_SUFFIX));
    Path::new(program).is_absolute() && Path::new(program).is_file()
        || std::env::split_paths(&path).any(|folder| whole(folder).is_file())
}
