//! The actions of a tool: their command lines, effects and choices.

use toml::Spanned;

use super::super::parameter::{Kind, Parameter, TextRules};
use super::super::pointers::Pointer;
use super::super::probe::Version;
use super::super::tables::{ActionTable, CaseTable, ChoiceTable, EffectValue, OutputValue};
use super::super::template::{Condition, Template};
use super::super::{Action, Case, Choice, Effect, Output};
use super::{check_distinct, check_known, read_value};
use manila_files::{ConfigError, at, values};

/// The hint for an invalid group or condition.
const SYNTAX: &str = "`{name}` inserts a parameter; `{?name}` tests whether it is set";

pub(super) fn action(
    text: &str,
    table: &ActionTable,
    parameters: &[Parameter],
) -> Result<Action, ConfigError> {
    let ActionTable { name, about, arguments, required, target, timeout, choice, .. } = table;
    let is_pascal = name.get_ref().starts_with(|first: char| first.is_ascii_uppercase())
        && name.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_pascal {
        let message = format!("`{}` is not a valid action name", name.get_ref());
        return Err(at(text, Some(name.span()), message, "use PascalCase, e.g. MigrationsAdd"));
    }
    let choices: Vec<Choice> =
        choice.iter().map(|it| self::choice(text, it, parameters)).collect::<Result<_, _>>()?;
    let chosen = choices.iter().flat_map(|it| &it.cases).flat_map(|it| &it.set);
    let mut known: Vec<&str> = chosen.map(|(name, _)| name.as_str()).collect();
    known.extend(parameters.iter().map(|parameter| parameter.name.as_str()));
    for group in arguments {
        check_group(text, group, &known, parameters)?;
    }
    let cases = choices.iter().flat_map(|it| &it.cases);
    for (table, case) in choice.iter().flat_map(|it| &it.cases).zip(cases) {
        let Some(when) = &table.get_ref().when else { continue };
        let mut names = case.when.iter().map(Condition::name);
        names.try_for_each(|name| check_known(text, when, name, &known))?;
    }
    let parameter_names: Vec<&str> = parameters.iter().map(|it| it.name.as_str()).collect();
    let mut references = required.iter().chain(target).chain(table.exclusive.iter().flatten());
    references.try_for_each(|name| check_known(text, name, name.get_ref(), &parameter_names))?;
    let timeout = timeout.as_ref().map(|it| read_value(text, it, values::duration));
    let template = Template::new(arguments.iter().map(|group| group.get_ref().as_str()))
        .map_err(|message| at(text, Some(name.span()), message, SYNTAX))?;
    let minimum = table.minimum.as_ref().map(|it| read_value(text, it, Version::new));
    let needs = table.needs.as_ref().map(|it| plain_name(text, it));
    Ok(Action {
        name: name.get_ref().clone(),
        about: about.clone(),
        required: required.iter().map(|it| it.get_ref().clone()).collect(),
        exclusive: exclusive(text, table, parameters)?,
        good_exits: good_exits(text, &table.good_exits)?,
        effect: effect(text, table.effect, target.as_ref(), parameters)?,
        timeout: timeout.transpose()?,
        minimum: minimum.transpose()?,
        needs: needs.transpose()?,
        output: match table.output {
            OutputValue::Stdout => Output::Stdout,
            OutputValue::Both => Output::Both,
        },
        choices,
        template,
    })
}

fn exclusive(
    text: &str,
    table: &ActionTable,
    parameters: &[Parameter],
) -> Result<Vec<Vec<String>>, ConfigError> {
    let parse_group = |group: &Vec<Spanned<String>>| {
        check_distinct(text, "parameter", group.iter())?;
        let has_default = |name: &&Spanned<String>| {
            parameters.iter().any(|it| it.name == *name.get_ref() && it.default.is_some())
        };
        if let Some(wrong) = group.iter().find(has_default) {
            let message =
                format!("`{}` has a default, so the others could never be given", wrong.get_ref());
            return Err(at(text, Some(wrong.span()), message, "remove its default"));
        }
        let is_required = |name: &&Spanned<String>| {
            table.required.iter().any(|it| it.get_ref() == name.get_ref())
        };
        if let [_, other, ..] = group.iter().filter(is_required).collect::<Vec<_>>().as_slice() {
            let message = format!("`{}` and another of the group are required", other.get_ref());
            return Err(at(text, Some(other.span()), message, "require at most one of the group"));
        }
        if group.len() < 2 {
            let span = group.first().map_or(table.name.span(), Spanned::span);
            let message = "an `exclusive` group needs at least two parameters";
            let hint = "e.g. exclusive = [[\"version\", \"prerelease\"]]";
            return Err(at(text, Some(span), message, hint));
        }
        Ok(group.iter().map(|name| name.get_ref().clone()).collect())
    };
    table.exclusive.iter().map(parse_group).collect()
}

fn good_exits(text: &str, codes: &[Spanned<i64>]) -> Result<Vec<i64>, ConfigError> {
    let is_wrong = |code: &&Spanned<i64>| !(1..=255).contains(code.get_ref());
    if let Some(wrong) = codes.iter().find(is_wrong) {
        let message = format!("{} is not an exit code other than 0", wrong.get_ref());
        return Err(at(text, Some(wrong.span()), message, "give numbers from 1 to 255"));
    }
    Ok(codes.iter().map(|code| *code.get_ref()).collect())
}

fn effect(
    text: &str,
    effect: EffectValue,
    target: Option<&Spanned<String>>,
    parameters: &[Parameter],
) -> Result<Effect, ConfigError> {
    let Some(target) = target else {
        return Ok(match effect {
            EffectValue::Reads => Effect::Reads,
            EffectValue::Writes => Effect::Writes(None),
            EffectValue::Global => Effect::Global,
        });
    };
    if effect != EffectValue::Writes {
        let hint = "set effect = \"writes\", or remove `target`";
        let message = "only an action that writes can have a `target`";
        return Err(at(text, Some(target.span()), message, hint));
    }
    let parameter = parameters.iter().find(|it| it.name == *target.get_ref());
    if !parameter.is_some_and(|it| matches!(it.kind, Kind::Path(_))) {
        let message = format!("`{}` does not name a path", target.get_ref());
        return Err(at(text, Some(target.span()), message, "name a parameter of type `path`"));
    }
    Ok(Effect::Writes(Some(target.get_ref().clone())))
}

/// Checks that a group of words refers only to known names, to at most one list, and to possible
/// values.
fn check_group(
    text: &str,
    group: &Spanned<String>,
    known: &[&str],
    parameters: &[Parameter],
) -> Result<(), ConfigError> {
    let refuse = |message: String, hint: String| Err(at(text, Some(group.span()), message, hint));
    let template = match Template::new([group.get_ref().as_str()]) {
        Ok(template) => template,
        Err(message) => return refuse(message, SYNTAX.to_owned()),
    };
    template.names().try_for_each(|name| check_known(text, group, name, known))?;
    let parameter = |name: &str| parameters.iter().find(|it| it.name == name);
    let is_list = |it: &&Parameter| matches!(it.kind, Kind::Texts(_) | Kind::Paths(_));
    let inserted = template.inserted_names();
    let mut lists: Vec<&str> =
        inserted.filter(|it| parameter(it).as_ref().is_some_and(is_list)).collect();
    lists.dedup();
    if let [one, other, ..] = lists.as_slice() {
        let hint = "a list repeats its group, so each needs its own group".to_owned();
        return refuse(format!("`{one}` and `{other}` are two lists"), hint);
    }
    for (name, expected) in template.equalities() {
        let Some(Parameter { kind: Kind::Text(TextRules { values, .. }), .. }) = parameter(name)
        else {
            continue;
        };
        if !values.is_empty() && !values.iter().any(|value| value == expected) {
            let hint = format!("its values are {}", values.join(", "));
            return refuse(format!("`{name}` is never `{expected}`"), hint);
        }
    }
    Ok(())
}

/// Returns the name of a file or folder, which must not be a path.
fn plain_name(text: &str, name: &Spanned<String>) -> Result<String, ConfigError> {
    let is_plain = |name: &str| !name.is_empty() && name != ".." && !name.contains(['/', '\\']);
    if is_plain(name.get_ref()) {
        return Ok(name.get_ref().clone());
    }
    let message = format!("`{}` is not a plain file name", name.get_ref());
    let hint =
        "use a name without `/`, e.g. global.json; Manila searches the working directory and above";
    Err(at(text, Some(name.span()), message, hint))
}

fn choice(
    text: &str,
    table: &ChoiceTable,
    parameters: &[Parameter],
) -> Result<Choice, ConfigError> {
    let cases = table.cases.iter().map(|case| {
        let CaseTable { when, file, pointer, equals, set } = case.get_ref();
        let when = when.as_ref().map(|when| {
            Condition::all(when.get_ref())
                .map_err(|message| at(text, Some(when.span()), message, SYNTAX))
        });
        let file = match (file, pointer, equals) {
            (Some(file), Some(pointer), Some(equals)) => {
                let pointer = read_value(text, pointer, Pointer::new)?;
                Some((plain_name(text, file)?, pointer, equals.clone()))
            }
            (None, None, None) => None,
            (_, _, _) => {
                let message = "`file`, `pointer` and `equals` belong together";
                return Err(at(text, Some(case.span()), message, "give all three, or none"));
            }
        };
        if let Some(name) = set.keys().find(|name| parameters.iter().any(|it| it.name == **name)) {
            let message = format!("`{name}` is already a parameter");
            let hint = "give the choice another name";
            return Err(at(text, Some(case.span()), message, hint));
        }
        let set = set.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Case { when: when.transpose()?.unwrap_or_default(), file, set })
    });
    Ok(Choice { cases: cases.collect::<Result<_, _>>()? })
}
