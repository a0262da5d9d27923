//! Stock words: common words beside labels that are not secrets.

/// Common words beside labels in templates, schemas, code and prose.
#[rustfmt::skip]
const STOCK: [&str; 177] = [
    "absent", "accepted", "access", "access_token", "admin", "allowed", "already", "another",
    "api_key", "apikey", "array", "async", "await", "basic", "bearer", "before", "blank", "boolean",
    "bytes", "cannot", "change_me", "changed", "changeme", "checked", "client", "compat", "confirm",
    "contains", "context", "correct", "created", "credential", "credentials", "current", "default",
    "defined", "denied", "deprecated", "disabled", "distinct", "either", "emptied", "enabled",
    "encrypted", "entered", "example", "exists", "expected", "expired", "expires", "export",
    "failed", "failure", "false", "field", "filtered", "foobar", "forbidden", "format", "found",
    "function", "generated", "granted", "hidden", "hunter", "identifier", "ignored", "import",
    "include", "incorrect", "inherit", "input", "instead", "integer", "internal", "invalid",
    "length", "literal", "locked", "masked", "matched", "matches", "mismatch", "missing", "monthly",
    "mypassword", "mysecret", "mytoken", "needed", "not_set", "nothing", "notset", "nullable",
    "number", "obfuscated", "object", "omitted", "option", "optional", "options", "parameter",
    "passed", "passphrase", "passwd", "password", "placeholder", "please", "present", "private",
    "prompt", "protected", "provide", "provided", "public", "random", "readonly", "received",
    "redacted", "reference", "refresh", "rejected", "removed", "replace", "require", "required",
    "requires", "reset", "response", "result", "return", "returned", "returns", "revoked", "rotate",
    "rotated", "same-origin", "sample", "scrubbed", "secret", "secretkey", "secrets", "sensitive",
    "session", "should", "simple", "specified", "static", "stored", "string", "strings", "struct",
    "succeeded", "success", "symbol", "systemd", "template", "tokens", "type", "unchanged",
    "undefined", "unknown", "unspecified", "unused", "update", "updated", "username", "value",
    "values", "variable", "vector", "verified", "visible", "warning", "whatever", "without",
    "wrong", "yourpassword",
];

/// The number of slots of the hash table, most of which are empty.
const N_SLOTS: usize = 1024;

/// The words as numbers, each in the slot of its hash or in a later one.
#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
static SLOTS: [u128; N_SLOTS] = {
    let mut slots = [0; N_SLOTS];
    let mut n = 0;
    while n < STOCK.len() {
        let number = pack(STOCK[n].as_bytes());
        assert!(number.is_some(), "a stock word must have at most 16 letters");
        if let Some(number) = number {
            let mut slot = slot_of(number);
            while slots[slot] != 0 {
                slot = (slot + 1) % N_SLOTS;
            }
            slots[slot] = number;
        }
        n += 1;
    }
    slots
};

#[allow(clippy::cast_possible_truncation, reason = "only ten bits remain")]
const fn slot_of(number: u128) -> usize {
    let mixed = (number as u64) ^ ((number >> 64) as u64).rotate_left(7);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
}

fn is_known(number: u128) -> bool {
    let mut slot = slot_of(number);
    loop {
        match SLOTS.get(slot % N_SLOTS) {
            Some(0) | None => return false,
            Some(known) if *known == number => return true,
            Some(_) => slot += 1,
        }
    }
}

/// Returns up to 16 letters, in lower case, as a number.
const fn pack(word: &[u8]) -> Option<u128> {
    let mut bytes = [0; 16];
    let Some((to, _)) = bytes.split_at_mut_checked(word.len()) else { return None };
    to.copy_from_slice(word);
    bytes.make_ascii_lowercase();
    Some(u128::from_le_bytes(bytes))
}

/// Returns the length of the word at the start of a text, if it is a stock word of fewer than 16
/// letters. Returns `None` for a text of fewer than 16 bytes.
#[inline]
pub(crate) fn leading_word(text: &[u8]) -> Option<usize> {
    const EACH: u128 = u128::MAX / 0xFF;
    let bytes = u128::from_le_bytes(*text.first_chunk::<16>()?);
    let lower = bytes | (EACH * 0x20);
    // The highest bit of each byte is set in `is_a` if the byte is at least `a`, and in `is_beyond`
    // if it is beyond `z`.
    let low = lower & (EACH * 0x7F);
    let (is_a, is_beyond) = (low + EACH * (0x80 - 0x61), low + EACH * (0x80 - 0x7B));
    let is_letter = is_a & !is_beyond & !bytes & (EACH * 0x80);
    let n_bits = (is_letter ^ (EACH * 0x80)).trailing_zeros() & !7;
    let word = lower & 1u128.checked_shl(n_bits)?.wrapping_sub(1);
    is_known(word).then_some(n_bits as usize / 8)
}

/// The starts of placeholders in templates.
const TEMPLATE_STARTS: &[&str] = &[
    "your",
    "replace",
    "changeme",
    "change-me",
    "change_me",
    "example",
    "placeholder",
    "dummy",
    "redacted",
    "masked",
    "hidden",
];

/// Returns whether a value is a stock word or a template's placeholder.
pub(super) fn is_stock_word(value: &[u8]) -> bool {
    let word = value.trim_ascii();
    let end =
        word.iter().rposition(|it| !matches!(it, b'.' | b'!' | b':' | b'?')).map_or(0, |at| at + 1);
    let word = word.get(..end).unwrap_or(word);
    if pack(word).is_some_and(is_known) {
        return true;
    }
    let first = word.first().map(u8::to_ascii_lowercase);
    let has_start = |start: &&str| {
        start.as_bytes().first() == first.as_ref()
            && word.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
    };
    let may_start = word.first().is_some_and(|it| b"yrcepdmh".contains(&it.to_ascii_lowercase()));
    may_start && TEMPLATE_STARTS.iter().any(has_start) && !word.iter().any(u8::is_ascii_digit)
}
