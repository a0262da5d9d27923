//! From what a caller gave to a command line, or to what is said against it. Nothing is run.

use std::path::{Path, PathBuf};

use manila::{Code, Failed, Invalid, JsonObject, Observed, RawJson, closest};

use super::parameter::Kind;
use super::template::Values;
use super::value::Value;
use super::{Action, Case, Effect, Pack, PackTool, Parameter};

/// Where programs may work: paths outside of these folders are refused.
#[derive(Debug, Clone)]
pub struct Roots {
    folders: Vec<PathBuf>,
}

/// What is said against a call.
pub type Refused = Box<Observed>;

/// A call that may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl Roots {
    /// These folders, which must exist.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> std::io::Result<Roots> {
        let folders = folders.into_iter().map(|folder| folder.canonicalize());
        Ok(Roots { folders: folders.collect::<std::io::Result<_>>()? })
    }

    /// The folder in which programs run if nobody says otherwise.
    fn first(&self) -> PathBuf {
        self.folders.first().cloned().unwrap_or_default()
    }

    /// The path behind links and `..`, if it lies in one of the folders. What does not exist yet may
    /// be made where its folder lies.
    fn inside(&self, folder: &Path, given: &str) -> Option<PathBuf> {
        let whole = folder.join(given);
        let real = if let Ok(real) = whole.canonicalize() {
            real
        } else {
            let (above, rest) = existing_above(&whole)?;
            above.join(rest)
        };
        self.folders.iter().any(|root| real.starts_with(root)).then_some(real)
    }
}

/// The nearest folder above a path that exists, and the plain names below it.
fn existing_above(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut rest = PathBuf::new();
    let mut above = path;
    loop {
        let name = above.file_name()?;
        rest = if rest.as_os_str().is_empty() { name.into() } else { Path::new(name).join(rest) };
        above = above.parent()?;
        if let Ok(real) = above.canonicalize() {
            return Some((real, rest));
        }
    }
}

impl Pack {
    /// The command line for a call of the tool with this name of its own; or what is said against it
    /// (M7, M8).
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
        let action = tool.action(arguments)?;
        let folder = match text(arguments, "workingDirectory")? {
            Some(given) => folder(&given, roots)?,
            None => roots.first(),
        };
        let mut values = Values::new();
        let known = tool.parameters_of(action);
        for member in arguments.members() {
            let name = member.key();
            if super::OURS.contains(&&*name) || member.value().as_bytes() == b"null" {
                continue;
            }
            let parameter = known.iter().find(|it| it.name == name);
            let parameter = parameter.ok_or_else(|| unknown(tool, action, &known, &name))?;
            let value =
                parameter.value(&member.value()).map_err(|it| Box::new(Observed::Invalid(*it)))?;
            values.insert(parameter.name.clone(), value);
        }
        for parameter in &known {
            if let Some(default) = &parameter.default {
                values.entry(parameter.name.clone()).or_insert_with(|| default.clone());
            }
        }
        if let Some(missing) = action.required.iter().find(|name| !values.contains_key(*name)) {
            return Err(invalid(missing, "required", None));
        }
        let target = placed(action, &known, &values, &folder, roots)?;
        let metadata = decided(action, &mut values, &folder);
        let arguments = action.template.words(&values);
        Ok(Prepared { action: action.name.clone(), arguments, folder, target, metadata })
    }

    /// Its tools, as they are listed to clients: by their names of their own.
    #[must_use]
    pub fn listed(&self) -> Vec<JsonObject> {
        self.tools.iter().map(PackTool::listed).collect()
    }
}

fn folder(given: &str, roots: &Roots) -> Result<PathBuf, Refused> {
    let found = roots.inside(&roots.first(), given).filter(|folder| folder.is_dir());
    found.ok_or_else(|| outside("workingDirectory", given))
}

/// Looks at the paths among the values, and says what the action changes.
fn placed(
    action: &Action,
    known: &[&Parameter],
    values: &Values,
    folder: &Path,
    roots: &Roots,
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
            let real = roots.inside(folder, path).ok_or_else(|| outside(&parameter.name, path))?;
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
        Effect::Writes(_) => Some(target.unwrap_or_else(|| Target::Path(folder.to_path_buf()))),
    })
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
                found.is_some_and(|path| stands_at(&path, pointer).as_deref() == Some(wanted))
            })
    }
}

/// The text at a JSON pointer in a file, if it is one and not too large.
fn stands_at(path: &Path, pointer: &str) -> Option<String> {
    const BYTES_MAX: u64 = 1024 * 1024;
    if std::fs::metadata(path).ok()?.len() > BYTES_MAX {
        return None;
    }
    let json = RawJson::parse(std::fs::read(path).ok()?).ok()?;
    let found = pointer.split('/').skip(1).try_fold(json, |value, name| value.get(name))?;
    found.as_text().map(std::borrow::Cow::into_owned)
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

    fn listed(&self) -> JsonObject {
        let names: Vec<&str> = self.actions.iter().map(|action| action.name.as_str()).collect();
        let does = self.actions.iter().map(|it| format!("{}: {}", it.name, it.about));
        let does: Vec<String> = does.collect();
        let properties = JsonObject::build(|properties| {
            let action = JsonObject::build(|action| {
                action.member("type", "string");
                action.member("enum", &names);
                action.member("description", &does.join(" "));
            });
            properties.member("action", &action);
            for parameter in &self.parameters {
                properties.member(&parameter.name, &parameter.schema());
            }
            let about = "The folder to work in, inside of those that are allowed";
            let folder = JsonObject::build(|folder| {
                folder.member("type", "string");
                folder.member("description", about);
            });
            properties.member("workingDirectory", &folder);
        });
        let schema = JsonObject::build(|schema| {
            schema.member("type", "object");
            schema.member("properties", &properties);
            schema.member("required", &["action"][..]);
            schema.member("additionalProperties", &false);
        });
        JsonObject::build(|tool| {
            tool.member("name", &self.name);
            tool.member("description", &self.about);
            tool.member("inputSchema", &schema);
        })
    }
}

fn unknown(tool: &PackTool, action: &Action, known: &[&Parameter], name: &str) -> Refused {
    let is_elsewhere = tool.parameters.iter().any(|it| it.name == name);
    let fault = if is_elsewhere {
        format!("is not for the action '{}'", action.name)
    } else {
        match closest(name, known.iter().map(|it| it.name.as_str())) {
            Some(meant) => format!("is not known; did you mean '{meant}'?"),
            None => "is not known".to_owned(),
        }
    };
    invalid(name, "invalid value", Some(format!("Parameter '{name}' {fault}")))
}

fn outside(parameter: &str, given: &str) -> Refused {
    let message = format!("Parameter '{parameter}': `{given}` is not inside the allowed folders");
    Box::new(Observed::Failed(Box::new(Failed::new(Code::InvalidPath, message))))
}

fn invalid(parameter: &str, reason: &str, message: Option<String>) -> Refused {
    Box::new(Observed::Invalid(Invalid {
        message,
        parameter: Some(parameter.to_owned()),
        reason: Some(reason.to_owned()),
        ..Invalid::default()
    }))
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
