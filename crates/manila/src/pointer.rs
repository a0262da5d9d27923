//! JSON pointers (RFC 6901).

/// Returns the pointer to the member `name` of the value at `pointer`.
pub(crate) fn child_pointer(pointer: &str, name: &str) -> String {
    let escaped = name.replace('~', "~0").replace('/', "~1");
    format!("{pointer}/{escaped}")
}

/// Unescapes a segment of a pointer.
pub(crate) fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
