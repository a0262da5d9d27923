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
mod tests;
