use bytes::Bytes;
use manila::json::{Emit, ObjectWriter};
use manila::{JsonObject, RawJson};

use super::{LARGE_BYTES, LargeParts, Outgoing};

/// Writes an object with this value as text, as itself and as text again.
fn write(value: &RawJson) -> Outgoing {
    let large = LargeParts::default();
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.member("first", &large.text(value));
    object.member("value", &large.value(value));
    object.member("last", &large.text(value));
    object.end();
    large.insert_into(out.into())
}

#[track_caller]
fn check(value: &RawJson, n_chunks_min: usize) {
    let expected = JsonObject::build(|object| {
        object.member("first", value.as_str());
        object.member("value", value);
        object.member("last", value.as_str());
    });
    let written = write(value);
    assert_eq!(written.len(), expected.as_raw().as_bytes().len());
    let chunks: Vec<Bytes> = written.clone().into_chunks().collect();
    assert!(chunks.len() >= n_chunks_min, "{}", chunks.len());
    assert_eq!(chunks.concat(), expected.as_raw().as_bytes());
    assert_eq!(written.into_bytes(), expected.as_raw().as_bytes());
}

#[test]
fn parts_are_written_in_order() {
    check(&RawJson::of("short \" text").unwrap(), 1);
    check(&RawJson::of(&"x".repeat(LARGE_BYTES)).unwrap(), 7);
    check(&RawJson::of(&"\"\\\n\u{1}é".repeat(LARGE_BYTES)).unwrap(), 20);
    let spaced = format!("[1, \t\n\"{}\"]", "a".repeat(LARGE_BYTES));
    let spaced = RawJson::parse(spaced).unwrap();
    check(&spaced, 7);
}

#[test]
fn large_parts_share_memory() {
    let value = RawJson::of(&"x".repeat(LARGE_BYTES)).unwrap();
    let is_shared = |chunk: &Bytes| chunk.as_ptr() == value.as_bytes().as_ptr();
    assert_eq!(write(&value).into_chunks().filter(is_shared).count(), 1);
    let mut small = Vec::new();
    LargeParts::default().value(&RawJson::of("x").unwrap()).emit(&mut small);
    assert_eq!(small, b"\"x\"");
}

#[test]
fn chunks_count_what_is_left() {
    let written = write(&RawJson::of(&"\n".repeat(LARGE_BYTES)).unwrap());
    let mut chunks = written.into_chunks();
    while let n_left @ 1.. = chunks.n_bytes() {
        let chunk = chunks.next().unwrap();
        assert_eq!(chunks.n_bytes(), n_left - chunk.len());
    }
    assert!(chunks.next().is_none());
    let mut empty = Outgoing::from(Bytes::new()).into_chunks();
    assert_eq!((empty.n_bytes(), empty.next(), empty.next()), (0, Some(Bytes::new()), None));
}
