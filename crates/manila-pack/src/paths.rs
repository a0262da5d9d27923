//! The paths among the arguments of a call: which files they name, and how the program gets them.

use std::path::{Path, PathBuf};

use manila::Observed;

use super::parameter::{Dash, Kind, PathRules};
use super::refusal::{Refusal, invalid_parameter, outside_roots};
use super::roots::without_links;
use super::template::Values;
use super::value::Value;
use super::{Action, Effect, Parameter, Roots};

/// What an action changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This path.
    Path(PathBuf),
    /// Something of which the program has only one.
    Global,
}

/// The paths of a call after its links are resolved.
pub(super) struct ResolvedPaths {
    pub(super) target: Option<Target>,
    /// The paths to pass to the program.
    pub(super) passed: Values,
}

/// Resolves the paths among the values, and returns what the action changes. This is `fallback` if
/// neither a parameter nor the only matching file determines it.
pub(super) fn resolve_paths(
    action: &Action,
    known: &[&Parameter],
    values: &Values,
    folder: &Path,
    roots: &Roots,
    fallback: &Path,
) -> Result<ResolvedPaths, Refusal> {
    let mut target = None;
    let mut all_passed = Values::new();
    for parameter in known {
        let (Kind::Path(rules) | Kind::Paths(rules)) = &parameter.kind else { continue };
        let given: Vec<&String> = match values.get(&parameter.name) {
            Some(Value::Text(path)) => vec![path],
            Some(Value::Texts(paths)) => paths.iter().collect(),
            Some(Value::Number(_) | Value::Flag(_)) | None => continue,
        };
        let mut passed = Vec::with_capacity(given.len());
        for path in given {
            let (base, real) = match rules.relative_to.as_ref().and_then(|name| values.get(name)) {
                Some(Value::Text(file)) => {
                    let base = roots.folder_of(folder, file);
                    let found = roots.resolve_in_folder_of(folder, file, path);
                    (base.unwrap_or_else(|| folder.to_path_buf()), found)
                }
                Some(Value::Texts(_) | Value::Number(_) | Value::Flag(_)) | None => {
                    (folder.to_path_buf(), roots.resolve(folder, path))
                }
            };
            let real = real.ok_or_else(|| outside_roots(&parameter.name, path))?;
            passed.push(path_to_pass(parameter, &base, path, &real)?);
            if rules.must_exist && !real.exists() {
                let name = &parameter.name;
                let message = format!("Parameter '{name}' names a path that does not exist");
                return Err(invalid_parameter(name, "not found", Some(message)));
            }
            if action.effect == Effect::Writes(Some(parameter.name.clone())) {
                target = Some(Target::Path(real));
            }
        }
        let passed = match (values.get(&parameter.name), passed.pop()) {
            (Some(Value::Text(_)), Some(path)) => Value::Text(path),
            (_, last) => Value::Texts(passed.into_iter().chain(last).collect()),
        };
        all_passed.insert(parameter.name.clone(), passed);
    }
    let target = match &action.effect {
        Effect::Reads => None,
        Effect::Global => Some(Target::Global),
        Effect::Writes(name) => Some(target.unwrap_or_else(|| {
            let parameter = known.iter().find(|it| Some(&it.name) == name.as_ref());
            let only = parameter.and_then(|it| only_file(it, folder, roots));
            Target::Path(only.unwrap_or_else(|| fallback.to_path_buf()))
        })),
    };
    Ok(ResolvedPaths { target, passed: all_passed })
}

/// Returns the path to pass to the program. What a link leads to must keep the rules, too.
fn path_to_pass(
    parameter: &Parameter,
    base: &Path,
    given: &str,
    real: &Path,
) -> Result<String, Refusal> {
    let Some(path) = without_links(base, given, real) else {
        return Err(outside_roots(&parameter.name, given));
    };
    if path != given {
        let checked = parameter.check_text(&path, Dash::Refused);
        checked.map_err(|it| Box::new(Observed::Invalid(*it)))?;
    }
    Ok(path)
}

/// Returns the file that the program would choose itself: the only one in the folder that the
/// parameter accepts.
fn only_file(parameter: &Parameter, folder: &Path, roots: &Roots) -> Option<PathBuf> {
    const FILES_MAX: usize = 10_000;
    let Kind::Path(PathRules { extensions, .. }) = &parameter.kind else { return None };
    let files = std::fs::read_dir(folder).ok()?.take(FILES_MAX).flatten();
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let has_extension = |name: &String| {
        let name = name.to_lowercase();
        extensions.iter().any(|end| name.ends_with(&end.to_lowercase()))
    };
    let mut candidates = names.filter(has_extension);
    match (candidates.next(), candidates.next()) {
        (Some(only), None) => roots.resolve(folder, &only),
        (Some(_), Some(_)) | (None, _) => None,
    }
}
