//! The fragment of a reference: percent-encoding and RFC 6901 pointers.

use std::borrow::Cow;

/// Decodes the percent-encoding of a fragment.
pub(crate) fn percent_decode(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|it| char::from(*it).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (first, digit(0), digit(1)) {
            bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Returns whether a fragment is a pointer, not an anchor.
pub(crate) fn is_pointer(fragment: &str) -> bool {
    let decoded = percent_decode(fragment);
    decoded.is_empty() || decoded.starts_with('/')
}

/// Returns the keys and indexes of a pointer, from the outside in.
pub(crate) fn keys(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(crate::pointer::unescape)
}
