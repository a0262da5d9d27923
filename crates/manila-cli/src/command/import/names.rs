//! Names of upstreams: unique, at most 32 ASCII letters, digits and `-`.

use std::collections::BTreeSet;

const LENGTH_MAX: usize = 32;

/// Returns a unique valid name for each given name, unchanged if possible.
pub(super) fn upstream_names(given: &[&str]) -> Vec<String> {
    // Valid names are reserved first, so that they stay unchanged.
    let mut left: BTreeSet<&str> = given.iter().copied().filter(|name| is_valid(name)).collect();
    let mut taken: BTreeSet<String> = left.iter().map(|name| (*name).to_owned()).collect();
    let mut names = Vec::new();
    for name in given {
        let new = if left.remove(name) {
            (*name).to_owned()
        } else {
            make_unique(&sanitize(name), &taken)
        };
        taken.insert(new.clone());
        names.push(new);
    }
    names
}

fn is_valid(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=LENGTH_MAX).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Replaces the characters that are not allowed.
fn sanitize(name: &str) -> String {
    if is_valid(name) {
        return name.to_owned();
    }
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    match words.join("-") {
        name if name.is_empty() => "server".to_owned(),
        name => cut(&name, LENGTH_MAX),
    }
}

fn make_unique(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2u32..).map(|n| {
        let end = format!("-{n}");
        cut(name, LENGTH_MAX - end.len()) + &end
    });
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    candidates.find(|name| !taken.contains(name)).unwrap_or_default()
}

/// Truncates an ASCII name.
fn cut(name: &str, length: usize) -> String {
    name.get(..length).unwrap_or(name).trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests;
