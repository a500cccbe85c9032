//! Rationals as text: parsing, printing, rounding to decimal digits.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString as _;
use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_traits::Zero;

use crate::dyadic::bits;
use crate::rational::power_of_ten;
use crate::{ParameterError, Rational, Rounding};

/// Longest text that is read, in bytes: two integers of 4096 bits, a sign and a stroke.
const MAX_TEXT: usize = 2_500;

/// Largest decimal exponent that can fit in 4096 bits, with room for a long significand.
const MAX_EXPONENT: u64 = 2_500;

/// Longest significand that is printed as a decimal; longer ones are printed as fractions.
const MAX_PRINTED_DIGITS: usize = 40;

/// The accepted form of a number, in errors.
const ACCEPTED: &str = "a number such as 0.317, 1e-9 or 1/3";
/// The accepted size of a number, in errors.
const ACCEPTED_SIZE: &str = "a number of at most 4096 bits in numerator and denominator";

impl FromStr for Rational {
    type Err = ParameterError;

    /// Reads an integer, a decimal with an optional exponent, or a fraction of integers, exactly.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        if text.len() > MAX_TEXT {
            return Err(ParameterError::new("number", text, ACCEPTED_SIZE));
        }
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let magnitude = match unsigned.split_once('/') {
            Some((numerator, denominator)) => parse_digits(numerator)
                .zip(parse_digits(denominator).filter(|denominator| !denominator.is_zero()))
                .map(|(numerator, denominator)| Self::reduced(numerator, denominator)),
            None => parse_decimal(unsigned),
        };
        let magnitude = magnitude.ok_or_else(|| ParameterError::new("number", text, ACCEPTED))?;
        if magnitude.bits() > Self::MAX_BITS {
            return Err(ParameterError::new("number", text, ACCEPTED_SIZE));
        }
        Ok(if text.starts_with('-') { -magnitude } else { magnitude })
    }
}

/// Reads `digits [. digits] [e [sign] digits]`, with a digit on at least one side of the point.
/// `None` for any other text, and for an exponent beyond ±2500.
fn parse_decimal(text: &str) -> Option<Rational> {
    // An exponent that is not written is 0, and so are digits behind the point.
    let (significand, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let magnitude = parse_digits(&[whole, fraction].concat())?;
    let scale = exponent - i64::try_from(fraction.len()).ok()?;
    let is_small = exponent.unsigned_abs() <= MAX_EXPONENT;
    is_small.then(|| Rational::integer(magnitude) * power_of_ten(scale))
}

/// Reads one or more decimal digits; `None` for any other text.
fn parse_digits(text: &str) -> Option<BigInt> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| BigInt::parse_bytes(text.as_bytes(), 10))?
}

impl Display for Rational {
    /// A decimal if the expansion ends within forty digits, else a fraction. Parsing it gives this
    /// number again.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.round_to_digits(MAX_PRINTED_DIGITS, Rounding::Down) != *self {
            return write!(formatter, "{}/{}", self.numerator(), self.denominator());
        }
        let (digits, exponent) = self.rounded(MAX_PRINTED_DIGITS, Rounding::Down);
        let digits = digits.magnitude().to_string();
        let short = digits.trim_end_matches('0');
        let zeros = i64::try_from(digits.len() - short.len()).expect("at most forty digits");
        let text = match self.is_zero() {
            true => digits,
            false => format_decimal(short, exponent + zeros),
        };
        formatter.pad_integral(!self.is_negative(), "", &text)
    }
}

impl Rational {
    /// The exponent e with 10^e ≤ |self| < 10^(e+1); the number is not 0.
    fn decimal_exponent(&self) -> i64 {
        let binary = bits(self.numerator()) - bits(self.denominator());
        // log₁₀ 2 lies between 0.30102 and 0.30103, so this is at or just below the exponent.
        let mut exponent = (binary - 1) * if binary > 0 { 30_102 } else { 30_103 } / 100_000 - 1;
        let magnitude = self.abs();
        while magnitude >= power_of_ten(exponent + 1) {
            exponent += 1;
        }
        exponent
    }

    /// This number rounded to `significant_digits`, clamped to 1..=[`Rational::MAX_DIGITS`]: 1/3
    /// with four digits is 0.3334 rounded up and 0.3333 rounded down.
    #[must_use]
    pub fn to_decimal(&self, significant_digits: usize, rounding: Rounding) -> String {
        let (digits, exponent) = self.rounded(significant_digits, rounding);
        let sign = if digits.sign() == Sign::Minus { "-" } else { "" };
        sign.to_owned() + &format_decimal(&digits.magnitude().to_string(), exponent)
    }

    /// The number that [`Rational::to_decimal`] prints. Beyond 1e±1200 it may have more than
    /// [`Rational::MAX_BITS`] bits, and its text is then refused by the parser.
    #[must_use]
    pub fn round_to_digits(&self, significant_digits: usize, rounding: Rounding) -> Self {
        let (digits, exponent) = self.rounded(significant_digits, rounding);
        Self::integer(digits) * power_of_ten(exponent)
    }

    /// Integers n and e for which n·10^e is this number, rounded to `significant_digits`, which are
    /// clamped to 1..=[`Rational::MAX_DIGITS`]. Both are 0 for 0.
    fn rounded(&self, significant_digits: usize, rounding: Rounding) -> (BigInt, i64) {
        if self.is_zero() {
            return (BigInt::zero(), 0);
        }
        let kept = u32::try_from(significant_digits)
            .map_or(Self::MAX_DIGITS, |digits| digits.clamp(1, Self::MAX_DIGITS));
        let kept = i64::from(kept);
        let exponent = self.decimal_exponent() + 1 - kept;
        (self.round_to_power_of_ten(exponent, rounding), exponent)
    }
}

/// The text of `digits`·10^`exponent`, `digits` without a sign or leading zeros: in plain notation
/// from 1e-4 on, unless it is an integer of more than 21 digits; else in scientific.
fn format_decimal(digits: &str, exponent: i64) -> String {
    let length = i64::try_from(digits.len()).expect("no text has 2^63 digits");
    let point = length + exponent; // digits before the point
    let size = |count: i64| usize::try_from(count).expect("each form has counts of its own");
    let zeros = |count: i64| "0".repeat(size(count));
    if digits == "0" {
        "0".to_owned()
    } else if exponent >= 0 && point <= 21 {
        digits.to_owned() + &zeros(exponent)
    } else if exponent < 0 && point > 0 {
        let (whole, fraction) = digits.split_at(size(point));
        format!("{whole}.{fraction}")
    } else if exponent < 0 && point > -4 {
        format!("0.{}{digits}", zeros(-point))
    } else if length == 1 {
        format!("{digits}e{}", point - 1)
    } else {
        let (first, rest) = digits.split_at(1);
        format!("{first}.{rest}e{}", point - 1)
    }
}
