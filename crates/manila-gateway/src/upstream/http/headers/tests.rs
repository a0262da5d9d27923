use super::encoded;

#[test]
fn values_that_a_header_cannot_carry_are_wrapped() {
    for (value, expected) in [
        ("us-west1", "us-west1"),
        ("a b", "a b"),
        ("", ""),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("Grüße", "=?base64?R3LDvMOfZQ==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ] {
        assert_eq!(encoded(value), expected);
    }
}
