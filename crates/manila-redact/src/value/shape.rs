//! The kinds of bytes in a value, collected in one pass.

/// The kinds of bytes that a value contains.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape(u16);

impl Shape {
    pub(super) const LOWER: u16 = 1;
    pub(super) const UPPER: u16 = 1 << 1;
    pub(super) const LETTER: u16 = Shape::LOWER | Shape::UPPER;
    pub(super) const DIGIT: u16 = 1 << 2;
    pub(super) const UNDERSCORE: u16 = 1 << 3;
    pub(super) const DOT: u16 = 1 << 4;
    /// `?` and `!`.
    pub(super) const SENTENCE_MARK: u16 = 1 << 5;
    pub(super) const COLON: u16 = 1 << 6;
    /// `(`
    pub(super) const PARENTHESIS: u16 = 1 << 7;
    /// `[`
    pub(super) const BRACKET: u16 = 1 << 8;
    pub(super) const SPACE: u16 = 1 << 9;
    /// Bytes that are not printable ASCII.
    pub(super) const UNPRINTABLE: u16 = 1 << 10;
    /// All other bytes.
    const OTHER: u16 = 1 << 11;

    /// Collects the kinds of bytes in a value.
    pub(super) fn of(value: &[u8]) -> Shape {
        let kind = |byte: &u8| KINDS.get(usize::from(*byte)).copied().unwrap_or(Shape::OTHER);
        // Two independent accumulators avoid waiting for the previous step.
        let (pairs, rest) = value.as_chunks::<2>();
        let (mut even, mut odd) = (0, 0);
        for [a, b] in pairs {
            even |= kind(a);
            odd |= kind(b);
        }
        Shape(even | odd | rest.first().map_or(0, kind))
    }

    /// Returns whether the value contains a byte of one of these kinds.
    pub(super) fn has(self, kinds: u16) -> bool {
        self.0 & kinds != 0
    }

    /// Returns whether the value contains only bytes of these kinds.
    pub(super) fn is_only(self, kinds: u16) -> bool {
        self.0 & !kinds == 0
    }
}

/// Returns whether a value contains a digit or an upper-case letter, as every random value does.
#[inline]
pub(crate) fn may_be_random(value: &[u8]) -> bool {
    let is_either = |byte: &u8| byte.is_ascii_digit() | byte.is_ascii_uppercase();
    // Tests many bytes at once, without a branch for each.
    let (chunks, rest) = value.as_chunks::<16>();
    let in_chunk = |chunk: &[u8; 16]| chunk.iter().fold(false, |any, it| any | is_either(it));
    chunks.iter().any(in_chunk) || rest.iter().any(is_either)
}

#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
static KINDS: [u16; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte {
            0x61..=0x7A => Shape::LOWER,
            0x41..=0x5A => Shape::UPPER,
            0x30..=0x39 => Shape::DIGIT,
            0x5F => Shape::UNDERSCORE,
            0x2E => Shape::DOT,
            0x21 | 0x3F => Shape::SENTENCE_MARK,
            0x3A => Shape::COLON,
            0x28 => Shape::PARENTHESIS,
            0x5B => Shape::BRACKET,
            0x20 => Shape::SPACE,
            0x21..=0x7E => Shape::OTHER,
            _ => Shape::UNPRINTABLE,
        };
        byte += 1;
    }
    kinds
};
