//! The parameters of `tools/call`.

use manila::{Code, JsonObject, RawJson, Violation};

use super::Refusal;

/// The parameters of `tools/call` that are looked at.
#[derive(Default)]
pub(super) struct Params {
    pub(super) name: Option<RawJson>,
    pub(super) arguments: Option<RawJson>,
    pub(super) meta: Option<RawJson>,
}

impl Params {
    pub(super) fn of(params: Option<&JsonObject>) -> Result<Params, Refusal> {
        let mut found = Params::default();
        for member in params.iter().flat_map(|params| params.members()) {
            let key = member.key();
            let place = match key.as_ref() {
                "name" => &mut found.name,
                "arguments" => &mut found.arguments,
                "_meta" => &mut found.meta,
                _ => continue,
            };
            if place.replace(member.value()).is_some() {
                // The server might take the other one than we check.
                return Err(wrong(
                    &format!("/params/{key}"),
                    "unique",
                    "is given twice".to_owned(),
                ));
            }
        }
        Ok(found)
    }
}

pub(super) fn wrong(pointer: &str, rule: &str, message: String) -> Refusal {
    let violation = Violation::new(pointer, rule, message);
    Refusal::new(Code::InvalidToolInput).violation(violation)
}
