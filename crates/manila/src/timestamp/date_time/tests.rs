use proptest::prelude::*;
use serde_json::json;

use super::is_date_time;

#[test]
fn accepts_existing_date_times() {
    for text in [
        "2026-01-02T03:04:05Z",
        "2026-01-02t03:04:05.123456789012345z",
        "2024-02-29T00:00:00+14:00",
        "2000-02-29T23:59:59-00:00",
        "0000-12-31T00:00:00Z",
        "9999-12-31T23:59:59.9-23:59",
        // Leap seconds end a month in UTC, with any offset.
        "1990-12-31T23:59:60Z",
        "1990-12-31T15:59:60-08:00",
        "1991-01-01T00:59:60.5+01:00",
        "2016-02-29T23:59:60Z",
        "2016-12-31T00:00:60-23:59",
    ] {
        assert!(is_date_time(text), "{text}");
    }
}

#[test]
fn rejects_other_texts() {
    for text in [
        "",
        "2026",
        "2026-01-02",
        "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05",
        "2026-01-02T03:04Z",
        "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05,5Z",
        "2026-01-02T03:04:05Z ",
        "2026-01-02T03:04:05+1:00",
        "2026-01-02T03:04:05+0100",
        "2026-02-30T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+00:60",
        "1990-12-31T23:58:60Z",
        "1990-12-31T22:59:60Z",
        "1990-12-31T23:59:60+01:00",
        "1990-12-30T23:59:60Z",
        "1991-01-02T00:59:60+01:00",
        "+2026-01-02T03:04:05Z",
        "٢٠٢٦-01-02T03:04:05Z",
    ] {
        assert!(!is_date_time(text), "{text}");
    }
}

proptest! {
    /// The implementations differ only in leap seconds within a month.
    #[test]
    fn agrees_with_a_second_implementation(
        date in "(19|20)[0-9][0-9]-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-2])",
        time in "[Tt ]([01][0-9]|2[0-4]):[0-6][0-9]:[0-5][0-9](\\.[0-9]{0,12})?",
        offset in "([Zz]|[+-]([01][0-9]|2[0-4]):[0-6][0-9])?",
    ) {
        let text = date + &time + &offset;
        let schema = json!({"format": "date-time"});
        let other = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        prop_assert_eq!(is_date_time(&text), other.is_valid(&json!(text)), "{}", text);
    }
}
