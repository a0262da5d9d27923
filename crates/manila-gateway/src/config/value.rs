//! Value parsers that several tables share: contracts, and keys that override a default.

use manila::Contract;
use manila_files::{ConfigError, at, read};
use toml::Spanned;

use crate::protocol::presentation::ResultFormat;

/// Replaces a default if the key is present.
pub(super) fn set<T>(
    text: &str,
    given: Option<&Spanned<String>>,
    place: &mut T,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<(), ConfigError> {
    if let Some(given) = given {
        *place = read(text, given, parse)?;
    }
    Ok(())
}

/// Parses the id of a contract.
pub(super) fn contract(text: &str, id: &Spanned<String>) -> Result<Contract, ConfigError> {
    Contract::from_id(id.get_ref()).map_err(|error| {
        let ids: Vec<&str> = Contract::ALL.into_iter().map(Contract::id).collect();
        at(text, Some(id.span()), error.to_string(), suggestion(id.get_ref(), &ids))
    })
}

/// Parses the id of a contract, or `none`.
pub(super) fn result_format(text: &str, id: &Spanned<String>) -> Result<ResultFormat, ConfigError> {
    ResultFormat::from_id(id.get_ref()).ok_or_else(|| {
        let message = format!("no contract is named `{}`", id.get_ref());
        at(
            text,
            Some(id.span()),
            message,
            suggestion(id.get_ref(), &ResultFormat::ids().collect::<Vec<_>>()),
        )
    })
}

fn suggestion(given: &str, ids: &[&str]) -> String {
    match manila::closest(given, ids.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("use one of {}", ids.join(", ")),
    }
}
