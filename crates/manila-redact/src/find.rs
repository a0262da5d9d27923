//! The probes: what stands at a place where something may stand.
//!
//! A probe is asked about one place, and answers from the text around it alone. Both engines
//! ask the same probes; they differ in how they come to the places.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use crate::boundary::{is_end, is_start, is_word};
use crate::edit::{Finding, Findings, Form};
use crate::rules::{Finds, N_RULES, RULES, Rule, Structure, Token};
use crate::selection::Selection;
use crate::value;

pub(crate) mod assignment;
mod between;
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
mod url;

pub(crate) use runs::Runs;

/// How far a pattern may look.
const WINDOW: usize = 4 * 1024;

/// A text, and what was learned about it on the way.
pub(crate) struct Probed<'a> {
    text: &'a [u8],
    selection: &'a Selection,
    runs: Runs,
    pub(crate) findings: Findings,
}

impl<'a> Probed<'a> {
    pub(crate) fn new(text: &'a [u8], selection: &'a Selection) -> Probed<'a> {
        Probed { text, selection, runs: Runs::default(), findings: Findings::default() }
    }

    /// Asks rule `n` about the place `at`, where its literal of `len` bytes was found.
    pub(crate) fn probe(&mut self, n: usize, at: usize, len: usize) {
        let Some(rule) = RULES.get(n).filter(|_| self.selection.has(n)) else { return };
        match rule.finds() {
            Finds::Token(token) => {
                let (least, most) = token.inside;
                for before in least..=most {
                    if let Some(start) = at.checked_sub(before) {
                        self.token(n, token, start);
                    }
                }
            }
            // In one long run of labels all but the first would be found in vain: what is assigned
            // by `=`, without quotes, inside of a value without quotes ends where that value ends,
            // or before.
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
                    if let Some(changed) = code::changed_to(self.text, range.end) {
                        self.add(n, changed.start, changed.end, Form::Plain);
                    }
                }
            }
            Finds::Structure(structure, _) => self.structure(n, *structure, at, len),
        }
    }

    /// Asks whether a token begins at `start`.
    pub(crate) fn token(&mut self, n: usize, token: &Token, start: usize) {
        let goes_on = |byte| token.letters.goes_on_after(byte);
        if !self.selection.has(n) || !is_start(self.text, start, goes_on) {
            return;
        }
        let Some(pattern) = compiled(n, token) else { return };
        let window_end = self.text.len().min(start + WINDOW);
        let window = self.text.get(start..window_end).unwrap_or_default();
        let (whole, secret) = if pattern.captures_len() > 1 {
            let Some(captures) = pattern.captures(window) else { return };
            let Some(whole) = captures.get(0) else { return };
            (whole, captures.get(1).unwrap_or(whole))
        } else {
            let Some(whole) = pattern.find(window) else { return };
            (whole, whole)
        };
        let is_whole = is_end(self.text, start + whole.end(), |byte| token.letters.has(byte));
        if is_whole
            && !value::is_filled_up(secret.as_bytes())
            && !value::has_mark(secret.as_bytes())
        {
            self.add(n, start + secret.start(), start + secret.end(), Form::Plain);
        }
    }

    fn structure(&mut self, n: usize, structure: Structure, at: usize, len: usize) {
        let text = self.text;
        let found = match structure {
            Structure::Url => url::find(text, at),
            Structure::Dsn => url::before_address(text, at),
            Structure::Authorization => header::authorization(text, at, at + len, &mut self.runs),
            Structure::Bearer => header::bearer(text, at, at + len),
            Structure::Cookie => header::cookie(text, at, at + len, &mut self.runs),
            Structure::Jwt => jwt::find(text, at),
            Structure::Command => {
                return command::find(text, at, len, |it| {
                    self.add(n, it.start, it.end, Form::Plain);
                });
            }
            Structure::PrivateKey => return self.lines(n, block::private_key(text, at)),
            Structure::Certificate => return self.lines(n, block::certificate(text, at)),
            Structure::EncodedBlock => return self.lines(n, block::encoded(text, at)),
            Structure::PuttyKey => return self.lines(n, block::putty(text, at + len)),
        };
        if let Some(range) = found {
            self.add(n, range.start, range.end, Form::Plain);
        }
    }

    /// Adds a secret of several lines, which counts as one.
    fn lines(&mut self, n: usize, lines: Vec<Range<usize>>) {
        for (line, range) in lines.into_iter().enumerate() {
            let form = if line == 0 { Form::Plain } else { Form::Continued };
            self.add(n, range.start, range.end, form);
        }
    }

    pub(crate) fn add(&mut self, n: usize, start: usize, end: usize, form: Form) {
        let is_inside =
            |at: usize| self.text.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
        // A limit may have cut a character in two.
        let (mut start, mut end) = (start, end);
        while start > 0 && is_inside(start) {
            start -= 1;
        }
        while is_inside(end) {
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

/// The pattern of rule `n`, compiled when the first place is found where it may match.
fn compiled(n: usize, token: &Token) -> Option<&'static Regex> {
    static COMPILED: [OnceLock<Option<Regex>>; N_RULES] = [const { OnceLock::new() }; N_RULES];
    let compile = || {
        let anchored = format!("^(?:{})", token.pattern);
        // Without Unicode a pattern compiles in a hundredth of the time. A test compiles all.
        RegexBuilder::new(&anchored).unicode(false).build().ok()
    };
    COMPILED.get(n)?.get_or_init(compile).as_ref()
}

/// The literals at which a rule's findings begin.
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
            let spelled = labelled.labels.iter().flat_map(of_label);
            spelled.map(|(bytes, len)| bytes.get(..len).unwrap_or_default().to_vec()).collect()
        }
    }
}
