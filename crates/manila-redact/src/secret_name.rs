//! Names of secrets in configurations: variables, options, headers and parameters.

use std::sync::LazyLock;

use crate::rules::{Demand, Finds, RULES};

/// Words that mark a secret at the end of a name: `GITHUB_PAT`, `X-Api-Key`, `DB_PW`.
const LAST_WORDS: [&str; 7] = ["KEY", "PAT", "PW", "PASS", "COOKIE", "CREDENTIALS", "PSK"];
const LAST_ENDS: [&str; 2] = ["TOKEN", "APIKEY"];
/// Words that mark a secret anywhere in a name.
const WORDS: [&str; 5] = ["SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "AUTHORIZATION"];

/// The letters of the rules' labels. Shorter labels are too common at the end of other words.
static LABELS: LazyLock<Vec<String>> = LazyLock::new(|| {
    const LETTERS_MIN: usize = 6;
    let labels = RULES.iter().flat_map(|rule| match rule.finds() {
        Finds::Labelled(labelled) if labelled.demand == Demand::Anything => labelled.labels,
        Finds::Labelled(_) | Finds::Token(_) | Finds::Structure(..) => &[],
    });
    let letters = labels.map(|label| name_words(label).concat());
    letters.filter(|letters| letters.len() >= LETTERS_MIN).collect()
});

/// Returns whether a name, such as that of a variable, an option or a header, marks its whole value
/// as a secret.
///
/// In a configuration, a name is stronger evidence than in other text, where the rules require more
/// of a value.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = name_words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    LAST_WORDS.contains(&last)
        || LAST_ENDS.iter().any(|end| last.ends_with(end))
        || words.iter().any(|word| WORDS.iter().any(|known| word.contains(known)))
        || is_label(&words.concat())
}

fn is_label(letters: &str) -> bool {
    LABELS.iter().any(|label| letters.ends_with(label))
}

/// Splits a name into upper-case words: `apiKey`, `API_KEY` and `--api-key` have the same words.
#[must_use]
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() || (was_lower && letter.is_ascii_uppercase()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(letter.to_ascii_uppercase());
        }
        was_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}
