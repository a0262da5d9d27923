//! From the tables of a pack to the pack, with the place of whatever is wrong.

use std::collections::HashSet;

use manila::closest;
use regex::Regex;
use toml::Spanned;

use super::parameter::{Kind, Parameter, PathRules, Rules};
use super::tables::{
    ActionTable, CaseTable, ChoiceTable, EffectWord, KindWord, PackTable, ParameterTable, ToolTable,
};
use super::template::{Condition, Template};
use super::{Action, Case, Choice, Effect, OURS, Pack, PackTool};
use crate::config::{ConfigError, at, not_read, read as read_value, values};
use crate::run::Missing;

/// The systems that a pack may name.
const PLATFORMS: [&str; 3] = ["linux", "macos", "windows"];

pub(super) fn pack(text: &str) -> Result<Pack, ConfigError> {
    let table: PackTable = toml::from_str(text).map_err(|error| not_read(text, &error))?;
    let PackTable { name, about, program, missing, platforms, tool } = table;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.get_ref().is_empty() || !name.get_ref().bytes().all(is_name) {
        let message = format!("`{}` cannot be the name of a pack", name.get_ref());
        let hint = "use letters, digits and `-`: its tools are named NAME_TOOL";
        return Err(at(text, Some(name.span()), message, hint));
    }
    if program.get_ref().trim().is_empty() {
        let hint = "give its name, as it is found on the PATH";
        return Err(at(text, Some(program.span()), "the program is empty", hint));
    }
    if let Some(wrong) = platforms.iter().find(|it| !PLATFORMS.contains(&it.get_ref().as_str())) {
        let message = format!("there is no system `{}`", wrong.get_ref());
        return Err(at(text, Some(wrong.span()), message, "linux, macos and windows are known"));
    }
    distinct(text, "tool", tool.iter().map(|tool| &tool.name))?;
    if tool.is_empty() {
        return Err(at(text, Some(name.span()), "the pack has no tool", "add a [[tool]]"));
    }
    Ok(Pack {
        name: name.into_inner(),
        about,
        program: program.into_inner(),
        missing: missing.map(|it| Missing { feature: it.feature, alternatives: it.alternatives }),
        platforms: platforms.into_iter().map(Spanned::into_inner).collect(),
        tools: tool.into_iter().map(|it| self::tool(text, it)).collect::<Result<_, _>>()?,
    })
}

fn tool(text: &str, table: ToolTable) -> Result<PackTool, ConfigError> {
    let ToolTable { name, about, parameter, action } = table;
    worded(text, &name)?;
    distinct(text, "parameter", parameter.iter().map(|it| &it.name))?;
    distinct(text, "action", action.iter().map(|it| &it.name))?;
    if action.is_empty() {
        let hint = "add a [[tool.action]]";
        return Err(at(
            text,
            Some(name.span()),
            format!("`{}` can do nothing", name.get_ref()),
            hint,
        ));
    }
    let parameters: Vec<Parameter> =
        parameter.into_iter().map(|it| self::parameter(text, it)).collect::<Result<_, _>>()?;
    let actions: Vec<Action> = action
        .into_iter()
        .map(|it| self::action(text, it, &parameters))
        .collect::<Result<_, _>>()?;
    let tool = PackTool { name: name.get_ref().clone(), about, parameters, actions };
    let is_used = |it: &&Parameter| {
        tool.actions.iter().any(|action| action.names().contains(&it.name.as_str()))
    };
    if let Some(unused) = tool.parameters.iter().find(|it| !is_used(it)) {
        let message = format!("no action of `{}` uses the parameter `{}`", tool.name, unused.name);
        return Err(at(text, Some(name.span()), message, "use it in `arguments`, or leave it out"));
    }
    Ok(tool)
}

fn parameter(text: &str, table: ParameterTable) -> Result<Parameter, ConfigError> {
    worded(text, &table.name)?;
    if OURS.contains(&table.name.get_ref().as_str()) {
        let message = format!("`{}` is a parameter of every tool", table.name.get_ref());
        return Err(at(text, Some(table.name.span()), message, "give it another name"));
    }
    let kind = kind(text, &table)?;
    let parameter =
        Parameter { name: table.name.get_ref().clone(), about: table.about, kind, default: None };
    let default = table.default.as_ref().map(|default| {
        let json = serde_json::to_string(default.get_ref()).unwrap_or_default();
        let json = manila::RawJson::parse(json).ok();
        let value = json.and_then(|json| parameter.value(&json).ok());
        value.ok_or_else(|| {
            let message = format!("the default of `{}` breaks its own rules", parameter.name);
            at(text, Some(default.span()), message, "give a value that a caller may give")
        })
    });
    Ok(Parameter { default: default.transpose()?, ..parameter })
}

fn kind(text: &str, table: &ParameterTable) -> Result<Kind, ConfigError> {
    let ParameterTable { name, kind, values, pattern, characters, extensions, .. } = table;
    let is_text = matches!(kind, KindWord::String | KindWord::Strings);
    let is_path = matches!(kind, KindWord::Path | KindWord::Paths);
    let is_number = *kind == KindWord::Integer;
    let misplaced = [
        ("values", is_text, !values.is_empty()),
        ("pattern", is_text, pattern.is_some()),
        ("characters", is_text, characters.is_some()),
        ("extensions", is_path, !extensions.is_empty()),
        ("must_exist", is_path, table.must_exist),
        ("minimum", is_number, table.minimum.is_some()),
        ("maximum", is_number, table.maximum.is_some()),
    ];
    if let Some((key, ..)) = misplaced.into_iter().find(|(_, fits, is_there)| *is_there && !fits) {
        let message = format!("`{key}` means nothing for the type of `{}`", name.get_ref());
        return Err(at(text, Some(name.span()), message, "leave it out, or give another type"));
    }
    let rules = || {
        let whole = |it: &Spanned<String>| expression(text, it, &format!("^(?:{})$", it.get_ref()));
        let each = |it: &Spanned<String>| expression(text, it, &format!("^[{}]*$", it.get_ref()));
        Ok(Rules {
            values: values.clone(),
            pattern: pattern.as_ref().map(whole).transpose()?,
            characters: characters.as_ref().map(each).transpose()?,
        })
    };
    let paths = || PathRules { extensions: extensions.clone(), must_exist: table.must_exist };
    Ok(match kind {
        KindWord::String => Kind::Text(rules()?),
        KindWord::Strings => Kind::Texts(rules()?),
        KindWord::Path => Kind::Path(paths()),
        KindWord::Paths => Kind::Paths(paths()),
        KindWord::Integer => {
            let (least, most) = (table.minimum, table.maximum);
            Kind::Number(least.unwrap_or(i64::MIN)..=most.unwrap_or(i64::MAX))
        }
        KindWord::Boolean => Kind::Flag,
    })
}

fn action(text: &str, table: ActionTable, parameters: &[Parameter]) -> Result<Action, ConfigError> {
    let ActionTable { name, about, arguments, required, effect, target, timeout, choice } = table;
    let is_pascal = name.get_ref().starts_with(|first: char| first.is_ascii_uppercase())
        && name.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_pascal {
        let message = format!("`{}` cannot be the name of an action", name.get_ref());
        return Err(at(text, Some(name.span()), message, "use PascalCase, e.g. MigrationsAdd"));
    }
    let choices: Vec<Choice> =
        choice.into_iter().map(|it| self::choice(text, it)).collect::<Result<_, _>>()?;
    let decided = choices.iter().flat_map(|it| &it.cases).flat_map(|it| &it.set);
    let mut known: Vec<&str> = decided.map(|(name, _)| name.as_str()).collect();
    known.extend(parameters.iter().map(|parameter| parameter.name.as_str()));
    for group in &arguments {
        let names = Template::new([group.get_ref().as_str()])
            .map_err(|message| at(text, Some(group.span()), message, "see docs/packs.md"))?;
        names.names().try_for_each(|name| is_known(text, group, name, &known))?;
    }
    let mut by_name = required.iter().chain(&target);
    by_name.try_for_each(|name| is_known(text, name, name.get_ref(), &known))?;
    let effect = match (effect, target) {
        (EffectWord::Writes, target) => Effect::Writes(target.map(Spanned::into_inner)),
        (EffectWord::Reads, None) => Effect::Reads,
        (EffectWord::Global, None) => Effect::Global,
        (EffectWord::Reads | EffectWord::Global, Some(target)) => {
            let hint = "set effect = \"writes\", or leave it out";
            let message = "only an action that writes has a `target`";
            return Err(at(text, Some(target.span()), message, hint));
        }
    };
    let timeout = timeout.as_ref().map(|it| read_value(text, it, values::duration));
    let template = Template::new(arguments.iter().map(|group| group.get_ref().as_str()))
        .map_err(|message| at(text, Some(name.span()), message, "see docs/packs.md"))?;
    Ok(Action {
        name: name.into_inner(),
        about,
        required: required.into_iter().map(Spanned::into_inner).collect(),
        effect,
        timeout: timeout.transpose()?,
        choices,
        template,
    })
}

fn choice(text: &str, table: ChoiceTable) -> Result<Choice, ConfigError> {
    let cases = table.cases.into_iter().map(|case| {
        let span = case.span();
        let CaseTable { when, file, pointer, equals, set } = case.into_inner();
        let when = when.map(|when| {
            Condition::all(when.get_ref())
                .map_err(|message| at(text, Some(when.span()), message, "see docs/packs.md"))
        });
        let file = match (file, pointer, equals) {
            (Some(file), Some(pointer), Some(equals)) => Some((file, pointer, equals)),
            (None, None, None) => None,
            (_, _, _) => {
                let message = "`file`, `pointer` and `equals` belong together";
                return Err(at(text, Some(span), message, "give all three, or none"));
            }
        };
        Ok(Case {
            when: when.transpose()?.unwrap_or_default(),
            file,
            set: set.into_iter().collect(),
        })
    });
    Ok(Choice { cases: cases.collect::<Result<_, _>>()? })
}

fn is_known(
    text: &str,
    place: &Spanned<String>,
    name: &str,
    known: &[&str],
) -> Result<(), ConfigError> {
    if known.contains(&name) {
        return Ok(());
    }
    let hint = match closest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "declare it as a [[tool.parameter]]".to_owned(),
    };
    Err(at(text, Some(place.span()), format!("there is no parameter `{name}`"), hint))
}

fn worded(text: &str, name: &Spanned<String>) -> Result<(), ConfigError> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !name.get_ref().is_empty() && name.get_ref().bytes().all(is_good) {
        return Ok(());
    }
    let message = format!("`{}` cannot be a name here", name.get_ref());
    Err(at(text, Some(name.span()), message, "use letters, digits and `_`"))
}

fn distinct<'a>(
    text: &str,
    what: &str,
    names: impl Iterator<Item = &'a Spanned<String>>,
) -> Result<(), ConfigError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name.get_ref()) {
            let message = format!("there are two of the {what} `{}`", name.get_ref());
            return Err(at(text, Some(name.span()), message, "rename one of them"));
        }
    }
    Ok(())
}

fn expression(text: &str, place: &Spanned<String>, whole: &str) -> Result<Regex, ConfigError> {
    const BYTES_MAX: usize = 1024 * 1024;
    let built = regex::RegexBuilder::new(whole).size_limit(BYTES_MAX).build();
    built.map_err(|error| {
        let why = error.to_string();
        let why = why.lines().last().unwrap_or_default().to_owned();
        let message = format!("`{}` is no regular expression", place.get_ref());
        at(text, Some(place.span()), message, why)
    })
}
