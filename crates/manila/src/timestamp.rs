//! Timestamps in UTC, formatted as RFC 3339 and for file names.
//!
//! There is no clock here: callers pass the time.

use std::fmt;

pub(crate) mod date_time;

/// A point in time with millisecond precision, in the years 0 to 9999, the range of RFC 3339.
///
/// ```
/// let timestamp = manila::Timestamp::from_unix_ms(1_767_323_045_678);
/// assert_eq!(timestamp.to_string(), "2026-01-02T03:04:05.678Z");
/// assert_eq!(timestamp.compact(), "20260102T030405Z");
/// assert_eq!(manila::Timestamp::parse("2026-01-02T04:04:05.678+01:00"), Some(timestamp));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    unix_ms: i64,
}

/// The first and the last timestamp that can be formatted.
const FIRST_MS: i64 = -62_167_219_200_000;
const LAST_MS: i64 = 253_402_300_799_999;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The number of days in 400 years, after which the calendar repeats.
const CYCLE_DAYS: i64 = 146_097;

/// The number of days from 1 March of the year 0, where a cycle begins, to 1970.
const DAYS_TO_1970: i64 = 719_468;

impl Timestamp {
    /// Creates a timestamp from milliseconds since 1970 in UTC. A value out of range becomes the
    /// nearest timestamp that can be formatted.
    #[must_use]
    pub fn from_unix_ms(unix_ms: i64) -> Timestamp {
        Timestamp { unix_ms: unix_ms.clamp(FIRST_MS, LAST_MS) }
    }

    /// Parses an RFC 3339 date-time; `None` if it is invalid or does not exist. Digits beyond
    /// milliseconds are ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Timestamp> {
        date_time::parse_existing(text).map(|date_time| {
            let days = days_from_civil(date_time.year, date_time.month, date_time.day);
            let minutes = i64::from(date_time.hour) * 60 + i64::from(date_time.minute)
                - date_time.offset.minutes();
            let seconds = minutes * 60 + i64::from(date_time.second);
            Timestamp::from_unix_ms(days * DAY_MS + seconds * 1000 + i64::from(date_time.ms))
        })
    }

    /// Returns milliseconds since 1970 in UTC.
    #[must_use]
    pub fn unix_ms(self) -> i64 {
        self.unix_ms
    }

    /// Formats the timestamp in seconds without separators, for file names: `20260102T030405Z`.
    #[must_use]
    pub fn compact(self) -> String {
        let (year, month, day) = self.date();
        let (hour, minute, second, _) = self.time();
        format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
    }

    /// Returns year, month and day. Years start in March here, so that a leap day is the last of a
    /// year.
    fn date(self) -> (i64, i64, i64) {
        let days = self.unix_ms.div_euclid(DAY_MS) + DAYS_TO_1970;
        let (cycle, day) = (days.div_euclid(CYCLE_DAYS), days.rem_euclid(CYCLE_DAYS));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        (cycle * 400 + year + later, month, day)
    }

    /// Returns hour, minute, second and millisecond.
    fn time(self) -> (i64, i64, i64, i64) {
        let ms = self.unix_ms.rem_euclid(DAY_MS);
        (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
    }
}

/// Returns the number of days since 1970 of a date.
fn days_from_civil(year: u16, month: u16, day: u16) -> i64 {
    let (year, month, day) = (i64::from(year), i64::from(month), i64::from(day));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (cycle, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * month + 2) / 5 + day - 1;
    cycle * CYCLE_DAYS + year * 365 + year / 4 - year / 100 + day - DAYS_TO_1970
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let (hour, minute, second, ms) = self.time();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
    }
}

#[cfg(test)]
mod tests;
