//! Finds secrets: the engines, with the rules that an operator wants.

use crate::again::until_nothing_more;
use crate::edit::{Edit, Finding, apply};
use crate::json::{self, Keys};
use crate::selection::{Options, Selection, UnusableRule};
use crate::{fast, naive};

/// Finds secrets.
#[derive(Debug, Clone)]
pub struct Redactor {
    selection: Selection,
}

static STANDARD: Redactor = Redactor { selection: Selection::STANDARD };

impl Redactor {
    /// All rules of the table, and nothing else.
    #[must_use]
    pub fn standard() -> &'static Redactor {
        &STANDARD
    }

    /// A redactor as an operator wants it.
    pub fn new(options: &Options) -> Result<Redactor, UnusableRule> {
        Ok(Redactor { selection: Selection::new(options)? })
    }

    /// Finds the secrets in a text. The edits are in order and do not overlap.
    #[must_use]
    pub fn text(&self, text: &[u8]) -> Vec<Edit> {
        let scan = |text: &[u8]| fast::scan(text, &self.selection);
        self.edits(until_nothing_more(text, scan(text), scan))
    }

    /// Returns a text without its secrets.
    #[must_use]
    pub fn hide_in_text(&self, text: String) -> String {
        let edits = self.text(text.as_bytes());
        if edits.is_empty() {
            return text;
        }
        String::from_utf8_lossy(&apply(text.as_bytes(), &edits)).into_owned()
    }

    /// Finds the secrets in JSON: as in the text of each string, and by the keys.
    ///
    /// What is no JSON is no error: whatever looks like a string is looked at.
    #[must_use]
    pub fn json(&self, json: &[u8]) -> Vec<Edit> {
        self.edits(json::fast(json, &self.selection, Keys::Any).settled())
    }

    /// As `json`, for messages of MCP: what the protocol itself uses is left alone, such as
    /// cursors, URIs and media.
    #[must_use]
    pub fn mcp(&self, json: &[u8]) -> Vec<Edit> {
        self.edits(json::fast(json, &self.selection, Keys::Mcp).settled())
    }

    /// As `text`, by trying every rule at every place: what `text` is held to.
    #[doc(hidden)]
    #[must_use]
    pub fn text_naively(&self, text: &[u8]) -> Vec<Edit> {
        let scan = |text: &[u8]| naive::scan(text, &self.selection);
        self.edits(until_nothing_more(text, scan(text), scan))
    }

    /// As `json`, by trying every rule at every place: what `json` is held to.
    #[doc(hidden)]
    #[must_use]
    pub fn json_naively(&self, json: &[u8]) -> Vec<Edit> {
        self.edits(json::naive(json, &self.selection, Keys::Any).settled())
    }

    fn edits(&self, settled: Vec<Finding>) -> Vec<Edit> {
        let edit = |it: Finding| Edit {
            range: it.start..it.end,
            rule: self.selection.name(it.rank),
            form: it.form,
        };
        settled.into_iter().map(edit).collect()
    }
}
