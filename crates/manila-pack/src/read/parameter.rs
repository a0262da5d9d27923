//! The parameters of a tool, and their rules.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use manila::{Invalid, RawJson};
use toml::Spanned;

use super::super::RESERVED_PARAMETERS;
use super::super::parameter::{Dash, Kind, Parameter, PathRules, TextRules};
use super::super::tables::{KindValue, ParameterTable};
use super::{check_name, expression};
use manila_files::{ConfigError, at};

pub(super) fn parameter(text: &str, table: &ParameterTable) -> Result<Parameter, ConfigError> {
    check_name(text, &table.name)?;
    if RESERVED_PARAMETERS.contains(&table.name.get_ref().as_str()) {
        let message = format!("`{}` is a parameter of every tool", table.name.get_ref());
        return Err(at(text, Some(table.name.span()), message, "give it another name"));
    }
    let kind = kind(text, table)?;
    let (name, about) = (table.name.get_ref().clone(), table.about.clone());
    let parameter = Parameter { name, about, kind, default: None };
    check_values(text, table, &parameter)?;
    let default = table.default.as_ref().map(|default| {
        let json = serde_json::to_string(default.get_ref()).unwrap_or_default();
        let refuse = |invalid: &Invalid| {
            let message = format!("{json} is not a valid default of `{}`", parameter.name);
            at(text, Some(default.span()), message, default_hint(&parameter, invalid))
        };
        let value = RawJson::parse(json.clone()).map_err(|_| refuse(&Invalid::default()))?;
        parameter.parse(&value, Dash::Refused).map_err(|invalid| refuse(&invalid))
    });
    Ok(Parameter { default: default.transpose()?, ..parameter })
}

/// Returns the rule that a default violates.
fn default_hint(parameter: &Parameter, invalid: &Invalid) -> String {
    let prefix = format!("Parameter '{}' ", parameter.name);
    let rule = invalid.message.as_ref().and_then(|message| message.strip_prefix(&prefix));
    match (invalid.allowed.as_slice(), rule) {
        ([], Some(rule)) => format!("the value {rule}"),
        ([], None) => "use a value that the parameter allows".to_owned(),
        (values, _) => format!("its values are {}", values.join(", ")),
    }
}

/// Checks that each of the parameter's `values` satisfies its other rules.
fn check_values(
    text: &str,
    table: &ParameterTable,
    parameter: &Parameter,
) -> Result<(), ConfigError> {
    let Some(values) = &table.values else { return Ok(()) };
    let refuse = |message: String, hint: &str| Err(at(text, Some(values.span()), message, hint));
    if values.get_ref().is_empty() {
        return refuse("`values` is empty".to_owned(), "list the values, or remove the key");
    }
    let mut seen = HashSet::new();
    for value in values.get_ref() {
        if !seen.insert(value) {
            return refuse(format!("`{value}` is listed twice"), "remove one of them");
        }
        if parameter.check_text(value, Dash::Refused).is_err() {
            let hint = "remove it: it is blank, begins with `-`, or violates another key";
            return refuse(format!("`{value}` can never be accepted"), hint);
        }
    }
    Ok(())
}

fn kind(text: &str, table: &ParameterTable) -> Result<Kind, ConfigError> {
    let ParameterTable { name, kind, values, except, pattern, characters, extensions, .. } = table;
    let is_text = matches!(kind, KindValue::String | KindValue::Strings);
    let is_path = matches!(kind, KindValue::Path | KindValue::Paths);
    let is_number = *kind == KindValue::Integer;
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
    let mut misplaced = misplaced.into_iter();
    if let Some((key, ..)) = misplaced.find(|(_, applies, is_set)| *is_set && !applies) {
        let message = format!("`{key}` does not apply to the type of `{}`", name.get_ref());
        return Err(at(text, Some(name.span()), message, "remove it, or change the type"));
    }
    let class = |it: &Spanned<String>| {
        if it.get_ref().is_empty() {
            let hint = "list the characters, or remove the key";
            return Err(at(text, Some(it.span()), "`characters` is empty", hint));
        }
        if has_bracket(it.get_ref()) {
            let message = format!("`{}` has an unescaped bracket", it.get_ref());
            return Err(at(text, Some(it.span()), message, "write `\\[` and `\\]`"));
        }
        expression(text, it, &format!("^[{}]*$", it.get_ref()))
    };
    let rules = || {
        let whole = |it: &Spanned<String>| expression(text, it, &format!("^(?:{})$", it.get_ref()));
        let list = |it: &Option<Spanned<Vec<String>>>| {
            it.as_ref().map(|it| it.get_ref().clone()).unwrap_or_default()
        };
        Ok(TextRules {
            values: list(values),
            except: list(except),
            pattern: pattern.as_ref().map(whole).transpose()?,
            characters: characters.as_ref().map(class).transpose()?,
        })
    };
    let paths = || {
        let characters = characters.as_ref().map(class).transpose()?;
        let (extensions, must_exist) = (extensions.clone(), table.must_exist);
        let relative_to = table.relative_to.as_ref().map(|it| it.get_ref().clone());
        Ok(PathRules { extensions, characters, must_exist, relative_to })
    };
    Ok(match kind {
        KindValue::String => Kind::Text(rules()?),
        KindValue::Strings => Kind::Texts(rules()?),
        KindValue::Path => Kind::Path(paths()?),
        KindValue::Paths => Kind::Paths(paths()?),
        KindValue::Integer => Kind::Number(range(text, table)?),
        KindValue::Boolean => Kind::Flag,
    })
}

/// Returns the numbers that an integer parameter allows.
fn range(text: &str, table: &ParameterTable) -> Result<RangeInclusive<i64>, ConfigError> {
    let min = table.minimum.unwrap_or(i64::MIN);
    let max = table.maximum.unwrap_or(i64::MAX);
    if min <= max {
        return Ok(min..=max);
    }
    let name = table.name.get_ref();
    let message = format!("`minimum` {min} of `{name}` is more than its `maximum` {max}");
    let hint = "reduce `minimum`, or increase `maximum`";
    Err(at(text, Some(table.name.span()), message, hint))
}

/// Returns whether there is a bracket without `\` before it, which would end or nest the character
/// class.
fn has_bracket(characters: &str) -> bool {
    let mut is_escaped = false;
    characters.chars().any(|it| {
        let is_bracket = !is_escaped && matches!(it, '[' | ']');
        is_escaped = !is_escaped && it == '\\';
        is_bracket
    })
}
