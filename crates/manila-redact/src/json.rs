//! Secrets in JSON: in the text of each string, and by the keys of members.
//!
//! The JSON is not parsed. The raw bytes are searched for the literals of the rules, and only a
//! string that contains one is examined. A literal with an escaped character is found by its
//! escape.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::edit::{Finding, Findings, Form};
use crate::escapes::{RawOffsets, decode};
use crate::fast::{self, Hit};
use crate::find::label::{self, KeyLabel};
use crate::find::{Scan, header};
use crate::naive;
use crate::rescan::rescan_until_stable;
use crate::rules::{Demand, RULES};
use crate::selection::Selection;
use crate::value::{self, LEN_MIN, Quoting};

mod token;

use token::{Token, next_byte, skip_space};

/// The members that are exempt from redaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExemptMembers {
    /// No members: the values of any key are redacted.
    None,
    /// The members that MCP itself uses.
    Mcp,
}

/// Finds all matches of the rules in JSON.
pub(crate) fn fast(json: &[u8], selection: &Selection, keys: ExemptMembers) -> Findings {
    let mut search = Search::new(json, selection, keys, fast::scan);
    let mut open: Option<OpenString<'_>> = None;
    let mut searched_to = 0;
    fast::for_each_hit(json, |hit| {
        if let Some(open) = open.as_mut().filter(|it| it.token.inside.contains(&hit.at)) {
            open.probe(&hit);
            return;
        }
        if let Some(done) = open.take() {
            searched_to = done.token.inside.end + 1;
            search.finish(done);
        }
        let token = Token::around(json, searched_to, hit.at);
        if token.is_none() {
            // The text is not JSON. Looking further back each time would take quadratic time.
            searched_to = hit.at;
        }
        if let Some(token) = token {
            if token.has_escapes {
                // Secrets with escaped characters are found in the decoded text.
                let text = decode(token.text(json));
                let label = key_label_fast(&text, selection);
                search.add(&token, &text, fast::scan(&text, selection), label);
                open = Some(OpenString::new_done(token, selection));
            } else {
                let mut new = OpenString::new(token, json, selection);
                new.probe(&hit);
                open = Some(new);
            }
        }
    });
    if let Some(done) = open {
        search.finish(done);
    }
    if selection.has_extra() {
        search.scan_extra_rules();
    }
    search.findings
}

/// Finds the same matches by examining every string.
pub(crate) fn naive(json: &[u8], selection: &Selection, keys: ExemptMembers) -> Findings {
    let mut search = Search::new(json, selection, keys, naive::scan);
    let mut at = 0;
    while let Some(token) = Token::after(json, at) {
        at = token.inside.end + 1;
        let text = decode(token.text(json));
        let mut label = None;
        for n in (0..RULES.len()).filter(|n| selection.has(*n)) {
            naive::for_each_literal(&with_quote(&text), n, |at, len| {
                label = prefer(label, label::key_label(&text, n, at, len));
            });
        }
        search.add(&token, &text, naive::scan(&text, selection), label);
    }
    search.findings
}

/// Returns a key with its closing quote, which the literals of short labels include.
fn with_quote(text: &[u8]) -> Vec<u8> {
    [text, b"\""].concat()
}

/// Returns the label of a key, found with the fast engine.
fn key_label_fast(text: &[u8], selection: &Selection) -> Option<KeyLabel> {
    let mut label = None;
    fast::for_each_hit(&with_quote(text), |hit| {
        if selection.has(hit.rule) {
            label = prefer(label, label::key_label(text, hit.rule, hit.at, hit.len));
        }
    });
    label
}

/// Returns the label whose rule comes first.
fn prefer(known: Option<KeyLabel>, new: Option<KeyLabel>) -> Option<KeyLabel> {
    match (known, new) {
        (Some(a), Some(b)) => Some(if b.rule() < a.rule() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// The string in which the search currently finds literals.
struct OpenString<'a> {
    token: Token,
    scan: Scan<'a>,
    text: &'a [u8],
    selection: &'a Selection,
    label: Option<KeyLabel>,
    is_done: bool,
}

impl<'a> OpenString<'a> {
    fn new(token: Token, json: &'a [u8], selection: &'a Selection) -> OpenString<'a> {
        let text = json.get(token.inside.clone()).unwrap_or_default();
        let scan = Scan::new(text, selection);
        OpenString { token, scan, text, selection, label: None, is_done: false }
    }

    fn new_done(token: Token, selection: &'a Selection) -> OpenString<'a> {
        let scan = Scan::new(b"", selection);
        OpenString { token, scan, text: b"", selection, label: None, is_done: true }
    }

    /// Applies the rule of a literal in the string.
    fn probe(&mut self, hit: &Hit) {
        if self.is_done || !self.selection.has(hit.rule) {
            return;
        }
        let at = hit.at - self.token.inside.start;
        self.label = prefer(self.label, label::key_label(self.text, hit.rule, at, hit.len));
        // A literal that includes the closing quote can only belong to a key.
        if at + hit.len <= self.text.len() {
            self.scan.probe(hit.rule, at, hit.len);
        }
    }
}

/// A search in JSON, with its findings so far.
struct Search<'a> {
    json: &'a [u8],
    selection: &'a Selection,
    keys: ExemptMembers,
    /// The engine for the texts of strings.
    scan: fn(&[u8], &Selection) -> Findings,
    findings: Findings,
}

impl<'a> Search<'a> {
    fn new(
        json: &'a [u8],
        selection: &'a Selection,
        keys: ExemptMembers,
        scan: fn(&[u8], &Selection) -> Findings,
    ) -> Search<'a> {
        Search { json, selection, keys, scan, findings: Findings::default() }
    }

    fn finish(&mut self, open: OpenString<'_>) {
        if !open.is_done {
            self.add(&open.token, open.text, open.scan.findings, open.label);
        }
    }

    /// Adds the findings in the text of a string, and the value that its label identifies.
    fn add(&mut self, token: &Token, text: &[u8], findings: Findings, label: Option<KeyLabel>) {
        let is_exempt = || self.keys == ExemptMembers::Mcp && token.is_protocol(self.json);
        if !findings.is_empty() && !is_exempt() {
            let start = token.inside.start;
            let mut offsets = RawOffsets::new(token.text(self.json));
            let (selection, engine) = (self.selection, self.scan);
            let scan = |text: &[u8]| engine(text, selection);
            for it in rescan_until_stable(text, findings, scan) {
                let (from, to) = if token.has_escapes {
                    (offsets.raw_offset(it.start), offsets.raw_offset(it.end))
                } else {
                    (it.start, it.end)
                };
                let form = it.form.in_string();
                self.findings.add(Finding { start: start + from, end: start + to, form, ..it });
            }
        }
        let Some(label) = label else { return };
        match next_byte(self.json, token.inside.end + 1) {
            Some((b':', at)) => drop(self.scan_labelled(at, label, 0)),
            Some((b',', at)) => {
                if let Some(at) = token::named_value(self.json, token, at) {
                    self.scan_labelled(at, label, 0);
                }
            }
            _ => {}
        }
    }

    /// Searches the value at `at`, including the items of an array and the members of an object
    /// that are called `value`. Returns the end of the value.
    fn scan_labelled(&mut self, at: usize, label: KeyLabel, depth: usize) -> Option<usize> {
        const DEPTH_MAX: usize = 4;
        let at = skip_space(self.json, at);
        match self.json.get(at)? {
            b'[' if depth < DEPTH_MAX => {
                let mut at = at + 1;
                loop {
                    if let Some((b']', end)) = next_byte(self.json, at) {
                        return Some(end);
                    }
                    let end = self.scan_labelled(at, label, depth + 1)?;
                    match next_byte(self.json, end)? {
                        (b',', next) => at = next,
                        (b']', end) => return Some(end),
                        _ => return None,
                    }
                }
            }
            b'{' if depth < DEPTH_MAX => self.scan_labelled_members(at + 1, label, depth + 1),
            _ => self.scan_labelled_scalar(at, label),
        }
    }

    /// Searches the members that are called `value`. Stops at the first other member whose value is
    /// not a scalar.
    fn scan_labelled_members(&mut self, at: usize, label: KeyLabel, depth: usize) -> Option<usize> {
        let mut at = at;
        loop {
            let quote = skip_space(self.json, at);
            if self.json.get(quote) == Some(&b'}') {
                return Some(quote + 1);
            }
            let key =
                (self.json.get(quote) == Some(&b'"')).then(|| Token::at(self.json, quote))??;
            let (colon, value) = next_byte(self.json, key.inside.end + 1)?;
            let is_value = key.text(self.json).eq_ignore_ascii_case(b"value");
            let end = match colon {
                b':' if is_value => self.scan_labelled(value, label, depth)?,
                b':' => token::scalar_end(self.json, skip_space(self.json, value))?,
                _ => return None,
            };
            match next_byte(self.json, end)? {
                (b',', next) => at = next,
                (b'}', end) => return Some(end),
                _ => return None,
            }
        }
    }

    /// Searches a string or a number. Returns the end of any scalar.
    fn scan_labelled_scalar(&mut self, at: usize, label: KeyLabel) -> Option<usize> {
        let end = token::scalar_end(self.json, at)?;
        match self.json.get(at)? {
            b'"' => {
                let token = Token::at(self.json, at)?;
                self.scan_labelled_string(&token, label);
            }
            b'-' | b'0'..=b'9' => {
                let number = self.json.get(at..end)?;
                if let KeyLabel::Secret { demand: Demand::Anything, rule } = label
                    && number.len() >= LEN_MIN
                    && !self.selection.allows(number)
                {
                    self.push(at..end, rule, Form::Quoted { n_backslashes: 0 });
                }
            }
            _ => {}
        }
        Some(end)
    }

    fn scan_labelled_string(&mut self, token: &Token, label: KeyLabel) {
        let inside = token.text(self.json);
        let text =
            if token.has_escapes { Cow::Owned(decode(inside)) } else { Cow::Borrowed(inside) };
        let found = match label {
            KeyLabel::Secret { demand, .. } => {
                let is_secret = value::is_secret(&text, demand, Quoting::Quoted);
                is_secret.then_some(0..text.len())
            }
            KeyLabel::Authorization { .. } => header::find_credentials(&text),
            KeyLabel::Cookie { .. } => header::find_cookies(&text),
            KeyLabel::SetCookie { .. } => header::find_set_cookie(&text),
        };
        let Some(found) = found else { return };
        if text.get(found.clone()).is_some_and(|value| self.selection.allows(value)) {
            return;
        }
        let mut offsets = RawOffsets::new(inside);
        let start = token.inside.start + offsets.raw_offset(found.start);
        let end = token.inside.start + offsets.raw_offset(found.end);
        self.push(start..end, label.rule(), Form::Plain);
    }

    fn push(&mut self, range: Range<usize>, rule: usize, form: Form) {
        let rank = u32::try_from(rule).unwrap_or(u32::MAX);
        self.findings.add(Finding { start: range.start, end: range.end, rank, form });
    }

    /// Searches every string with the operator's own rules, which have no literals.
    fn scan_extra_rules(&mut self) {
        let mut at = 0;
        while let Some(token) = Token::after(self.json, at) {
            at = token.inside.end + 1;
            let mut findings = Findings::default();
            let text = if token.has_escapes {
                Cow::Owned(decode(token.text(self.json)))
            } else {
                Cow::Borrowed(token.text(self.json))
            };
            self.selection.add_extra(&text, &mut findings);
            self.add(&token, &text, findings, None);
        }
    }
}

/// Returns the position of the next quote or backslash.
fn find_quote_or_backslash(json: &[u8], at: usize) -> Option<usize> {
    memchr2(b'"', b'\\', json.get(at..)?).map(|found| at + found)
}
