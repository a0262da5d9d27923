//! Suggestions for mistyped names.

/// Returns the candidate that a mistyped `name` was probably meant to be.
///
/// ```
/// assert_eq!(manila::closest("respons-v2", ["envelope-v1", "response-v2"]), Some("response-v2"));
/// assert_eq!(manila::closest("xml", ["envelope-v1", "response-v2"]), None);
/// ```
#[must_use]
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A long name is not a typing error of a short one, and comparing takes quadratic time.
    if name.chars().count() > 64 {
        return None;
    }
    let name = name.to_lowercase();
    let scored = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate));
    let best = scored.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(score, _)| *score >= 0.85).map(|(_, candidate)| candidate)
}
