//! Header values, as clients must encode them: plain, or in base64 between `=?base64?` and `?=`.

/// Decodes the value of a header. Returns `None` if it is invalid.
pub(super) fn decode(value: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t');
    if !value.iter().all(is_plain) {
        return None;
    }
    let encoded = value.strip_prefix(b"=?base64?").and_then(|rest| rest.strip_suffix(b"?="));
    let bytes = match encoded {
        Some(base64) => decode_base64(base64)?,
        None => value.to_vec(),
    };
    String::from_utf8(bytes).ok()
}

/// Decodes base64 strictly: the padding is required, and unused bits must be zero.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let (quads, []) = text.as_chunks::<4>() else { return None };
    let mut bytes = Vec::with_capacity(quads.len() * 3);
    for (index, quad) in quads.iter().enumerate() {
        let n_padding = quad.iter().rev().take_while(|byte| **byte == b'=').count();
        if n_padding > 2 || (n_padding > 0 && index + 1 < quads.len()) {
            return None;
        }
        let mut bits = 0;
        for byte in quad.iter().take(4 - n_padding) {
            bits = (bits << 6) | u32::from(sextet(*byte)?);
        }
        bits <<= 6 * n_padding;
        let [_, first, second, third] = bits.to_be_bytes();
        let (kept, dropped) = [first, second, third]
            .split_at_checked(3 - n_padding)
            .map(|(kept, dropped)| (kept.to_vec(), dropped.to_vec()))?;
        if dropped.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend(kept);
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}
