//! The tables of a pack file, as serde reads them.

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
    pub(super) pass_env: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) probe: Option<ProbeTable>,
    #[serde(default)]
    pub(super) progress: Option<ProgressTable>,
    #[serde(default)]
    pub(super) diagnostic: Vec<Spanned<DiagnosticTable>>,
    #[serde(default)]
    pub(super) tool: Vec<ToolTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProbeTable {
    pub(super) arguments: Vec<String>,
    pub(super) version: Spanned<String>,
    #[serde(default)]
    pub(super) minimum: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProgressTable {
    pub(super) pattern: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiagnosticTable {
    #[serde(default)]
    pub(super) pattern: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) lines_with: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) json: Option<PointersTable>,
    #[serde(default)]
    pub(super) only: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) unless: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) otherwise: bool,
    #[serde(default)]
    pub(super) message: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) code: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) severity: Option<SeverityValue>,
    #[serde(default)]
    pub(super) category: CategoryValue,
    #[serde(default)]
    pub(super) hint: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) explanation: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) link: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) fixes: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointersTable {
    pub(super) message: Spanned<String>,
    #[serde(default)]
    pub(super) code: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) severity: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) file: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) line: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) column: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) raw: Option<Spanned<String>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeverityValue {
    Error,
    Warning,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum CategoryValue {
    Compilation,
    Build,
    Package,
    Runtime,
    #[default]
    Unknown,
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
    pub(super) kind: KindValue,
    #[serde(default)]
    pub(super) default: Option<Spanned<toml::Value>>,
    #[serde(default)]
    pub(super) values: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) except: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub(super) pattern: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) characters: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) extensions: Vec<String>,
    #[serde(default)]
    pub(super) must_exist: bool,
    #[serde(default)]
    pub(super) relative_to: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) minimum: Option<i64>,
    #[serde(default)]
    pub(super) maximum: Option<i64>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindValue {
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
    pub(super) exclusive: Vec<Vec<Spanned<String>>>,
    #[serde(default)]
    pub(super) good_exits: Vec<Spanned<i64>>,
    #[serde(default)]
    pub(super) effect: EffectValue,
    #[serde(default)]
    pub(super) target: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) minimum: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) needs: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) output: OutputValue,
    #[serde(default)]
    pub(super) choice: Vec<ChoiceTable>,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum EffectValue {
    #[default]
    Reads,
    Writes,
    Global,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum OutputValue {
    #[default]
    Stdout,
    Both,
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
    pub(super) file: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) pointer: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) equals: Option<String>,
    pub(super) set: BTreeMap<String, String>,
}
