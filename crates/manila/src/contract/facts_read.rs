//! Separates the facts that a contract added to a failure from the failure's own details.
//!
//! The counterpart of `facts.rs`. A contract adds its facts at the end of the details, in a known
//! order, so they are removed from the end. A fact that Manila would not write in exactly this form
//! stays where it is, so that it is later written unchanged.

use std::collections::VecDeque;
use std::time::Duration;

use crate::catalogue::Code;
use crate::contract::spelling::code_from_spelling;
use crate::outcome::{Failure, Receipt, parse_seconds, seconds};
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::report::collect::Findings;

/// Facts in an object, of which the last ones can be removed.
pub(super) struct FactsRead {
    object: JsonObject,
    /// The last facts, at least as many as a contract adds.
    tail: VecDeque<(String, RawJson)>,
    n_left: usize,
    n_all: usize,
}

impl FactsRead {
    const TAIL: usize = 8;

    /// Reads the facts in an object of the document that is being checked.
    pub(super) fn of(object: Option<JsonObject>, findings: &Findings) -> FactsRead {
        let object = object.unwrap_or_default();
        let mut tail = VecDeque::new();
        let mut n_all = 0;
        for member in object.as_raw().members_within(&findings.ends()) {
            n_all += 1;
            if tail.len() == FactsRead::TAIL {
                tail.pop_front();
            }
            tail.push_back((member.key().into_owned(), member.value()));
        }
        FactsRead { object, tail, n_left: n_all, n_all }
    }

    /// Removes the last fact, if it has this name and `read` accepts it.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&RawJson) -> Option<T>,
    ) -> Option<T> {
        let (_, value) = self.tail.back().filter(|(last, _)| last == name)?;
        let taken = read(value)?;
        self.tail.pop_back();
        self.n_left -= 1;
        Some(taken)
    }

    /// Removes a fact like [`take`](FactsRead::take). One at another position is read, but stays
    /// where it is; a contract does not write it twice.
    pub(super) fn find<T>(
        &mut self,
        name: &str,
        read: impl Fn(&RawJson) -> Option<T>,
    ) -> Option<T> {
        let taken = self.take(name, &read);
        taken.or_else(|| self.get(name).and_then(|value| read(&value)))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns a fact that was not removed.
    fn get(&self, name: &str) -> Option<RawJson> {
        if self.n_all > FactsRead::TAIL {
            return self.object.get(name).filter(|_| self.n_left > 0);
        }
        self.tail.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// Returns the facts that were not removed.
    pub(super) fn into_details(self) -> JsonObject {
        if self.n_left == self.n_all {
            return self.object;
        }
        JsonObject::build(|object| {
            for member in self.object.members().take(self.n_left) {
                object.token_member(member.key_token(), &member.value());
            }
        })
    }
}

/// Returns whether a value has the same bytes as `written`.
fn is_written_as(value: &RawJson, written: &(impl Emit + ?Sized)) -> bool {
    let mut out = Vec::with_capacity(value.as_bytes().len());
    written.emit(&mut out);
    out == value.as_bytes()
}

/// Returns a string that is not blank, if Manila would write it in this form.
pub(super) fn text(value: &RawJson) -> Option<String> {
    plain(value).filter(|text| !text.trim().is_empty())
}

/// Returns a string, if Manila would write it in this form.
pub(super) fn plain(value: &RawJson) -> Option<String> {
    let text = value.as_exact_text()?.into_owned();
    is_written_as(value, &text).then_some(text)
}

/// Returns an integer, if Manila would write it in this form.
pub(super) fn integer(value: &RawJson) -> Option<i64> {
    let number = value.as_str().parse().ok()?;
    is_written_as(value, &number).then_some(number)
}

/// Returns a delay in seconds, if Manila would write it in this form.
pub(super) fn delay(value: &RawJson) -> Option<Duration> {
    parse_seconds(value).filter(|delay| seconds(*delay) == *value)
}

/// Returns a list of strings that is not empty, if Manila would write it in this form.
pub(super) fn texts(value: &RawJson) -> Option<Vec<String>> {
    let is_list = value.kind() == Kind::Array;
    let texts: Vec<String> = value.items().map(|item| plain(&item)).collect::<Option<_>>()?;
    (is_list && !texts.is_empty()).then_some(texts)
}

/// Returns the failures after the first, if Manila would write them in this form.
pub(super) fn others(value: &RawJson) -> Option<Vec<Failure>> {
    let read = |item: RawJson| {
        let mut members = item.members();
        let (code, message) = (members.next()?, members.next()?);
        let has_shape = code.key_token() == b"\"code\"" && message.key_token() == b"\"message\"";
        let details = match members.next() {
            None => JsonObject::default(),
            Some(details) if details.key_token() == b"\"details\"" => {
                JsonObject::new(details.value()).filter(|details| !details.is_empty())?
            }
            Some(_) => return None,
        };
        if !has_shape || members.next().is_some() {
            return None;
        }
        let word = text(&code.value())?;
        let known = code_from_spelling(&word);
        let message = text(&message.value())?;
        let mut failure = Failure::new(known.unwrap_or(Code::ToolFailed), message);
        failure.origin_code = (failure.code.name() != word).then_some(word);
        failure.details = details;
        Some(failure)
    };
    let others: Vec<Failure> = value.items().map(read).collect::<Option<_>>()?;
    (!others.is_empty()).then_some(others)
}

/// Returns whether a name may be that of a redaction rule.
pub(super) fn is_rule(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| is_letter(byte) || byte == b'-')
}

/// Returns an exit code other than 0, if Manila would write it in this form.
pub(super) fn failed_exit(value: &RawJson) -> Option<i64> {
    integer(value).filter(|exit| *exit != 0)
}

/// Parses a receipt from the output of [`Receipt::rules`].
pub(super) fn receipt_from_rules(rules: &str) -> Option<Receipt> {
    let finding = |text: &str| {
        let (rule, n) = text.rsplit_once(' ')?;
        let n: u64 = n.parse().ok().filter(|n| *n > 0)?;
        is_rule(rule).then(|| (rule.to_owned(), n))
    };
    let findings: Vec<(String, u64)> = rules.split(", ").map(finding).collect::<Option<_>>()?;
    let receipt = Receipt { findings };
    (receipt.rules() == rules).then_some(receipt)
}
