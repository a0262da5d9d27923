//! Finds the lines of a long text that contain given strings.

use std::ops::Range;

use memchr::memmem::Finder;

/// Returns the ranges of the lines that contain one of the needles, in order and without their line
/// breaks. It searches for the needles and does not visit every line.
///
/// ```
/// let lines: Vec<_> = manila::lines_with("one\ntwo\n\nthree two", &["two"]).collect();
/// assert_eq!(lines, [4..7, 9..18]);
/// ```
pub fn lines_with<'t>(text: &'t str, needles: &[&str]) -> impl Iterator<Item = Range<usize>> + 't {
    let finders = needles.iter().map(|needle| (Finder::new(needle).into_owned(), None));
    let mut finders: Vec<(Finder<'static>, Option<usize>)> = finders.collect();
    let mut from = 0;
    std::iter::from_fn(move || {
        let found = finders.iter_mut().filter_map(|(finder, next)| {
            // A needle is searched for again only after its last match has been passed.
            if next.is_none_or(|next| next < from) {
                let rest = text.as_bytes().get(from..)?;
                *next = Some(finder.find(rest).map_or(usize::MAX, |at| from + at));
            }
            *next
        });
        let at = found.min().filter(|at| *at < text.len())?;
        let (before, after) = text.split_at_checked(at)?;
        let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', after.as_bytes()).map_or(text.len(), |end| at + end);
        from = end + 1;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests;
