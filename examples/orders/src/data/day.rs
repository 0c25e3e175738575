//! Calendar days.

use std::{fmt, str::FromStr};

/// A day of the Gregorian calendar, as days since 1970-01-01. Written and read as `2026-03-09`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub u32);

/// Days from 0000-03-01, where the arithmetic below begins, to 1970-01-01.
const EPOCH: u32 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: u32 = 146_097;

impl Day {
    /// `None` when the calendar has no such day, or it is before 1970.
    #[must_use]
    pub fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || day == 0 {
            return None;
        }
        // Years begin in March here, so that the leap day is the last of its year.
        let shifted = if month <= 2 { year - 1 } else { year };
        let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let of_era = shifted % 400 * 365 + shifted % 400 / 4 - shifted % 400 / 100 + of_year;
        let made = Self(shifted / 400 * ERA + of_era - EPOCH);
        (made.date() == (year, month, day)).then_some(made)
    }

    /// Year, month from 1, day from 1.
    #[must_use]
    pub fn date(self) -> (u32, u32, u32) {
        let days = self.0 + EPOCH;
        let of_era = days % ERA;
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = (shifted_month + 2) % 12 + 1;
        let year = days / ERA * 400 + year_of_era + u32::from(month <= 2);
        (year, month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.date();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// The text is no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDay;

impl FromStr for Day {
    type Err = NoDay;

    fn from_str(text: &str) -> Result<Self, NoDay> {
        let mut parts = text.trim().split('-').map(|part| part.parse().ok());
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(Some(year)), Some(Some(month)), Some(Some(day)), None) => Self::new(year, month, day).ok_or(NoDay),
            _ => Err(NoDay),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Day;

    #[test]
    fn every_day_is_read_as_it_is_written() {
        let mut before = None;
        for day in (0..80_000).map(Day) {
            let (year, month, of_month) = day.date();
            assert_eq!(day.to_string().parse(), Ok(day));
            assert!(before < Some((year, month, of_month)), "{day}");
            before = Some((year, month, of_month));
        }
        assert_eq!(Day(0).to_string(), "1970-01-01");
        assert_eq!(Day(20_000).to_string(), "2024-10-04");
    }

    #[test]
    fn what_no_calendar_has_is_no_day() {
        for text in [
            "",
            "tomorrow",
            "2026-02-29",
            "2026-13-01",
            "2026-04-31",
            "2026-1",
            "2026-01-01-01",
            "1969-12-31",
        ] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }
}
