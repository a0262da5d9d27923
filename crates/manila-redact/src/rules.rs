//! The table of rules, from which the search engines, the documentation and the tests are derived.

use std::borrow::Cow;

mod ai;
mod classes;
mod cloud;
mod code;
mod data;
mod labels;
mod messaging;
mod money;
mod security;
mod work;

pub(crate) use labels::last_word;

/// A rule: the secrets it protects, and how it finds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    name: &'static str,
    protects: &'static str,
    finds: Finds,
    example: &'static str,
    counterexample: &'static str,
}

/// The method by which a rule finds its secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finds {
    /// By their own format.
    Token(Token),
    /// By the name beside them.
    Labelled(Labelled),
    /// By a structure that a pattern cannot recognise, at one of these literals.
    Structure(Structure, &'static [&'static str]),
}

/// A token with a recognisable format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The literals. Every match contains one of them.
    pub(crate) starts: &'static [&'static str],
    /// The smallest and the largest offset of the literal in a match.
    pub(crate) literal_offset: (usize, usize),
    /// The regular expression, which matches from the first byte. Group 1, if it exists, is the
    /// secret.
    pub(crate) pattern: &'static str,
    /// The bytes that its words consist of.
    pub(crate) letters: Letters,
}

/// The bytes that the words of a token consist of. Next to such a byte, a match is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`.
    Dashed,
}

impl Letters {
    pub(crate) fn has(self, byte: u8) -> bool {
        crate::boundary::is_word(byte) || (self == Letters::Dashed && byte == b'-')
    }

    /// Returns whether a token cannot begin directly after this byte. `_` is allowed, because it
    /// joins a name to a token: `prod_ghp_…`
    pub(crate) fn continues_after(self, byte: u8) -> bool {
        byte != b'_' && self.has(byte)
    }
}

/// A secret identified by the name beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Labelled {
    /// The names, with words joined by `_`. In a text, `-`, `.`, a space or nothing may join them.
    pub(crate) labels: &'static [&'static str],
    /// The requirement for values.
    pub(crate) demand: Demand,
    /// Words before the name that give it another meaning: `next_token`.
    pub(crate) except_after: &'static [&'static str],
    /// Whether some names have several words, so that the last word alone is not a name.
    pub(crate) has_words: bool,
}

/// The requirement that a value beside a name must meet to be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Almost any value, because people choose passwords.
    Anything,
    /// A random value, because the name alone is weak evidence.
    Random,
}

/// A structure that a pattern cannot recognise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structure {
    /// User and password in a URL.
    Url,
    /// User and password before `@tcp(`.
    Dsn,
    /// `Authorization: Bearer …`
    Authorization,
    /// `Bearer …` on its own.
    Bearer,
    /// `Cookie: …` and `Set-Cookie: …`
    Cookie,
    /// `-----BEGIN … PRIVATE KEY-----`
    PrivateKey,
    /// `-----BEGIN CERTIFICATE-----`
    Certificate,
    /// The private lines of a `PuTTY` key.
    PuttyKey,
    /// A key or certificate in PEM, encoded again in base64.
    EncodedBlock,
    /// Three or five parts in base64, the first of which is JSON.
    Jwt,
    /// An option or argument of a program that is known to take a password there.
    Command,
}

impl Rule {
    const fn new(name: &'static str, protects: &'static str, finds: Finds) -> Rule {
        Rule { name, protects, finds, example: "", counterexample: "" }
    }

    /// Creates a rule for tokens that match `pattern` and begin with one of `starts`.
    const fn token(
        name: &'static str,
        protects: &'static str,
        starts: &'static [&'static str],
        pattern: &'static str,
    ) -> Rule {
        let token = Token { starts, literal_offset: (0, 0), pattern, letters: Letters::Word };
        Rule::new(name, protects, Finds::Token(token))
    }

    /// Creates a rule for values beside one of `labels`.
    const fn label(
        name: &'static str,
        protects: &'static str,
        demand: Demand,
        labels: &'static [&'static str],
    ) -> Rule {
        let has_words = labels::has_words(labels);
        let labelled = Labelled { labels, demand, except_after: &[], has_words };
        Rule::new(name, protects, Finds::Labelled(labelled))
    }

    /// Creates a rule for a structure at one of `starts`.
    const fn structure(
        name: &'static str,
        protects: &'static str,
        structure: Structure,
        starts: &'static [&'static str],
    ) -> Rule {
        Rule::new(name, protects, Finds::Structure(structure, starts))
    }

    /// Allows dashes in the words of the rule's tokens.
    const fn with_dashes(mut self) -> Rule {
        if let Finds::Token(token) = &mut self.finds {
            token.letters = Letters::Dashed;
        }
        self
    }

    /// Sets the smallest and the largest offset of the literal in a match.
    const fn with_offset(mut self, min: usize, max: usize) -> Rule {
        if let Finds::Token(token) = &mut self.finds {
            token.literal_offset = (min, max);
        }
        self
    }

    /// Sets the words that give the labels another meaning.
    const fn except_after(mut self, words: &'static [&'static str]) -> Rule {
        if let Finds::Labelled(labelled) = &mut self.finds {
            labelled.except_after = words;
        }
        self
    }

    /// Sets a text that the rule finds and one that it does not find.
    const fn examples(mut self, example: &'static str, counterexample: &'static str) -> Rule {
        self.example = example;
        self.counterexample = counterexample;
        self
    }

    /// Returns the name of the rule in reports, receipts and the configuration.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a short description of the secrets that the rule protects.
    #[must_use]
    pub fn protects(&self) -> &'static str {
        self.protects
    }

    /// Returns the pattern for display: a regular expression, or a list of names or literals.
    #[must_use]
    pub fn pattern(&self) -> Cow<'static, str> {
        match self.finds {
            Finds::Token(token) => token.pattern.into(),
            Finds::Labelled(labelled) => {
                // The punctuation around a short label makes its literal rare, but is not part of
                // the name.
                let name = |label: &&'static str| {
                    label.trim_matches(|it: char| !it.is_ascii_alphanumeric())
                };
                let mut names: Vec<&str> = labelled.labels.iter().map(name).collect();
                names.dedup();
                names.join(", ").into()
            }
            Finds::Structure(_, starts) => starts.join(", ").into(),
        }
    }

    /// Returns whether the rule finds its secrets by a vendor's token format.
    #[must_use]
    pub fn is_token(&self) -> bool {
        matches!(self.finds, Finds::Token(_))
    }

    /// Returns a fake secret that the rule finds. It contains [`GAP`](Rule::GAP).
    #[must_use]
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// Returns a similar text that the rule does not find. It may contain [`GAP`](Rule::GAP).
    #[must_use]
    pub fn counterexample(&self) -> &'static str {
        self.counterexample
    }

    /// The character inside the fake secrets of the table, so that secret scanners do not report
    /// the table itself. Without it, the text is the actual example.
    pub const GAP: char = '·';

    pub(crate) const fn finds(&self) -> &Finds {
        &self.finds
    }
}

/// All rules by group, the most specific first. If two rules find the same secret, the first one
/// is reported.
pub(crate) const GROUPS: &[&[Rule]] = &[
    ai::RULES,
    cloud::RULES,
    code::RULES,
    data::RULES,
    messaging::RULES,
    money::RULES,
    security::RULES,
    work::RULES,
    classes::RULES,
];

/// The number of rules.
#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) const N_RULES: usize = {
    let (mut n, mut group) = (0, 0);
    while group < GROUPS.len() {
        n += GROUPS[group].len();
        group += 1;
    }
    n
};

/// All rules in one list.
#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
pub(crate) static RULES: [Rule; N_RULES] = {
    let mut rules = [GROUPS[0][0]; N_RULES];
    let (mut n, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            rules[n] = GROUPS[group][index];
            n += 1;
            index += 1;
        }
        group += 1;
    }
    rules
};

/// Returns all rules, the most specific first. If two rules find the same secret, the first one is
/// reported.
#[must_use]
pub fn rules() -> &'static [Rule] {
    &RULES
}
