//! Checks responses. The check is part of every measured time, so it reads only both ends of a
//! response.

use crate::round::Call;

/// The number of bytes that are read at each end.
const END_BYTES: usize = 2_048;

/// Checks the response to `call` and returns its id.
///
/// # Panics
/// If the response is not the expected success.
#[must_use]
pub fn check(answer: &[u8], call: &Call<'_>) -> usize {
    let [head, tail] = ends(answer);
    let contains = |text: &str| has(head, text) || has(tail, text);
    let is_good = answer.len() >= call.bytes_min
        && contains(call.proof)
        && contains("\"result\":")
        && !contains("\"isError\":true");
    let id = id(head).or_else(|| id(tail)).filter(|_| is_good);
    id.unwrap_or_else(|| panic_wrong_answer(answer, call))
}

/// Returns whether a message is a request or a notification of the server: it has a method.
#[must_use]
pub fn is_notification(message: &[u8]) -> bool {
    // Only short messages are searched, because a response may have 100 KB.
    message.len() < END_BYTES && has(message, "\"method\":")
}

#[cold]
#[allow(clippy::panic, reason = "figures of wrong responses are worthless")]
fn panic_wrong_answer(answer: &[u8], call: &Call<'_>) -> ! {
    let [head, _] = ends(answer);
    panic!(
        "wrong response of `{}`: {} bytes: {}",
        call.tool,
        answer.len(),
        String::from_utf8_lossy(head)
    )
}

/// Returns the beginning and the end of a response; for a short one, all of it and nothing.
fn ends(answer: &[u8]) -> [&[u8]; 2] {
    match answer.split_at_checked(END_BYTES) {
        Some((head, rest)) => [head, rest.last_chunk::<END_BYTES>().map_or(rest, |last| last)],
        None => [answer, &[]],
    }
}

/// Returns the id. Servers write it before or after the result. Quotes in a text are escaped, so a
/// payload that is text cannot contain an id.
fn id(end: &[u8]) -> Option<usize> {
    const KEY: &[u8] = b"\"id\":";
    let at = end.windows(KEY.len()).position(|it| it == KEY)?;
    let digits = end.get(at + KEY.len()..)?.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |number: Option<usize>, digit| {
        Some(number.unwrap_or(0) * 10 + usize::from(digit - b'0'))
    })
}

/// Returns whether `bytes` contain a text.
#[must_use]
pub fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}
