use proptest::prelude::*;

use super::{DAY_MS, FIRST_MS, LAST_MS, Timestamp};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Timestamp::parse(text).unwrap().to_string(), expected);
}

#[test]
fn parses_and_formats_timestamps() {
    check("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z");
    check("2024-02-29T23:59:59.9999Z", "2024-02-29T23:59:59.999Z");
    check("2026-01-01T00:30:00.5+01:00", "2025-12-31T23:30:00.500Z");
    check("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000Z");
    check("1969-12-31T23:59:59.001Z", "1969-12-31T23:59:59.001Z");
    // A leap second becomes the first second after it, as in Unix time.
    check("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z");
    for invalid in ["", "now", "2026-02-29T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00"] {
        assert_eq!(Timestamp::parse(invalid), None, "{invalid}");
    }
}

#[test]
fn a_value_out_of_range_becomes_the_nearest_timestamp() {
    assert_eq!(Timestamp::from_unix_ms(i64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    assert_eq!(Timestamp::from_unix_ms(i64::MIN).to_string(), "0000-01-01T00:00:00.000Z");
}

#[test]
fn dates_agree_with_a_calendar_counted_day_by_day() {
    let (mut year, mut month, mut day) = (0_i64, 1, 1);
    for n in 0..(800 * 366) {
        let timestamp = Timestamp::from_unix_ms(FIRST_MS + n * DAY_MS);
        assert_eq!(timestamp.date(), (year, month, day));
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let last = [31, 28 + i64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        (year, month, day) = match (month, day) {
            (12, 31) => (year + 1, 1, 1),
            (month, day) if day == last[usize::try_from(month).unwrap() - 1] => {
                (year, month + 1, 1)
            }
            (month, day) => (year, month, day + 1),
        };
    }
}

proptest! {
    #[test]
    fn a_formatted_timestamp_parses_to_itself(unix_ms in FIRST_MS..=LAST_MS) {
        let timestamp = Timestamp::from_unix_ms(unix_ms);
        prop_assert_eq!(timestamp.unix_ms(), unix_ms);
        prop_assert_eq!(Timestamp::parse(&timestamp.to_string()), Some(timestamp));
    }
}
