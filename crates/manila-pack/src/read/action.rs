//! The actions of a tool: their command lines, what they change, and what is decided for them.

use toml::Spanned;

use super::super::parameter::{Kind, Parameter, Rules};
use super::super::places::Pointer;
use super::super::probe::Version;
use super::super::tables::{ActionTable, CaseTable, ChoiceTable, EffectWord, OutputWord};
use super::super::template::{Condition, Template};
use super::super::{Action, Case, Choice, Effect, Output};
use super::{PAGE, distinct, is_known, read_value};
use manila_files::{ConfigError, at, values};

pub(super) fn action(
    text: &str,
    table: &ActionTable,
    parameters: &[Parameter],
) -> Result<Action, ConfigError> {
    let ActionTable { name, about, arguments, required, target, timeout, choice, .. } = table;
    let is_pascal = name.get_ref().starts_with(|first: char| first.is_ascii_uppercase())
        && name.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_pascal {
        let message = format!("`{}` cannot be the name of an action", name.get_ref());
        return Err(at(text, Some(name.span()), message, "use PascalCase, e.g. MigrationsAdd"));
    }
    let choices: Vec<Choice> =
        choice.iter().map(|it| self::choice(text, it, parameters)).collect::<Result<_, _>>()?;
    let decided = choices.iter().flat_map(|it| &it.cases).flat_map(|it| &it.set);
    let mut known: Vec<&str> = decided.map(|(name, _)| name.as_str()).collect();
    known.extend(parameters.iter().map(|parameter| parameter.name.as_str()));
    for group in arguments {
        self::group(text, group, &known, parameters)?;
    }
    let cases = choices.iter().flat_map(|it| &it.cases);
    for (table, case) in choice.iter().flat_map(|it| &it.cases).zip(cases) {
        let Some(when) = &table.get_ref().when else { continue };
        let mut names = case.when.iter().map(Condition::name);
        names.try_for_each(|name| is_known(text, when, name, &known))?;
    }
    let given: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let mut by_name = required.iter().chain(target).chain(table.exclusive.iter().flatten());
    by_name.try_for_each(|name| is_known(text, name, name.get_ref(), &given))?;
    let timeout = timeout.as_ref().map(|it| read_value(text, it, values::duration));
    let template = Template::new(arguments.iter().map(|group| group.get_ref().as_str()))
        .map_err(|message| at(text, Some(name.span()), message, format!("see {PAGE}")))?;
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
            OutputWord::Stdout => Output::Stdout,
            OutputWord::Both => Output::Both,
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
    let of = |group: &Vec<Spanned<String>>| {
        distinct(text, "parameter", group.iter())?;
        let has_default = |name: &&Spanned<String>| {
            parameters.iter().any(|it| it.name == *name.get_ref() && it.default.is_some())
        };
        if let Some(wrong) = group.iter().find(has_default) {
            let message =
                format!("`{}` has a default, so the others could never be given", wrong.get_ref());
            return Err(at(text, Some(wrong.span()), message, "leave out its default"));
        }
        let is_required = |name: &&Spanned<String>| {
            table.required.iter().any(|it| it.get_ref() == name.get_ref())
        };
        if let [_, other, ..] = group.iter().filter(is_required).collect::<Vec<_>>().as_slice() {
            let message = format!("`{}` is required beside another of them", other.get_ref());
            return Err(at(text, Some(other.span()), message, "only one of them may be given"));
        }
        if group.len() < 2 {
            let place = group.first().map_or(table.name.span(), Spanned::span);
            let message = "what is exclusive needs something that it excludes";
            let hint = "e.g. exclusive = [[\"version\", \"prerelease\"]]";
            return Err(at(text, Some(place), message, hint));
        }
        Ok(group.iter().map(|name| name.get_ref().clone()).collect())
    };
    table.exclusive.iter().map(of).collect()
}

fn good_exits(text: &str, codes: &[Spanned<i64>]) -> Result<Vec<i64>, ConfigError> {
    let is_wrong = |code: &&Spanned<i64>| !(1..=255).contains(code.get_ref());
    if let Some(wrong) = codes.iter().find(is_wrong) {
        let message = format!("{} is no exit code beside 0", wrong.get_ref());
        return Err(at(text, Some(wrong.span()), message, "give numbers from 1 to 255"));
    }
    Ok(codes.iter().map(|code| *code.get_ref()).collect())
}

fn effect(
    text: &str,
    word: EffectWord,
    target: Option<&Spanned<String>>,
    parameters: &[Parameter],
) -> Result<Effect, ConfigError> {
    let Some(target) = target else {
        return Ok(match word {
            EffectWord::Reads => Effect::Reads,
            EffectWord::Writes => Effect::Writes(None),
            EffectWord::Global => Effect::Global,
        });
    };
    if word != EffectWord::Writes {
        let hint = "set effect = \"writes\", or leave it out";
        let message = "only an action that writes has a `target`";
        return Err(at(text, Some(target.span()), message, hint));
    }
    let own = parameters.iter().find(|it| it.name == *target.get_ref());
    if !own.is_some_and(|it| matches!(it.kind, Kind::Path(_))) {
        let message = format!("`{}` names nothing that could be written", target.get_ref());
        return Err(at(text, Some(target.span()), message, "name a parameter of type `path`"));
    }
    Ok(Effect::Writes(Some(target.get_ref().clone())))
}

/// A group of words speaks of what there is, of one list at most, and of values that can be given.
fn group(
    text: &str,
    group: &Spanned<String>,
    known: &[&str],
    parameters: &[Parameter],
) -> Result<(), ConfigError> {
    let refuse = |message: String, hint: String| Err(at(text, Some(group.span()), message, hint));
    let template = match Template::new([group.get_ref().as_str()]) {
        Ok(template) => template,
        Err(message) => return refuse(message, format!("see {PAGE}")),
    };
    template.names().try_for_each(|name| is_known(text, group, name, known))?;
    let of = |name: &str| parameters.iter().find(|it| it.name == name);
    let is_list = |it: &&Parameter| matches!(it.kind, Kind::Texts(_) | Kind::Paths(_));
    let mut lists: Vec<&str> =
        template.values().filter(|it| of(it).as_ref().is_some_and(is_list)).collect();
    lists.dedup();
    if let [one, other, ..] = lists.as_slice() {
        let hint = "a list repeats its group, so each needs a group of its own".to_owned();
        return refuse(format!("`{one}` and `{other}` are two lists"), hint);
    }
    for (name, wanted) in template.equalities() {
        let Some(Parameter { kind: Kind::Text(Rules { values, .. }), .. }) = of(name) else {
            continue;
        };
        if !values.is_empty() && !values.iter().any(|value| value == wanted) {
            let hint = format!("its values are {}", values.join(", "));
            return refuse(format!("`{name}` is never `{wanted}`"), hint);
        }
    }
    Ok(())
}

/// The name of a file or folder, without a way to another one.
fn plain_name(text: &str, name: &Spanned<String>) -> Result<String, ConfigError> {
    let is_plain = |name: &str| !name.is_empty() && name != ".." && !name.contains(['/', '\\']);
    if is_plain(name.get_ref()) {
        return Ok(name.get_ref().clone());
    }
    let message = format!("`{}` is no plain name of a file", name.get_ref());
    let hint = "it is looked for in the working directory and above it, e.g. global.json";
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
                .map_err(|message| at(text, Some(when.span()), message, format!("see {PAGE}")))
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
        if let Some(taken) = set.keys().find(|name| parameters.iter().any(|it| it.name == **name)) {
            let message = format!("`{taken}` is what callers give");
            let hint = "what is decided needs a name of its own";
            return Err(at(text, Some(case.span()), message, hint));
        }
        let set = set.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Case { when: when.transpose()?.unwrap_or_default(), file, set })
    });
    Ok(Choice { cases: cases.collect::<Result<_, _>>()? })
}
