//! The parameters of a tool, and what they must be like.

use std::collections::HashSet;

use manila::RawJson;
use toml::Spanned;

use super::super::OURS;
use super::super::parameter::{Dash, Kind, Parameter, PathRules, Rules};
use super::super::tables::{KindWord, ParameterTable};
use super::{expression, worded};
use manila_files::{ConfigError, at};

pub(super) fn parameter(text: &str, table: &ParameterTable) -> Result<Parameter, ConfigError> {
    worded(text, &table.name)?;
    if OURS.contains(&table.name.get_ref().as_str()) {
        let message = format!("`{}` is a parameter of every tool", table.name.get_ref());
        return Err(at(text, Some(table.name.span()), message, "give it another name"));
    }
    let kind = kind(text, table)?;
    let (name, about) = (table.name.get_ref().clone(), table.about.clone());
    let parameter = Parameter { name, about, kind, default: None };
    values_are_good(text, table, &parameter)?;
    let default = table.default.as_ref().map(|default| {
        let json = serde_json::to_string(default.get_ref()).unwrap_or_default();
        let json = RawJson::parse(json).ok();
        let value = json.and_then(|json| parameter.value(&json, Dash::Refused).ok());
        value.ok_or_else(|| {
            let message = format!("the default of `{}` breaks its own rules", parameter.name);
            at(text, Some(default.span()), message, "give a value that a caller may give")
        })
    });
    Ok(Parameter { default: default.transpose()?, ..parameter })
}

/// Every value that may be given can be.
fn values_are_good(
    text: &str,
    table: &ParameterTable,
    parameter: &Parameter,
) -> Result<(), ConfigError> {
    let Some(values) = &table.values else { return Ok(()) };
    let refuse = |message: String, hint: &str| Err(at(text, Some(values.span()), message, hint));
    if values.get_ref().is_empty() {
        return refuse("nothing may be given".to_owned(), "name the values, or leave it out");
    }
    let mut seen = HashSet::new();
    for value in values.get_ref() {
        if !seen.insert(value) {
            return refuse(format!("`{value}` is there twice"), "leave one of them out");
        }
        if parameter.text(value, Dash::Refused).is_err() {
            let hint =
                "no value begins with `-`, is blank, or breaks `except`, `pattern` or `characters`";
            return refuse(format!("`{value}` could never be given"), hint);
        }
    }
    Ok(())
}

fn kind(text: &str, table: &ParameterTable) -> Result<Kind, ConfigError> {
    let ParameterTable { name, kind, values, except, pattern, characters, extensions, .. } = table;
    let is_text = matches!(kind, KindWord::String | KindWord::Strings);
    let is_path = matches!(kind, KindWord::Path | KindWord::Paths);
    let is_number = *kind == KindWord::Integer;
    let misplaced = [
        ("values", is_text, values.is_some()),
        ("except", is_text, except.is_some()),
        ("pattern", is_text, pattern.is_some()),
        ("characters", is_text || is_path, characters.is_some()),
        ("extensions", is_path, !extensions.is_empty()),
        ("must_exist", is_path, table.must_exist),
        ("relative_to", is_path, table.relative_to.is_some()),
        ("minimum", is_number, table.minimum.is_some()),
        ("maximum", is_number, table.maximum.is_some()),
    ];
    if let Some((key, ..)) = misplaced.into_iter().find(|(_, fits, is_there)| *is_there && !fits) {
        let message = format!("`{key}` means nothing for the type of `{}`", name.get_ref());
        return Err(at(text, Some(name.span()), message, "leave it out, or give another type"));
    }
    let each = |it: &Spanned<String>| {
        if it.get_ref().is_empty() {
            let message = "no character is allowed";
            return Err(at(text, Some(it.span()), message, "name some, or leave it out"));
        }
        if has_bracket(it.get_ref()) {
            let message = format!("`{}` has a bracket", it.get_ref());
            return Err(at(text, Some(it.span()), message, "write `\\[` and `\\]`"));
        }
        expression(text, it, &format!("^[{}]*$", it.get_ref()))
    };
    let rules = || {
        let whole = |it: &Spanned<String>| expression(text, it, &format!("^(?:{})$", it.get_ref()));
        let listed = |it: &Option<Spanned<Vec<String>>>| {
            it.as_ref().map(|it| it.get_ref().clone()).unwrap_or_default()
        };
        Ok(Rules {
            values: listed(values),
            except: listed(except),
            pattern: pattern.as_ref().map(whole).transpose()?,
            characters: characters.as_ref().map(each).transpose()?,
        })
    };
    let paths = || {
        let characters = characters.as_ref().map(each).transpose()?;
        let (extensions, must_exist) = (extensions.clone(), table.must_exist);
        let relative_to = table.relative_to.as_ref().map(|it| it.get_ref().clone());
        Ok(PathRules { extensions, characters, must_exist, relative_to })
    };
    Ok(match kind {
        KindWord::String => Kind::Text(rules()?),
        KindWord::Strings => Kind::Texts(rules()?),
        KindWord::Path => Kind::Path(paths()?),
        KindWord::Paths => Kind::Paths(paths()?),
        KindWord::Integer => {
            let (least, most) = (table.minimum, table.maximum);
            let range = least.unwrap_or(i64::MIN)..=most.unwrap_or(i64::MAX);
            if range.is_empty() {
                let message = format!("no number is allowed for `{}`", name.get_ref());
                let hint = "`minimum` must not be more than `maximum`";
                return Err(at(text, Some(name.span()), message, hint));
            }
            Kind::Number(range)
        }
        KindWord::Boolean => Kind::Flag,
    })
}

/// Whether there is a bracket without `\` before it: what follows would be no character of a class.
fn has_bracket(characters: &str) -> bool {
    let mut is_escaped = false;
    characters.chars().any(|letter| {
        let is_bracket = !is_escaped && matches!(letter, '[' | ']');
        is_escaped = !is_escaped && letter == '\\';
        is_bracket
    })
}
