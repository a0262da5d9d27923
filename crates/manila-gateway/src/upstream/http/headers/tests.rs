use super::encode_value;

#[test]
fn encodes_values_that_a_header_cannot_contain() {
    for (value, expected) in [
        ("us-west1", "us-west1"),
        ("a b", "a b"),
        ("", ""),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("Grüße", "=?base64?R3LDvMOfZQ==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ] {
        assert_eq!(encode_value(value), expected);
    }
}
