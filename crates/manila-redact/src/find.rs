//! The probes: functions that decide whether a secret is at a position.
//!
//! A probe examines one position and depends only on the text around it. Both engines use the same
//! probes and differ only in how they select the positions.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::boundary::{is_end, is_start, is_word};
use crate::edit::{Finding, Findings, Form};
use crate::rules::{Finds, N_RULES, RULES, Rule, Structure, Token};
use crate::selection::Selection;
use crate::value;

pub(crate) mod assignment;
pub(crate) mod block;
mod code;
mod command;
pub(crate) mod header;
mod jwt;
pub(crate) mod label;
mod lines;
mod name;
pub(crate) mod pairs;
mod runs;
mod separators;
mod url;

pub(crate) use runs::Runs;

/// The number of bytes that a pattern may examine.
const WINDOW: usize = 4 * 1024;

/// The scan of a text: its findings, and cached facts about the text.
pub(crate) struct Scan<'a> {
    text: &'a [u8],
    selection: &'a Selection,
    runs: Runs,
    pub(crate) findings: Findings,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a [u8], selection: &'a Selection) -> Scan<'a> {
        Scan { text, selection, runs: Runs::default(), findings: Findings::default() }
    }

    /// Applies rule `n` at `at`, where its literal of `len` bytes was found.
    pub(crate) fn probe(&mut self, n: usize, at: usize, len: usize) {
        let Some(rule) = RULES.get(n).filter(|_| self.selection.has(n)) else { return };
        match rule.finds() {
            Finds::Token(token) => {
                let (offset_min, offset_max) = token.literal_offset;
                for offset in offset_min..=offset_max {
                    if let Some(start) = at.checked_sub(offset) {
                        self.probe_token(n, token, start);
                    }
                }
            }
            // In a long run of labels, only the first one matters. A value without quotes after
            // `=`, inside another value without quotes, ends where that value ends, or before.
            Finds::Labelled(_)
                if matches!(self.text.get(at + len..), Some([b'=', first, second, ..])
                    if first.is_ascii_alphanumeric() && is_word(*second))
                    && self.findings.has_inside(&(at..at + len + 1), n) => {}
            Finds::Labelled(labelled) => {
                let findings = &self.findings;
                let is_inside = |range: &Range<usize>| findings.has_inside(range, n);
                let found = label::find(self.text, at, len, labelled, &mut self.runs, is_inside);
                if let Some((range, form)) = found {
                    self.add(n, range.start, range.end, form);
                    if let Some(changed) = code::find_new_value(self.text, range.end) {
                        self.add(n, changed.start, changed.end, Form::Plain);
                    }
                }
            }
            Finds::Structure(structure, _) => self.probe_structure(n, *structure, at, len),
        }
    }

    /// Adds the token that begins at `start`, if there is one.
    pub(crate) fn probe_token(&mut self, n: usize, token: &Token, start: usize) {
        let continues = |byte| token.letters.continues_after(byte);
        if !self.selection.has(n) || !is_start(self.text, start, continues) {
            return;
        }
        let Some(pattern) = compiled_pattern(n, token) else { return };
        let window_end = self.text.len().min(start + WINDOW);
        let window = self.text.get(start..window_end).unwrap_or_default();
        let (matched, secret) = if pattern.captures_len() > 1 {
            let Some(captures) = pattern.captures(window) else { return };
            let Some(matched) = captures.get(0) else { return };
            (matched, captures.get(1).unwrap_or(matched))
        } else {
            let Some(matched) = pattern.find(window) else { return };
            (matched, matched)
        };
        let is_complete = is_end(self.text, start + matched.end(), |byte| token.letters.has(byte));
        let secret_bytes = secret.as_bytes();
        if is_complete && !value::is_filler(secret_bytes) && !value::has_mark(secret_bytes) {
            self.add(n, start + secret.start(), start + secret.end(), Form::Plain);
        }
    }

    fn probe_structure(&mut self, n: usize, structure: Structure, at: usize, len: usize) {
        let text = self.text;
        let found = match structure {
            Structure::Url => url::find(text, at),
            Structure::Dsn => url::find_dsn_password(text, at),
            Structure::Authorization => {
                header::find_authorization(text, at, at + len, &mut self.runs)
            }
            Structure::Bearer => header::find_bearer(text, at, at + len),
            Structure::Cookie => header::find_cookie(text, at, at + len, &mut self.runs),
            Structure::Jwt => jwt::find(text, at),
            Structure::Command => {
                return command::find(text, at, len, |it| {
                    self.add(n, it.start, it.end, Form::Plain);
                });
            }
            Structure::PrivateKey => return self.add_lines(n, block::find_private_key(text, at)),
            Structure::Certificate => return self.add_lines(n, block::find_certificate(text, at)),
            Structure::EncodedBlock => {
                return self.add_lines(n, block::find_encoded_block(text, at));
            }
            Structure::PuttyKey => {
                return self.add_lines(n, block::find_putty_lines(text, at + len));
            }
        };
        if let Some(range) = found {
            self.add(n, range.start, range.end, Form::Plain);
        }
    }

    /// Adds a secret of several lines, which counts as one.
    fn add_lines(&mut self, n: usize, lines: Vec<Range<usize>>) {
        for (line, range) in lines.into_iter().enumerate() {
            let form = if line == 0 { Form::Plain } else { Form::Continued };
            self.add(n, range.start, range.end, form);
        }
    }

    /// Adds a finding of rule `n`, extended to whole characters, unless its value is allowed.
    pub(crate) fn add(&mut self, n: usize, start: usize, end: usize, form: Form) {
        let is_inside_char =
            |at: usize| self.text.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
        // A limit may have split a character.
        let (mut start, mut end) = (start, end);
        while start > 0 && is_inside_char(start) {
            start -= 1;
        }
        while is_inside_char(end) {
            end += 1;
        }
        let is_allowed =
            || self.text.get(start..end).is_some_and(|value| self.selection.allows(value));
        if start < end && !is_allowed() {
            let rank = u32::try_from(n).unwrap_or(u32::MAX);
            self.findings.add(Finding { start, end, rank, form });
        }
    }
}

/// Returns the pattern of rule `n`, which is compiled on first use.
fn compiled_pattern(n: usize, token: &Token) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; N_RULES] = [const { OnceLock::new() }; N_RULES];
    let compile = || {
        let anchored = format!("^(?:{})", token.pattern);
        // Without Unicode, a pattern compiles in a hundredth of the time. A test compiles all
        // patterns.
        RegexBuilder::new(&anchored).unicode(false).build().ok()
    };
    COMPILED.get(n)?.get_or_init(compile).as_ref()
}

/// Returns the literals of a rule. It is probed only where one of them occurs.
pub(crate) fn literals(rule: &Rule) -> Vec<Vec<u8>> {
    let plain = |texts: &[&str]| texts.iter().map(|it| it.as_bytes().to_vec()).collect();
    match rule.finds() {
        Finds::Token(token) => plain(token.starts),
        Finds::Structure(_, starts) => plain(starts),
        Finds::Labelled(labelled) => {
            let of_label = |label: &&'static str| {
                let label = *label;
                (0..label::N_SPELLINGS_MAX).filter_map(move |n| label::literal(label, n))
            };
            let spellings = labelled.labels.iter().flat_map(of_label);
            spellings.map(|(bytes, len)| bytes.get(..len).unwrap_or_default().to_vec()).collect()
        }
    }
}
