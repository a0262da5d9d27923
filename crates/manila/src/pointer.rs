//! JSON pointers (RFC 6901): how the place of a value in a document is written.

/// The RFC 6901 pointer to the member `name` of what `pointer` points to.
pub(crate) fn below(pointer: &str, name: &str) -> String {
    let escaped = name.replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{escaped}")
}

/// The name that a segment of an RFC 6901 pointer stands for.
pub(crate) fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
