//! Values that several tables have: contracts, and defaults that a key replaces.

use manila::Contract;
use manila_files::{ConfigError, at, read};
use toml::Spanned;

use crate::protocol::presentation::Shape;

/// Replaces a default if the key is there.
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
        at(text, Some(id.span()), error.to_string(), meant(id.get_ref(), &ids))
    })
}

/// Parses the id of a contract, or `none`.
pub(super) fn shape(text: &str, id: &Spanned<String>) -> Result<Shape, ConfigError> {
    Shape::from_id(id.get_ref()).ok_or_else(|| {
        let message = format!("there is no contract `{}`", id.get_ref());
        at(text, Some(id.span()), message, meant(id.get_ref(), &Shape::ids().collect::<Vec<_>>()))
    })
}

fn meant(given: &str, ids: &[&str]) -> String {
    match manila::closest(given, ids.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("it is one of {}", ids.join(", ")),
    }
}
