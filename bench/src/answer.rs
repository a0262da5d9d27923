//! What an answer must be. Looking at it is part of every time measured, so only its two ends are
//! looked at.

use crate::round::Call;

/// How much of each end is looked at.
const END_BYTES: usize = 2_048;

/// The id of an answer to `call`.
///
/// # Panics
/// If it is not the success that it must be.
#[must_use]
pub fn checked(answer: &[u8], call: &Call<'_>) -> usize {
    let [head, tail] = ends(answer);
    let holds = |text: &str| has(head, text) || has(tail, text);
    let is_good = answer.len() >= call.bytes_min
        && holds(call.proof)
        && holds("\"result\":")
        && !holds("\"isError\":true");
    let id = id(head).or_else(|| id(tail)).filter(|_| is_good);
    id.unwrap_or_else(|| wrong(answer, call))
}

/// Whether a message is none that answers: it names a method.
#[must_use]
pub fn is_told(message: &[u8]) -> bool {
    // Only short messages: an answer of 100 KB is not searched.
    message.len() < END_BYTES && has(message, "\"method\":")
}

#[cold]
#[allow(clippy::panic, reason = "figures of wrong answers are worth nothing")]
fn wrong(answer: &[u8], call: &Call<'_>) -> ! {
    let [head, _] = ends(answer);
    panic!(
        "no right answer of `{}`: {} bytes: {}",
        call.tool,
        answer.len(),
        String::from_utf8_lossy(head)
    )
}

/// The beginning and the end; of a short answer, all of it and nothing.
fn ends(answer: &[u8]) -> [&[u8]; 2] {
    match answer.split_at_checked(END_BYTES) {
        Some((head, rest)) => [head, rest.last_chunk::<END_BYTES>().map_or(rest, |last| last)],
        None => [answer, &[]],
    }
}

/// Servers write the id before the result or after it. Quotes in a text are escaped, so this finds
/// none of a payload's own in front of it.
fn id(end: &[u8]) -> Option<usize> {
    const KEY: &[u8] = b"\"id\":";
    let at = end.windows(KEY.len()).position(|it| it == KEY)?;
    let digits = end.get(at + KEY.len()..)?.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |number: Option<usize>, digit| {
        Some(number.unwrap_or(0) * 10 + usize::from(digit - b'0'))
    })
}

/// Whether a text stands somewhere in `bytes`.
#[must_use]
pub fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|it| it == text.as_bytes())
}
