//! Secrets in JSON: in the text of each string, and by the keys of members.
//!
//! Nothing is parsed. The literals of the rules are looked for in the bytes as they are; only a
//! string in which one stands is looked at closely. A letter that is hidden behind an escape is
//! found by the escape.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::again::until_nothing_more;
use crate::edit::{Finding, Findings, Form};
use crate::escapes::{Places, decode};
use crate::fast::{self, Hit};
use crate::find::label::{self, KeyLabel};
use crate::find::{Probed, header};
use crate::naive;
use crate::rules::{Demand, RULES};
use crate::selection::Selection;
use crate::value::{self, LEN_MIN, Quoting};

mod token;

use token::{Token, after, skip_space};

/// Which members are left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// None.
    Any,
    /// Those that MCP itself uses.
    Mcp,
}

/// Finds what the rules find in JSON.
pub(crate) fn fast(json: &[u8], selection: &Selection, keys: Keys) -> Findings {
    let mut search = Search::new(json, selection, keys, fast::scan);
    let mut open: Option<Open<'_>> = None;
    let mut searched_to = 0;
    fast::hits(json, |hit| {
        if let Some(open) = open.as_mut().filter(|it| it.token.inside.contains(&hit.at)) {
            open.take(&hit);
            return;
        }
        if let Some(done) = open.take() {
            searched_to = done.token.inside.end + 1;
            search.finish(done);
        }
        let token = Token::around(json, searched_to, hit.at);
        if token.is_none() {
            // It is no JSON. To look back further each time would take its square.
            searched_to = hit.at;
        }
        if let Some(token) = token {
            if token.has_escapes {
                // What is hidden behind escapes is found in the text itself.
                let text = decode(token.text(json));
                let label = key_label_fast(&text, selection);
                search.add(&token, &text, fast::scan(&text, selection), label);
                open = Some(Open::done(token, selection));
            } else {
                let mut new = Open::new(token, json, selection);
                new.take(&hit);
                open = Some(new);
            }
        }
    });
    if let Some(done) = open {
        search.finish(done);
    }
    if selection.has_extra() {
        search.extra();
    }
    search.findings
}

/// Finds the same by looking at every string.
pub(crate) fn naive(json: &[u8], selection: &Selection, keys: Keys) -> Findings {
    let mut search = Search::new(json, selection, keys, naive::scan);
    let mut at = 0;
    while let Some(token) = Token::after(json, at) {
        at = token.inside.end + 1;
        let text = decode(token.text(json));
        let mut label = None;
        for n in (0..RULES.len()).filter(|n| selection.has(*n)) {
            naive::places(&with_quote(&text), n, |at, len| {
                label = better(label, label::of_key(&text, n, at, len));
            });
        }
        search.add(&token, &text, naive::scan(&text, selection), label);
    }
    search.findings
}

/// A key with its quote: the literals of short labels have it.
fn with_quote(text: &[u8]) -> Vec<u8> {
    [text, b"\""].concat()
}

fn key_label_fast(text: &[u8], selection: &Selection) -> Option<KeyLabel> {
    let mut label = None;
    fast::hits(&with_quote(text), |hit| {
        if selection.has(hit.rule) {
            label = better(label, label::of_key(text, hit.rule, hit.at, hit.len));
        }
    });
    label
}

/// Of two labels, the one whose rule comes first.
fn better(known: Option<KeyLabel>, new: Option<KeyLabel>) -> Option<KeyLabel> {
    match (known, new) {
        (Some(a), Some(b)) => Some(if b.rule() < a.rule() { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// A string in which literals are found.
struct Open<'a> {
    token: Token,
    probed: Probed<'a>,
    text: &'a [u8],
    selection: &'a Selection,
    label: Option<KeyLabel>,
    is_done: bool,
}

impl<'a> Open<'a> {
    fn new(token: Token, json: &'a [u8], selection: &'a Selection) -> Open<'a> {
        let text = json.get(token.inside.clone()).unwrap_or_default();
        let probed = Probed::new(text, selection);
        Open { token, probed, text, selection, label: None, is_done: false }
    }

    fn done(token: Token, selection: &'a Selection) -> Open<'a> {
        let probed = Probed::new(b"", selection);
        Open { token, probed, text: b"", selection, label: None, is_done: true }
    }

    fn take(&mut self, hit: &Hit) {
        if self.is_done || !self.selection.has(hit.rule) {
            return;
        }
        let at = hit.at - self.token.inside.start;
        self.label = better(self.label, label::of_key(self.text, hit.rule, at, hit.len));
        // A literal that needs the quote after the string is a key's.
        if at + hit.len <= self.text.len() {
            self.probed.probe(hit.rule, at, hit.len);
        }
    }
}

/// What is found so far.
struct Search<'a> {
    json: &'a [u8],
    selection: &'a Selection,
    keys: Keys,
    /// The engine.
    scan: fn(&[u8], &Selection) -> Findings,
    findings: Findings,
}

impl<'a> Search<'a> {
    fn new(
        json: &'a [u8],
        selection: &'a Selection,
        keys: Keys,
        scan: fn(&[u8], &Selection) -> Findings,
    ) -> Search<'a> {
        Search { json, selection, keys, scan, findings: Findings::default() }
    }

    fn finish(&mut self, open: Open<'_>) {
        if !open.is_done {
            self.add(&open.token, open.text, open.probed.findings, open.label);
        }
    }

    /// Adds what was found in the text of a string, and what its label says.
    fn add(&mut self, token: &Token, text: &[u8], findings: Findings, label: Option<KeyLabel>) {
        let is_left_alone = || self.keys == Keys::Mcp && token.is_protocol(self.json);
        if !findings.is_empty() && !is_left_alone() {
            let start = token.inside.start;
            let mut places = Places::new(token.text(self.json));
            let (selection, engine) = (self.selection, self.scan);
            let scan = |text: &[u8]| engine(text, selection);
            for it in until_nothing_more(text, findings, scan) {
                let (from, to) = if token.has_escapes {
                    (places.of(it.start), places.of(it.end))
                } else {
                    (it.start, it.end)
                };
                let form = it.form.in_string();
                self.findings.add(Finding { start: start + from, end: start + to, form, ..it });
            }
        }
        let Some(label) = label else { return };
        match after(self.json, token.inside.end + 1) {
            Some((b':', at)) => drop(self.labelled(at, label, 0)),
            Some((b',', at)) => {
                if let Some(at) = token::named_value(self.json, token, at) {
                    self.labelled(at, label, 0);
                }
            }
            _ => {}
        }
    }

    /// Looks at the value that begins at `at`, at the items of an array, and at the members of an
    /// object that are called `value`, and gives its end.
    fn labelled(&mut self, at: usize, label: KeyLabel, depth: usize) -> Option<usize> {
        const DEPTH_MAX: usize = 4;
        let at = skip_space(self.json, at);
        match self.json.get(at)? {
            b'[' if depth < DEPTH_MAX => {
                let mut at = at + 1;
                loop {
                    if let Some((b']', end)) = after(self.json, at) {
                        return Some(end);
                    }
                    let end = self.labelled(at, label, depth + 1)?;
                    match after(self.json, end)? {
                        (b',', next) => at = next,
                        (b']', end) => return Some(end),
                        _ => return None,
                    }
                }
            }
            b'{' if depth < DEPTH_MAX => self.labelled_members(at + 1, label, depth + 1),
            _ => self.labelled_scalar(at, label),
        }
    }

    /// Looks at the members that are called `value`. Ends at the first that is neither that nor a
    /// scalar.
    fn labelled_members(&mut self, at: usize, label: KeyLabel, depth: usize) -> Option<usize> {
        let mut at = at;
        loop {
            let quote = skip_space(self.json, at);
            if self.json.get(quote) == Some(&b'}') {
                return Some(quote + 1);
            }
            let key =
                (self.json.get(quote) == Some(&b'"')).then(|| Token::at(self.json, quote))??;
            let (colon, value) = after(self.json, key.inside.end + 1)?;
            let is_value = key.text(self.json).eq_ignore_ascii_case(b"value");
            let end = match colon {
                b':' if is_value => self.labelled(value, label, depth)?,
                b':' => token::scalar_end(self.json, skip_space(self.json, value))?,
                _ => return None,
            };
            match after(self.json, end)? {
                (b',', next) => at = next,
                (b'}', end) => return Some(end),
                _ => return None,
            }
        }
    }

    /// Looks at a string or a number, and gives the end of any scalar.
    fn labelled_scalar(&mut self, at: usize, label: KeyLabel) -> Option<usize> {
        let end = token::scalar_end(self.json, at)?;
        match self.json.get(at)? {
            b'"' => {
                let token = Token::at(self.json, at)?;
                self.labelled_string(&token, label);
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

    fn labelled_string(&mut self, token: &Token, label: KeyLabel) {
        let inside = token.text(self.json);
        let text =
            if token.has_escapes { Cow::Owned(decode(inside)) } else { Cow::Borrowed(inside) };
        let found = match label {
            KeyLabel::Secret { demand, .. } => {
                let is_secret = value::is_secret(&text, demand, Quoting::Quoted);
                is_secret.then_some(0..text.len())
            }
            KeyLabel::Authorization { .. } => header::credentials(&text),
            KeyLabel::Cookie { .. } => header::cookies(&text),
            KeyLabel::SetCookie { .. } => header::set_cookie(&text),
        };
        let Some(found) = found else { return };
        if text.get(found.clone()).is_some_and(|value| self.selection.allows(value)) {
            return;
        }
        let mut places = Places::new(inside);
        let start = token.inside.start + places.of(found.start);
        let end = token.inside.start + places.of(found.end);
        self.push(start..end, label.rule(), Form::Plain);
    }

    fn push(&mut self, range: Range<usize>, rule: usize, form: Form) {
        let rank = u32::try_from(rule).unwrap_or(u32::MAX);
        self.findings.add(Finding { start: range.start, end: range.end, rank, form });
    }

    /// An operator's own rules have no literals: every string is looked at.
    fn extra(&mut self) {
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

/// Where the next quote or backslash stands.
fn quote_or_backslash(json: &[u8], at: usize) -> Option<usize> {
    memchr2(b'"', b'\\', json.get(at..)?).map(|found| at + found)
}
