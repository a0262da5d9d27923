//! RFC 3339 date-times.

/// Returns whether `text` is an RFC 3339 date-time that exists.
pub(crate) fn is_date_time(text: &str) -> bool {
    parse_existing(text).is_some()
}

/// Parses an RFC 3339 date-time that exists.
pub(crate) fn parse_existing(text: &str) -> Option<DateTime> {
    read(&mut Rest(text.as_bytes())).filter(DateTime::exists)
}

/// A parsed date-time, which may not exist.
pub(crate) struct DateTime {
    pub(crate) year: u16,
    pub(crate) month: u16,
    pub(crate) day: u16,
    pub(crate) hour: u16,
    pub(crate) minute: u16,
    pub(crate) second: u16,
    /// Milliseconds; further digits are not kept.
    pub(crate) ms: u16,
    pub(crate) offset: Offset,
}

/// The offset of a local time from UTC.
pub(crate) struct Offset {
    is_behind: bool,
    hour: u16,
    minute: u16,
}

impl Offset {
    /// Returns the offset in minutes, negative if local time is behind UTC.
    pub(crate) fn minutes(&self) -> i64 {
        let minutes = i64::from(self.hour) * 60 + i64::from(self.minute);
        if self.is_behind { -minutes } else { minutes }
    }
}

fn read(rest: &mut Rest<'_>) -> Option<DateTime> {
    let year = rest.digits(4)?;
    rest.one_of(b"-")?;
    let month = rest.digits(2)?;
    rest.one_of(b"-")?;
    let day = rest.digits(2)?;
    rest.one_of(b"Tt")?;
    let hour = rest.digits(2)?;
    rest.one_of(b":")?;
    let minute = rest.digits(2)?;
    rest.one_of(b":")?;
    let second = rest.digits(2)?;
    let ms = if rest.one_of(b".").is_some() { rest.fraction()? } else { 0 };
    let offset = match rest.one_of(b"Zz+-")? {
        sign @ (b'+' | b'-') => {
            let hour = rest.digits(2)?;
            rest.one_of(b":")?;
            Offset { is_behind: sign == b'-', hour, minute: rest.digits(2)? }
        }
        _ => Offset { is_behind: false, hour: 0, minute: 0 },
    };
    let date_time = DateTime { year, month, day, hour, minute, second, ms, offset };
    rest.0.is_empty().then_some(date_time)
}

impl DateTime {
    fn exists(&self) -> bool {
        let Offset { hour, minute, .. } = self.offset;
        let has_day = (1..=12).contains(&self.month) && (1..=self.last_day()).contains(&self.day);
        let has_time = self.hour <= 23 && self.minute <= 59 && hour <= 23 && minute <= 59;
        let has_second = self.second <= 59 || (self.second == 60 && self.ends_a_month());
        has_day && has_time && has_second
    }

    fn last_day(&self) -> u16 {
        let year = self.year;
        let is_leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    /// Returns whether this is the last minute of a month in UTC, the only place for a leap second.
    fn ends_a_month(&self) -> bool {
        const LAST_MINUTE: i64 = 24 * 60 - 1;
        let minutes = i64::from(self.hour) * 60 + i64::from(self.minute);
        match minutes - self.offset.minutes() {
            // In UTC it is still the day before.
            -1 => self.day == 1,
            LAST_MINUTE => self.day == self.last_day(),
            _ => false,
        }
    }
}

/// The unread rest of the input.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Reads the next byte if it is one of `allowed`.
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        if !allowed.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(*first)
    }

    /// Reads one or more digits after the point, as thousandths.
    fn fraction(&mut self) -> Option<u16> {
        let mut thousandths = self.digits(1)? * 100;
        let mut unit = 10;
        while let Some(digit) = self.digits(1) {
            thousandths += digit * unit;
            unit /= 10;
        }
        Some(thousandths)
    }

    /// Reads a number of exactly `n` digits, at most four.
    fn digits(&mut self, n: usize) -> Option<u16> {
        let (digits, rest) = self.0.split_at_checked(n)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
    }
}

#[cfg(test)]
mod tests {
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
}
