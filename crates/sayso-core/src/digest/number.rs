//! Numbers in canonical form.

use std::borrow::Cow;

/// A number and how exactly it could be written.
pub(super) enum Number {
    /// As ECMAScript writes the double, and that is the number that stood there.
    Double(String),
    /// No double is this number: its digits and exponent.
    Beyond(String),
}

/// Writes a JSON number so that all spellings of one number come out the same.
pub(super) fn canonical(raw: &str) -> Number {
    let decimal = Decimal::read(raw);
    if let Some(double) = raw.parse::<f64>().ok().filter(|double| double.is_finite()) {
        let mut buffer = ryu_js::Buffer::new();
        let shortest = buffer.format_finite(double);
        if decimal.is_some() && Decimal::read(shortest) == decimal {
            return Number::Double(shortest.to_owned());
        }
    }
    // The text alone still says which number it is, so it is unlike that of any other.
    Number::Beyond(decimal.map_or_else(|| raw.to_owned(), |decimal| decimal.write()))
}

/// The number as `digits × 10^exponent`: digits without zeros at either end, none for zero.
#[derive(PartialEq)]
struct Decimal<'a> {
    negative: bool,
    digits: Cow<'a, str>,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    /// `None` when the exponent goes past what an `i64` holds.
    fn read(raw: &'a str) -> Option<Self> {
        let (negative, unsigned) = match raw.strip_prefix('-') {
            Some(unsigned) => (true, unsigned),
            None => (false, raw),
        };
        let (mantissa, exponent) = unsigned
            .split_once(['e', 'E'])
            .map_or((unsigned, "0"), |(mantissa, exponent)| (mantissa, exponent));
        let (digits, places) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (Cow::Owned(format!("{whole}{fraction}")), fraction.len()),
            None => (Cow::Borrowed(mantissa), 0),
        };
        let without_leading = digits.trim_start_matches('0');
        let trimmed = without_leading.trim_end_matches('0');
        if trimmed.is_empty() {
            return Some(Self {
                negative: false,
                digits: Cow::Borrowed(""),
                exponent: 0,
            });
        }
        let trailing = i64::try_from(without_leading.len() - trimmed.len()).ok()?;
        let exponent = exponent
            .parse::<i64>()
            .ok()?
            .checked_sub(i64::try_from(places).ok()?)?
            .checked_add(trailing)?;
        Some(Self {
            negative,
            digits: Cow::Owned(trimmed.to_owned()),
            exponent,
        })
    }

    fn write(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
    }
}
