//! Method names that only resemble that of a call.

/// Returns whether a method is `tools/call` in another spelling.
///
/// The gateway forwards methods that it does not know. A server that ignores case, white space or
/// encoding would run the tool, although nothing has checked the call.
pub(crate) fn is_disguised_call(method: &str) -> bool {
    const CALL: &str = "tools/call";
    method != CALL && letters_and_digits(method).eq(letters_and_digits(CALL))
}

/// Returns the letters and digits of a method in lower case, without its percent-encoding. A method
/// with another digit, such as `tools/call2`, is another method.
fn letters_and_digits(method: &str) -> impl Iterator<Item = u8> {
    let mut rest = method.chars();
    std::iter::from_fn(move || {
        let next = rest.next()?;
        let digit = |it: Option<char>| u8::try_from(it?.to_digit(16)?).ok();
        let mut ahead = rest.clone();
        if let ('%', Some(high), Some(low)) = (next, digit(ahead.next()), digit(ahead.next())) {
            rest = ahead;
            return Some(char::from(high * 16 + low));
        }
        Some(next)
    })
    .filter_map(|it| u8::try_from(it.to_ascii_lowercase()).ok())
    .filter(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests;
