//! The redactor: the search engines together with the operator's selection of rules.

use crate::edit::{Edit, Finding, apply};
use crate::json::{self, ExemptMembers};
use crate::rescan::rescan_until_stable;
use crate::selection::{Options, OptionsError, Selection};
use crate::{fast, naive};

/// Finds secrets in text and JSON.
#[derive(Debug, Clone)]
pub struct Redactor {
    selection: Selection,
}

static STANDARD: Redactor = Redactor { selection: Selection::STANDARD };

impl Redactor {
    /// Returns the redactor with all built-in rules and no others.
    #[must_use]
    pub fn standard() -> &'static Redactor {
        &STANDARD
    }

    /// Creates a redactor with the operator's options.
    ///
    /// Fails if a rule to switch off is unknown, or if a rule name or a pattern is invalid.
    pub fn new(options: &Options) -> Result<Redactor, OptionsError> {
        Ok(Redactor { selection: Selection::new(options)? })
    }

    /// Finds the secrets in a text. The edits are sorted and do not overlap.
    #[must_use]
    pub fn text(&self, text: &[u8]) -> Vec<Edit> {
        let scan = |text: &[u8]| fast::scan(text, &self.selection);
        self.to_edits(rescan_until_stable(text, scan(text), scan))
    }

    /// Returns the text with its secrets redacted.
    #[must_use]
    pub fn redact_text(&self, text: String) -> String {
        let edits = self.text(text.as_bytes());
        if edits.is_empty() {
            return text;
        }
        String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
    }

    /// Finds the secrets in JSON: by the text of each string, and by the keys.
    ///
    /// Invalid JSON is not an error: every part that looks like a string is searched.
    #[must_use]
    pub fn json(&self, json: &[u8]) -> Vec<Edit> {
        self.to_edits(json::fast(json, &self.selection, ExemptMembers::None).into_merged())
    }

    /// Finds the secrets in an MCP message, as [`json`](Redactor::json) does.
    ///
    /// Members that the protocol itself uses are exempt, such as cursors, URIs and media.
    #[must_use]
    pub fn mcp(&self, json: &[u8]) -> Vec<Edit> {
        self.to_edits(json::fast(json, &self.selection, ExemptMembers::Mcp).into_merged())
    }

    /// Does the same as `text` by trying every rule at every position. Tests compare `text` with
    /// this.
    #[doc(hidden)]
    #[must_use]
    pub fn text_naively(&self, text: &[u8]) -> Vec<Edit> {
        let scan = |text: &[u8]| naive::scan(text, &self.selection);
        self.to_edits(rescan_until_stable(text, scan(text), scan))
    }

    /// Does the same as `json` by trying every rule at every position. Tests compare `json` with
    /// this.
    #[doc(hidden)]
    #[must_use]
    pub fn json_naively(&self, json: &[u8]) -> Vec<Edit> {
        self.to_edits(json::naive(json, &self.selection, ExemptMembers::None).into_merged())
    }

    fn to_edits(&self, findings: Vec<Finding>) -> Vec<Edit> {
        let edit = |it: Finding| Edit {
            range: it.start..it.end,
            rule: self.selection.name(it.rank),
            form: it.form,
        };
        findings.into_iter().map(edit).collect()
    }
}
