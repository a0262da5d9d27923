//! The table of rules: one list from which the search, the documentation and the tests come.

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

/// What is found, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    name: &'static str,
    protects: &'static str,
    finds: Finds,
    matching: &'static str,
    harmless: &'static str,
}

/// How a rule finds its secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finds {
    /// By their own form.
    Token(Token),
    /// By the name that stands beside them.
    Labelled(Labelled),
    /// By a structure that no pattern can tell.
    Structure(Structure, &'static [&'static str]),
}

/// A token that is known by its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// The literals of which every match has one.
    pub(crate) starts: &'static [&'static str],
    /// How many bytes of a match may stand before the literal.
    pub(crate) inside: (usize, usize),
    /// Its form, from its first byte on. Group 1, if there is one, is the secret.
    pub(crate) pattern: &'static str,
    /// What its words are made of.
    pub(crate) letters: Letters,
}

/// What the words of a token are made of: such a byte right beside it makes it something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    /// Letters, digits and `_`.
    Word,
    /// And `-`.
    Dashed,
}

impl Letters {
    pub(crate) fn has(self, byte: u8) -> bool {
        crate::boundary::is_word(byte) || (self == Letters::Dashed && byte == b'-')
    }

    /// Whether a token cannot begin right after this byte. Names are put before tokens with `_`:
    /// `prod_ghp_…`
    pub(crate) fn goes_on_after(self, byte: u8) -> bool {
        byte != b'_' && self.has(byte)
    }
}

/// A secret that is known by the name beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Labelled {
    /// The names, in words that are joined by `_`; in a text by `-`, `.`, a space or nothing, too.
    pub(crate) labels: &'static [&'static str],
    /// What a value must look like.
    pub(crate) demand: Demand,
    /// Words before the name that make it another one: `next_token`.
    pub(crate) except_after: &'static [&'static str],
    /// Whether some names have several words, so that the last one alone is no name.
    pub(crate) has_words: bool,
}

/// What a value beside a name must look like to be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Nearly anything: people choose passwords.
    Anything,
    /// As if made by a machine: the name alone says little.
    Random,
}

/// What no pattern can tell.
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
    /// The private lines of a key of `PuTTY`.
    PuttyKey,
    /// A whole block of a key or a certificate, in base64 once more.
    EncodedBlock,
    /// Three or five parts of base64, the first of which is JSON.
    Jwt,
    /// An option of a program that is known to take a password there.
    Command,
}

impl Rule {
    const fn new(name: &'static str, protects: &'static str, finds: Finds) -> Rule {
        Rule { name, protects, finds, matching: "", harmless: "" }
    }

    /// A token that every match of `pattern` is, one of `starts` being its first bytes.
    const fn token(
        name: &'static str,
        protects: &'static str,
        starts: &'static [&'static str],
        pattern: &'static str,
    ) -> Rule {
        let token = Token { starts, inside: (0, 0), pattern, letters: Letters::Word };
        Rule::new(name, protects, Finds::Token(token))
    }

    const fn labelled(
        name: &'static str,
        protects: &'static str,
        demand: Demand,
        labels: &'static [&'static str],
    ) -> Rule {
        let has_words = labels::has_words(labels);
        let labelled = Labelled { labels, demand, except_after: &[], has_words };
        Rule::new(name, protects, Finds::Labelled(labelled))
    }

    const fn structure(
        name: &'static str,
        protects: &'static str,
        structure: Structure,
        starts: &'static [&'static str],
    ) -> Rule {
        Rule::new(name, protects, Finds::Structure(structure, starts))
    }

    /// With tokens whose words have dashes.
    const fn dashed(mut self) -> Rule {
        if let Finds::Token(token) = &mut self.finds {
            token.letters = Letters::Dashed;
        }
        self
    }

    /// With a literal that stands so many bytes after the beginning.
    const fn inside(mut self, least: usize, most: usize) -> Rule {
        if let Finds::Token(token) = &mut self.finds {
            token.inside = (least, most);
        }
        self
    }

    /// With words that make a label another one.
    const fn except_after(mut self, words: &'static [&'static str]) -> Rule {
        if let Finds::Labelled(labelled) = &mut self.finds {
            labelled.except_after = words;
        }
        self
    }

    /// With something that it finds, and something that it leaves alone.
    const fn examples(mut self, matching: &'static str, harmless: &'static str) -> Rule {
        self.matching = matching;
        self.harmless = harmless;
        self
    }

    /// Its name: in reports, receipts and configuration.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it protects, in a few words.
    #[must_use]
    pub fn protects(&self) -> &'static str {
        self.protects
    }

    /// What it looks for, as people write it: a regular expression, or names and literals.
    #[must_use]
    pub fn pattern(&self) -> Cow<'static, str> {
        match self.finds {
            Finds::Token(token) => token.pattern.into(),
            Finds::Labelled(labelled) => {
                // The signs around a short label make its literal rare; they are not its name.
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

    /// Whether it knows its secrets by a vendor's own format.
    #[must_use]
    pub fn is_token(&self) -> bool {
        matches!(self.finds, Finds::Token(_))
    }

    /// A fake secret that it finds. [`GAP`](Rule::GAP) stands in it.
    #[must_use]
    pub fn example(&self) -> &'static str {
        self.matching
    }

    /// Something alike that it leaves alone. [`GAP`](Rule::GAP) may stand in it.
    #[must_use]
    pub fn counterexample(&self) -> &'static str {
        self.harmless
    }

    /// What stands inside the fake secrets of the table, so that nobody's scanner reports the
    /// table itself. To take it out gives the example.
    pub const GAP: char = '·';

    pub(crate) const fn finds(&self) -> &Finds {
        &self.finds
    }
}

/// Every rule, the most specific first: of two that find the same place, the first names it.
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

/// How many rules there are.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
pub(crate) const N_RULES: usize = {
    let (mut n, mut group) = (0, 0);
    while group < GROUPS.len() {
        n += GROUPS[group].len();
        group += 1;
    }
    n
};

/// All of them in one list.
#[allow(clippy::indexing_slicing, reason = "it runs in the compiler")]
pub(crate) static RULES: [Rule; N_RULES] = {
    let mut rules = [GROUPS[0][0]; N_RULES];
    let (mut n, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut place = 0;
        while place < GROUPS[group].len() {
            rules[n] = GROUPS[group][place];
            n += 1;
            place += 1;
        }
        group += 1;
    }
    rules
};

/// Every rule, the most specific first: of two that find the same place, the first names it.
#[must_use]
pub fn rules() -> &'static [Rule] {
    &RULES
}
