//! The fragment of a reference: percent signs, and RFC 6901 pointers.

use std::borrow::Cow;

/// A fragment with its percent signs resolved.
pub(crate) fn decoded(fragment: &str) -> Cow<'_, str> {
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

/// Whether a fragment is a pointer, and no anchor.
pub(crate) fn is_pointer(fragment: &str) -> bool {
    let decoded = decoded(fragment);
    decoded.is_empty() || decoded.starts_with('/')
}

/// The keys and indexes that a pointer names, from the outside in.
pub(crate) fn keys(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(crate::pointer::unescaped)
}
