//! The clock: the one module that reads the time, and the timestamps it returns.

use std::fmt;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Returns the monotonic time.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the wall-clock time.
#[expect(clippy::disallowed_methods, reason = "this is the one module that reads the clock")]
pub(crate) fn timestamp() -> Timestamp {
    // A clock before 1970 has not been set.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp { unix_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) }
}

/// A time since 1970 in milliseconds; `Display` writes it as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    unix_ms: u64,
}

impl Timestamp {
    /// Returns the time this many milliseconds later.
    pub(crate) fn plus_ms(self, ms: u64) -> Timestamp {
        Timestamp { unix_ms: self.unix_ms.saturating_add(ms) }
    }

    /// Returns the year, month and day of the Gregorian calendar.
    ///
    /// Counts in cycles of 400 years from 1 March of the year 0, so that a leap day is the last
    /// day of its year.
    fn date(self) -> (u64, u64, u64) {
        const DAYS_TO_1970: u64 = 719_468;
        const CYCLE_DAYS: u64 = 146_097;
        let days = self.unix_ms / 86_400_000 + DAYS_TO_1970;
        let (cycle, day) = (days / CYCLE_DAYS, days % CYCLE_DAYS);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let (month, n_later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        (cycle * 400 + year + n_later, month, day)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        let ms = self.unix_ms;
        let (hour, minute, second) = (ms / 3_600_000 % 24, ms / 60_000 % 60, ms / 1000 % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
            ms % 1000
        )
    }
}

#[cfg(test)]
mod tests;
