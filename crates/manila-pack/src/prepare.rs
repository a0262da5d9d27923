//! Conversion of a caller's arguments to a command line, or to a refusal. Nothing runs here.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manila::{Code, Failed, Invalid, JsonObject, Observed, RawJson};

use super::parameter::Kind;
use super::paths::{ResolvedPaths, Target, resolve_paths};
use super::pointers::Pointer;
use super::refusal::{self, Refusal, invalid_parameter, invalid_path, outside_roots};
use super::template::Values;
use super::value::Value;
use super::{Action, Case, Effect, Output, Pack, PackTool, Parameter, Roots, Version};
use manila_files::jsonc::plain_json;

/// The parameter that sets how long a call waits for a conflicting operation.
pub(super) const WAIT: &str = "wait_ms";

/// The longest wait that a caller may request.
pub(super) const WAIT_MS_MAX: u64 = 10 * 60 * 1000;

/// A call that is ready to run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PreparedCall {
    /// The action.
    pub action: String,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// What the action changes, resolved to a real path; `None` if it changes nothing.
    pub target: Option<Target>,
    /// The target as the caller named it, or else its path or the program.
    pub target_name: String,
    /// The streams that hold the output.
    pub output: Output,
    /// Exit codes other than 0 that mean success.
    pub good_exits: Vec<i64>,
    /// Oldest version of the program that has this action.
    pub minimum: Option<Version>,
    /// Time limit, if the action sets one.
    pub timeout: Option<Duration>,
    /// Maximum time to wait for a conflicting operation.
    pub wait: Duration,
    /// Choices to report as metadata.
    pub metadata: Vec<(String, String)>,
}

impl Pack {
    /// Returns the command line for a call of a tool, named without the pack's prefix, or a refusal
    /// (M7, M8).
    pub fn prepare(
        &self,
        tool: &str,
        arguments: &JsonObject,
        roots: &Roots,
    ) -> Result<PreparedCall, Refusal> {
        let Some(tool) = self.tools.iter().find(|it| it.name == tool) else {
            let message = format!("there is no tool `{tool}` in the pack `{}`", self.name);
            return Err(Box::new(Observed::Failed(Box::new(Failed::new(
                Code::ToolNotFound,
                message,
            )))));
        };
        if let Some(name) = arguments.duplicate_key() {
            let message = format!("Parameter '{name}' is given twice");
            return Err(invalid_parameter(&name, "invalid value", Some(message)));
        }
        let action = tool.action(arguments)?;
        let folder = match text(arguments, "workingDirectory")? {
            Some(given) => resolve_folder(&given, roots)?,
            None => first_root(roots)?,
        };
        let known = tool.parameters_of(action);
        let mut values = check_arguments(tool, action, &known, arguments)?;
        let needed = match &action.needs {
            Some(needed) if !is_named(needed, &known, &values) => {
                Some(find_above(needed, &folder, roots)?)
            }
            Some(_) | None => None,
        };
        let fallback = needed.as_deref().unwrap_or(&folder);
        let ResolvedPaths { target, passed } =
            resolve_paths(action, &known, &values, &folder, roots, fallback)?;
        let wait = parse_wait(arguments)?;
        let target_name = match (&action.effect, &target) {
            (Effect::Writes(Some(name)), _) if values.contains_key(name) => {
                values.get(name).map(|value| value.word(0)).unwrap_or_default()
            }
            (_, Some(Target::Path(path))) => path.to_string_lossy().into_owned(),
            (_, Some(Target::Global) | None) => self.program.clone(),
        };
        values.extend(passed);
        let metadata = apply_choices(action, &mut values, &folder);
        let (name, timeout) = (action.name.clone(), action.timeout);
        let arguments = action.template.words(&values);
        check_length(&arguments)?;
        let output = action.output;
        Ok(PreparedCall {
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

/// Returns the checked arguments, with defaults for those not given.
fn check_arguments(
    tool: &PackTool,
    action: &Action,
    known: &[&Parameter],
    arguments: &JsonObject,
) -> Result<Values, Refusal> {
    let mut values = Values::new();
    for member in arguments.members() {
        let name = member.key();
        if super::RESERVED_PARAMETERS.contains(&&*name) || member.value().as_bytes() == b"null" {
            continue;
        }
        let parameter = known.iter().find(|it| it.name == name);
        let parameter =
            parameter.ok_or_else(|| refusal::unknown_parameter(tool, action, known, &name))?;
        let dash = action.template.leading_dash_rule(&parameter.name);
        let value = parameter.parse(&member.value(), dash);
        let value = value.map_err(|it| Box::new(Observed::Invalid(*it)))?;
        // An empty list counts as absent.
        if value.n_items() != Some(0) {
            values.insert(parameter.name.clone(), value);
        }
    }
    for parameter in known {
        if let Some(default) = &parameter.default {
            values.entry(parameter.name.clone()).or_insert_with(|| default.clone());
        }
    }
    let is_given = |name: &&String| values.get(*name).is_some_and(|it| *it != Value::Flag(false));
    for group in &action.exclusive {
        let given: Vec<&String> = group.iter().filter(is_given).collect();
        if let [one, other, ..] = given.as_slice() {
            let message = format!("Parameters '{one}' and '{other}' are mutually exclusive");
            return Err(invalid_parameter(other, "mutually exclusive", Some(message)));
        }
    }
    if let Some(missing) = action.required.iter().find(|name| !values.contains_key(*name)) {
        return Err(invalid_parameter(missing, "required", None));
    }
    Ok(values)
}

/// Returns whether the caller named the file that an action needs, with a parameter for only that
/// file.
fn is_named(needed: &str, known: &[&Parameter], values: &Values) -> bool {
    known.iter().any(|parameter| {
        let Kind::Path(rules) = &parameter.kind else { return false };
        matches!(rules.extensions.as_slice(), [only] if only == needed)
            && values.contains_key(&parameter.name)
    })
}

/// Returns the default working directory.
fn first_root(roots: &Roots) -> Result<PathBuf, Refusal> {
    let folder = roots.first();
    if folder.is_dir() {
        return Ok(folder);
    }
    let message = format!("The allowed folder `{}` no longer exists", folder.display());
    Err(invalid_path("workingDirectory", "not found", message))
}

fn resolve_folder(given: &str, roots: &Roots) -> Result<PathBuf, Refusal> {
    let found = roots.resolve(&roots.first(), given);
    let found = found.ok_or_else(|| outside_roots("workingDirectory", given))?;
    // Only a user who may enter the folder can look inside of it.
    if found.join(".").is_dir() {
        return Ok(found);
    }
    let message = format!(
        "Parameter 'workingDirectory': `{given}` is not a folder that exists and can be entered"
    );
    Err(invalid_path("workingDirectory", "not found", message))
}

/// Finds what an action needs in its folder, or in the nearest folder above that has it.
///
/// It must be in an allowed folder, because the program itself would search all folders above.
fn find_above(needed: &str, folder: &Path, roots: &Roots) -> Result<PathBuf, Refusal> {
    let found = folder.ancestors().map(|above| above.join(needed)).find(|it| it.exists());
    let found = found.and_then(|found| roots.resolve(folder, &found.to_string_lossy()));
    found.ok_or_else(|| {
        let folder = folder.display();
        let message =
            format!("There is no `{needed}` in `{folder}`, or above it in an allowed folder");
        invalid_path("workingDirectory", "not found", message)
    })
}

/// Checks the length of the command line, which operating systems limit.
fn check_length(arguments: &[String]) -> Result<(), Refusal> {
    const BYTES_MAX: usize = 100_000;
    let n_bytes: usize = arguments.iter().map(|word| word.len() + 1).sum();
    if n_bytes <= BYTES_MAX {
        return Ok(());
    }
    let message = format!("The command line would have {n_bytes} bytes, more than {BYTES_MAX}");
    Err(Box::new(Observed::Invalid(Invalid { message: Some(message), ..Invalid::default() })))
}

/// Parses the time that the caller waits for a conflicting operation.
fn parse_wait(arguments: &JsonObject) -> Result<Duration, Refusal> {
    let given = arguments.get(WAIT).filter(|it| it.as_bytes() != b"null");
    let Some(given) = given else { return Ok(Duration::ZERO) };
    let ms = given.as_str().parse().ok().filter(|ms| *ms <= WAIT_MS_MAX);
    ms.map(Duration::from_millis).ok_or_else(|| {
        let must = format!("must be a whole number of milliseconds from 0 to {WAIT_MS_MAX}");
        invalid_parameter(WAIT, "invalid value", Some(format!("Parameter '{WAIT}' {must}")))
    })
}

/// Makes the action's choices, sets their values and returns them as metadata. Later choices see
/// earlier ones.
fn apply_choices(action: &Action, values: &mut Values, folder: &Path) -> Vec<(String, String)> {
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
            && self.file.as_ref().is_none_or(|(name, pointer, expected)| {
                let found =
                    folder.ancestors().map(|above| above.join(name)).find(|it| it.is_file());
                found
                    .and_then(|path| read_pointer(&path, pointer))
                    .is_some_and(|it| it.eq_ignore_ascii_case(expected))
            })
    }
}

/// Returns the text at a JSON pointer in a file, if it is JSON and not too large.
fn read_pointer(path: &Path, pointer: &Pointer) -> Option<String> {
    const BYTES_MAX: u64 = 1024 * 1024;
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > BYTES_MAX {
        return None;
    }
    // Files that people write may contain comments.
    let json = RawJson::parse(plain_json(&bytes)).ok()?;
    pointer.text_in(&json)
}

impl PackTool {
    /// Returns the requested action.
    fn action(&self, arguments: &JsonObject) -> Result<&Action, Refusal> {
        let Some(given) = text(arguments, "action")? else {
            return Err(invalid_parameter("action", "required", None));
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

/// Returns the value of a reserved parameter that must be text.
fn text(arguments: &JsonObject, name: &str) -> Result<Option<String>, Refusal> {
    let Some(given) = arguments.get(name).filter(|it| it.as_bytes() != b"null") else {
        return Ok(None);
    };
    let text = given.as_text().map(std::borrow::Cow::into_owned);
    text.map(Some).ok_or_else(|| {
        invalid_parameter(name, "invalid value", Some(format!("Parameter '{name}' must be text")))
    })
}
