//! The tables of a pack, as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackTable {
    pub(super) name: Spanned<String>,
    pub(super) about: String,
    pub(super) program: Spanned<String>,
    #[serde(default)]
    pub(super) missing: Option<MissingTable>,
    #[serde(default)]
    pub(super) platforms: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) tool: Vec<ToolTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MissingTable {
    pub(super) feature: String,
    #[serde(default)]
    pub(super) alternatives: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolTable {
    pub(super) name: Spanned<String>,
    pub(super) about: String,
    #[serde(default)]
    pub(super) parameter: Vec<ParameterTable>,
    #[serde(default)]
    pub(super) action: Vec<ActionTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterTable {
    pub(super) name: Spanned<String>,
    pub(super) about: String,
    #[serde(default, rename = "type")]
    pub(super) kind: KindWord,
    #[serde(default)]
    pub(super) default: Option<Spanned<toml::Value>>,
    #[serde(default)]
    pub(super) values: Vec<String>,
    #[serde(default)]
    pub(super) pattern: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) characters: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) extensions: Vec<String>,
    #[serde(default)]
    pub(super) must_exist: bool,
    #[serde(default)]
    pub(super) minimum: Option<i64>,
    #[serde(default)]
    pub(super) maximum: Option<i64>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindWord {
    #[default]
    String,
    Integer,
    Boolean,
    Path,
    Strings,
    Paths,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionTable {
    pub(super) name: Spanned<String>,
    pub(super) about: String,
    pub(super) arguments: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) required: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) effect: EffectWord,
    #[serde(default)]
    pub(super) target: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) choice: Vec<ChoiceTable>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffectWord {
    #[default]
    Reads,
    Writes,
    Global,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChoiceTable {
    pub(super) cases: Vec<Spanned<CaseTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseTable {
    #[serde(default)]
    pub(super) when: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) pointer: Option<String>,
    #[serde(default)]
    pub(super) equals: Option<String>,
    pub(super) set: BTreeMap<String, String>,
}
