//! The facts about a failure that a contract told in one flat place, taken apart again.
//!
//! The counterpart of `facts.rs`: what a contract adds to a failure's own details stands at their
//! end, in a known order, so it is taken from the end. What does not look exactly as it would be
//! written stays where it is, so that it is written again as it was.

use std::collections::VecDeque;
use std::time::Duration;

use crate::catalogue::Code;
use crate::contract::spelling::code_from_spelling;
use crate::outcome::{Failure, Receipt, as_delay, seconds};
use crate::raw_json::{Emit, JsonObject, Kind, RawJson};
use crate::report::look::Look;

/// Facts, of which the last ones are taken away.
pub(super) struct Told {
    object: JsonObject,
    /// The last of them, as many as a contract adds.
    tail: VecDeque<(String, RawJson)>,
    n_left: usize,
    n_all: usize,
}

impl Told {
    const TAIL: usize = 8;

    /// The facts in an object of the document that is looked at.
    pub(super) fn of(object: Option<JsonObject>, look: &Look) -> Told {
        let object = object.unwrap_or_default();
        let mut tail = VecDeque::new();
        let mut n_all = 0;
        for member in object.as_raw().members_within(&look.ends()) {
            n_all += 1;
            if tail.len() == Told::TAIL {
                tail.pop_front();
            }
            tail.push_back((member.key().into_owned(), member.value()));
        }
        Told { object, tail, n_left: n_all, n_all }
    }

    /// Takes the last fact, if it has this name and is what `read` expects.
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

    /// Takes a fact as [`take`](Told::take) does. One that stands elsewhere is read, and stays
    /// where it is: it will not be told twice.
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

    /// A fact that was not taken.
    fn get(&self, name: &str) -> Option<RawJson> {
        if self.n_all > Told::TAIL {
            return self.object.get(name).filter(|_| self.n_left > 0);
        }
        self.tail.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// What was not taken.
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

/// Whether a value is written as `again` writes it.
fn is_written_as(value: &RawJson, again: &(impl Emit + ?Sized)) -> bool {
    let mut out = Vec::with_capacity(value.as_bytes().len());
    again.emit(&mut out);
    out == value.as_bytes()
}

/// A string that says something, if it would be written as it is.
pub(super) fn text(value: &RawJson) -> Option<String> {
    plain(value).filter(|text| !text.trim().is_empty())
}

/// A string, if it would be written as it is.
pub(super) fn plain(value: &RawJson) -> Option<String> {
    let text = value.as_exact_text()?.into_owned();
    is_written_as(value, &text).then_some(text)
}

/// An integer, if it would be written as it is.
pub(super) fn integer(value: &RawJson) -> Option<i64> {
    let number = value.as_str().parse().ok()?;
    is_written_as(value, &number).then_some(number)
}

/// A delay in seconds, if it would be written as it is.
pub(super) fn delay(value: &RawJson) -> Option<Duration> {
    as_delay(value).filter(|delay| seconds(*delay) == *value)
}

/// A list of texts that is not empty, if it would be written as it is.
pub(super) fn texts(value: &RawJson) -> Option<Vec<String>> {
    let is_list = value.kind() == Kind::Array;
    let texts: Vec<String> = value.items().map(|item| plain(&item)).collect::<Option<_>>()?;
    (is_list && !texts.is_empty()).then_some(texts)
}

/// The failures after the first, if they would be written as they are.
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

/// Whether a name may be that of a rule of redaction.
pub(super) fn is_rule(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| is_letter(byte) || byte == b'-')
}

/// An exit code that tells of a failure, if it would be written as it is.
pub(super) fn failed_exit(value: &RawJson) -> Option<i64> {
    integer(value).filter(|exit| *exit != 0)
}

/// What was hidden, from the words of [`Receipt::rules`].
pub(super) fn receipt_from_rules(rules: &str) -> Option<Receipt> {
    let finding = |words: &str| {
        let (rule, n) = words.rsplit_once(' ')?;
        let n: u64 = n.parse().ok().filter(|n| *n > 0)?;
        is_rule(rule).then(|| (rule.to_owned(), n))
    };
    let findings: Vec<(String, u64)> = rules.split(", ").map(finding).collect::<Option<_>>()?;
    let receipt = Receipt { findings };
    (receipt.rules() == rules).then_some(receipt)
}
