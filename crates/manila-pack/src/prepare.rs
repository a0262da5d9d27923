//! From what a caller gave to a command line, or to what is said against it. Nothing is run.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manila::{Code, Failed, Invalid, JsonObject, Observed, RawJson};

use super::parameter::{Kind, PathRules};
use super::places::Pointer;
use super::refusal::{self, Refused, invalid, no_path, outside};
use super::template::Values;
use super::value::Value;
use super::{Action, Case, Effect, Output, Pack, PackTool, Parameter, Roots, Version};
use manila_files::jsonc::plain_json;

/// By which a caller says how long it waits for others that change the same.
pub(super) const WAIT: &str = "wait_ms";

/// The longest that a caller may wait.
pub(super) const WAIT_MS_MAX: u64 = 10 * 60 * 1000;

/// A call that may be run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Prepared {
    /// The action.
    pub action: String,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// What the action changes, as it is known to the system; `None` if nothing.
    pub target: Option<Target>,
    /// The same, as the caller calls it.
    pub target_name: String,
    /// Where its output stands.
    pub output: Output,
    /// Exit codes beside 0 that are no failure.
    pub good_exits: Vec<i64>,
    /// The oldest version of the program that has it.
    pub minimum: Option<Version>,
    /// How long it may take, where the action says so.
    pub timeout: Option<Duration>,
    /// How long it waits for others that change the same.
    pub wait: Duration,
    /// What was decided, and is told.
    pub metadata: Vec<(String, String)>,
}

/// What an action changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This path.
    Path(PathBuf),
    /// Something of which the program has only one.
    Global,
}

impl Pack {
    /// The command line for a call of the tool with this name of its own; or what is said against
    /// it (M7, M8).
    pub fn prepare(
        &self,
        tool: &str,
        arguments: &JsonObject,
        roots: &Roots,
    ) -> Result<Prepared, Refused> {
        let Some(tool) = self.tools.iter().find(|it| it.name == tool) else {
            let message = format!("there is no tool `{tool}` in the pack `{}`", self.name);
            return Err(Box::new(Observed::Failed(Box::new(Failed::new(
                Code::ToolNotFound,
                message,
            )))));
        };
        if let Some(name) = arguments.given_twice() {
            let message = format!("Parameter '{name}' is given twice");
            return Err(invalid(&name, "invalid value", Some(message)));
        }
        let action = tool.action(arguments)?;
        let folder = match text(arguments, "workingDirectory")? {
            Some(given) => folder(&given, roots)?,
            None => first_root(roots)?,
        };
        let known = tool.parameters_of(action);
        let mut values = given(tool, action, &known, arguments)?;
        let needed = match &action.needs {
            Some(needed) if !is_named(needed, &known, &values) => {
                Some(found_above(needed, &folder, roots)?)
            }
            Some(_) | None => None,
        };
        let otherwise = needed.as_deref().unwrap_or(&folder);
        let target = placed(action, &known, &values, &folder, roots, otherwise)?;
        let wait = wait(arguments)?;
        let target_name = match (&action.effect, &target) {
            (Effect::Writes(Some(name)), _) if values.contains_key(name) => {
                values.get(name).map(|value| value.word(0)).unwrap_or_default()
            }
            (_, Some(Target::Path(path))) => path.to_string_lossy().into_owned(),
            (_, Some(Target::Global) | None) => self.program.clone(),
        };
        let metadata = decided(action, &mut values, &folder);
        let (name, timeout) = (action.name.clone(), action.timeout);
        let arguments = action.template.words(&values);
        within_limits(&arguments)?;
        let output = action.output;
        Ok(Prepared {
            output,
            good_exits: action.good_exits.clone(),
            minimum: action.minimum.clone(),
            action: name,
            arguments,
            folder,
            target,
            target_name,
            timeout,
            wait,
            metadata,
        })
    }
}

/// What was given, checked, and what counts where nothing was.
fn given(
    tool: &PackTool,
    action: &Action,
    known: &[&Parameter],
    arguments: &JsonObject,
) -> Result<Values, Refused> {
    let mut values = Values::new();
    for member in arguments.members() {
        let name = member.key();
        if super::OURS.contains(&&*name) || member.value().as_bytes() == b"null" {
            continue;
        }
        let parameter = known.iter().find(|it| it.name == name);
        let parameter = parameter.ok_or_else(|| refusal::unknown(tool, action, known, &name))?;
        let dash = action.template.dash_of(&parameter.name);
        let value = parameter.value(&member.value(), dash);
        let value = value.map_err(|it| Box::new(Observed::Invalid(*it)))?;
        // An empty list is nothing.
        if value.n_items() != Some(0) {
            values.insert(parameter.name.clone(), value);
        }
    }
    for parameter in known {
        if let Some(default) = &parameter.default {
            values.entry(parameter.name.clone()).or_insert_with(|| default.clone());
        }
    }
    let is_there = |name: &&String| values.get(*name).is_some_and(|it| *it != Value::Flag(false));
    for group in &action.exclusive {
        let given: Vec<&String> = group.iter().filter(is_there).collect();
        if let [one, other, ..] = given.as_slice() {
            let message = format!("Parameters '{one}' and '{other}' are mutually exclusive");
            return Err(invalid(other, "mutually exclusive", Some(message)));
        }
    }
    if let Some(missing) = action.required.iter().find(|name| !values.contains_key(*name)) {
        return Err(invalid(missing, "required", None));
    }
    Ok(values)
}

/// Whether a caller has named what an action needs, by a parameter that is for nothing else.
fn is_named(needed: &str, known: &[&Parameter], values: &Values) -> bool {
    known.iter().any(|parameter| {
        let Kind::Path(rules) = &parameter.kind else { return false };
        matches!(rules.extensions.as_slice(), [only] if only == needed)
            && values.contains_key(&parameter.name)
    })
}

/// The folder to work in if nobody names one.
fn first_root(roots: &Roots) -> Result<PathBuf, Refused> {
    let folder = roots.first();
    if folder.is_dir() {
        return Ok(folder);
    }
    let message = format!("The allowed folder `{}` is not there any more", folder.display());
    Err(no_path("workingDirectory", "not found", message))
}

fn folder(given: &str, roots: &Roots) -> Result<PathBuf, Refused> {
    let found = roots.inside(&roots.first(), given);
    let found = found.ok_or_else(|| outside("workingDirectory", given))?;
    // What is inside of a folder is seen only by those who may enter it.
    if found.join(".").is_dir() {
        return Ok(found);
    }
    let message = format!(
        "Parameter 'workingDirectory': `{given}` is no folder that exists and may be entered"
    );
    Err(no_path("workingDirectory", "not found", message))
}

/// What an action needs, in its folder or in the nearest one above that has it, which must be
/// allowed: a program that looks for it would go as far.
fn found_above(needed: &str, folder: &Path, roots: &Roots) -> Result<PathBuf, Refused> {
    let found = folder.ancestors().map(|above| above.join(needed)).find(|it| it.exists());
    let found = found.and_then(|found| roots.inside(folder, &found.to_string_lossy()));
    found.ok_or_else(|| {
        let folder = folder.display();
        let message =
            format!("There is no `{needed}` in `{folder}`, or above it in an allowed folder");
        no_path("workingDirectory", "not found", message)
    })
}

/// Systems start no program whose command line is too long.
fn within_limits(arguments: &[String]) -> Result<(), Refused> {
    const BYTES_MAX: usize = 100_000;
    let n_bytes: usize = arguments.iter().map(|word| word.len() + 1).sum();
    if n_bytes <= BYTES_MAX {
        return Ok(());
    }
    let message = format!("The command line would have {n_bytes} bytes, more than {BYTES_MAX}");
    Err(Box::new(Observed::Invalid(Invalid { message: Some(message), ..Invalid::default() })))
}

/// How long the caller waits for others.
fn wait(arguments: &JsonObject) -> Result<Duration, Refused> {
    let given = arguments.get(WAIT).filter(|it| it.as_bytes() != b"null");
    let Some(given) = given else { return Ok(Duration::ZERO) };
    let ms = given.as_str().parse().ok().filter(|ms| *ms <= WAIT_MS_MAX);
    ms.map(Duration::from_millis).ok_or_else(|| {
        let must = format!("must be a whole number of milliseconds from 0 to {WAIT_MS_MAX}");
        invalid(WAIT, "invalid value", Some(format!("Parameter '{WAIT}' {must}")))
    })
}

/// Looks at the paths among the values, and says what the action changes: `otherwise`, if nobody
/// names it.
fn placed(
    action: &Action,
    known: &[&Parameter],
    values: &Values,
    folder: &Path,
    roots: &Roots,
    otherwise: &Path,
) -> Result<Option<Target>, Refused> {
    let mut target = None;
    for parameter in known {
        let (Kind::Path(rules) | Kind::Paths(rules)) = &parameter.kind else { continue };
        let given: Vec<&String> = match values.get(&parameter.name) {
            Some(Value::Text(path)) => vec![path],
            Some(Value::Texts(paths)) => paths.iter().collect(),
            Some(Value::Number(_) | Value::Flag(_)) | None => continue,
        };
        for path in given {
            let real = match rules.relative_to.as_ref().and_then(|name| values.get(name)) {
                Some(Value::Text(file)) => roots.inside_folder_of(folder, file, path),
                Some(Value::Texts(_) | Value::Number(_) | Value::Flag(_)) | None => {
                    roots.inside(folder, path)
                }
            };
            let real = real.ok_or_else(|| outside(&parameter.name, path))?;
            if rules.must_exist && !real.exists() {
                let message = format!("Parameter '{}' names nothing that exists", parameter.name);
                return Err(invalid(&parameter.name, "not found", Some(message)));
            }
            if action.effect == Effect::Writes(Some(parameter.name.clone())) {
                target = Some(Target::Path(real));
            }
        }
    }
    Ok(match &action.effect {
        Effect::Reads => None,
        Effect::Global => Some(Target::Global),
        Effect::Writes(name) => Some(target.unwrap_or_else(|| {
            let parameter = known.iter().find(|it| Some(&it.name) == name.as_ref());
            let only = parameter.and_then(|it| only_file(it, folder, roots));
            Target::Path(only.unwrap_or_else(|| otherwise.to_path_buf()))
        })),
    })
}

/// The file that a program would choose by itself: the only one in its folder that a caller could
/// name.
fn only_file(parameter: &Parameter, folder: &Path, roots: &Roots) -> Option<PathBuf> {
    const FILES_MAX: usize = 10_000;
    let Kind::Path(PathRules { extensions, .. }) = &parameter.kind else { return None };
    let files = std::fs::read_dir(folder).ok()?.take(FILES_MAX).flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let is_it = |name: &String| {
        let name = name.to_lowercase();
        extensions.iter().any(|end| name.ends_with(&end.to_lowercase()))
    };
    let mut fitting = names.filter(is_it);
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => roots.inside(folder, &only),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// Decides what the action leaves to be decided. Later choices see earlier ones.
fn decided(action: &Action, values: &mut Values, folder: &Path) -> Vec<(String, String)> {
    let mut metadata = Vec::new();
    for choice in &action.choices {
        let Some(case) = choice.cases.iter().find(|case| case.holds(values, folder)) else {
            continue;
        };
        for (name, value) in &case.set {
            values.insert(name.clone(), Value::Text(value.clone()));
            metadata.retain(|(known, _): &(String, String)| known != name);
            metadata.push((name.clone(), value.clone()));
        }
    }
    metadata
}

impl Case {
    fn holds(&self, values: &Values, folder: &Path) -> bool {
        self.when.iter().all(|condition| condition.holds(values))
            && self.file.as_ref().is_none_or(|(name, pointer, wanted)| {
                let found =
                    folder.ancestors().map(|above| above.join(name)).find(|it| it.is_file());
                found
                    .and_then(|path| stands_at(&path, pointer))
                    .is_some_and(|it| it.eq_ignore_ascii_case(wanted))
            })
    }
}

/// The text at a JSON pointer in a file, if it is one and not too large.
fn stands_at(path: &Path, pointer: &Pointer) -> Option<String> {
    const BYTES_MAX: u64 = 1024 * 1024;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > BYTES_MAX {
        return None;
    }
    // Files that people write have comments.
    let json = RawJson::parse(plain_json(&bytes)).ok()?;
    pointer.text_in(&json)
}

impl PackTool {
    /// The action that is meant.
    fn action(&self, arguments: &JsonObject) -> Result<&Action, Refused> {
        let Some(given) = text(arguments, "action")? else {
            return Err(invalid("action", "required", None));
        };
        self.actions.iter().find(|action| action.name == given).ok_or_else(|| {
            let allowed = self.actions.iter().map(|action| action.name.clone()).collect();
            Box::new(Observed::Invalid(Invalid {
                parameter: Some("action".to_owned()),
                provided: Some(given),
                allowed,
                ..Invalid::default()
            }))
        })
    }
}

/// The text of one of our own parameters.
fn text(arguments: &JsonObject, name: &str) -> Result<Option<String>, Refused> {
    let Some(given) = arguments.get(name).filter(|it| it.as_bytes() != b"null") else {
        return Ok(None);
    };
    let text = given.as_text().map(std::borrow::Cow::into_owned);
    text.map(Some).ok_or_else(|| {
        invalid(name, "invalid value", Some(format!("Parameter '{name}' must be text")))
    })
}
