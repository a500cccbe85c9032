//! Rationals as text: parsing, printing, rounding to decimal digits.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString as _;
use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::dyadic::bits;
use crate::rational::power_of_ten;
use crate::{ParameterError, Rational, Rounding};

/// Longest text that is read, in bytes: two integers of 4096 bits, a sign and a stroke.
const MAX_TEXT: usize = 2_500;

/// Largest decimal exponent that can fit in 4096 bits, with room for a long significand.
const MAX_EXPONENT: u32 = 2_500;

/// Longest significand that is printed as a decimal; longer ones are printed as fractions.
const MAX_PRINTED_DIGITS: usize = 40;

/// The accepted form of a number, in the error for a malformed one.
const ACCEPTED: &str = "a number such as 0.317, 1e-9 or 1/3";
/// The accepted size of a number, in the error for one that is too long.
const ACCEPTED_SIZE: &str = "a number of at most 4096 bits in numerator and denominator";

impl FromStr for Rational {
    type Err = ParameterError;

    /// Reads an integer, a decimal with an optional exponent, or a fraction of integers, exactly.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        if text.len() > MAX_TEXT {
            return Err(ParameterError::new("number", text, ACCEPTED_SIZE));
        }
        let malformed = || ParameterError::new("number", text, ACCEPTED);
        let value = match text.split_once('/') {
            Some((numerator, denominator)) => {
                let numerator = parse_signed_digits(numerator).ok_or_else(malformed)?;
                let denominator = parse_digits(denominator).ok_or_else(malformed)?;
                if denominator.is_zero() {
                    return Err(malformed());
                }
                Self::reduced(numerator, denominator)
            }
            None => parse_decimal(text).ok_or_else(malformed)?,
        };
        if value.bits() > Self::MAX_BITS {
            return Err(ParameterError::new("number", text, ACCEPTED_SIZE));
        }
        Ok(value)
    }
}

/// Reads `[sign] digits`; `None` for any other text.
fn parse_signed_digits(text: &str) -> Option<BigInt> {
    let (negative, digits) = split_sign(text);
    let magnitude = parse_digits(digits)?;
    Some(if negative { -magnitude } else { magnitude })
}

/// Reads `[sign] digits [. digits] [e [sign] digits]`, with a digit on at least one side of the
/// point; `None` for any other text.
fn parse_decimal(text: &str) -> Option<Rational> {
    let (negative, text) = split_sign(text);
    let (significand, exponent) = match text.split_once(['e', 'E']) {
        Some((significand, exponent)) => (significand, parse_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let magnitude = parse_digits(&[whole, fraction].concat())?;
    let scale = exponent - i64::try_from(fraction.len()).ok()?;
    let value = Rational::integer(magnitude) * power_of_ten(scale);
    Some(if negative { -value } else { value })
}

/// Reads `[sign] digits`, at most [`MAX_EXPONENT`] in size; `None` for any other text.
fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude: u32 = digits.parse().ok().filter(|&size| size <= MAX_EXPONENT)?;
    let exponent = i64::from(magnitude);
    Some(if negative { -exponent } else { exponent })
}

/// Whether the text begins with a minus, and the text without its sign.
fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
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
        match self.significand_and_exponent() {
            Some((digits, exponent)) => {
                let text = format_decimal(&digits.magnitude().to_string(), exponent);
                formatter.pad_integral(digits.sign() != Sign::Minus, "", &text)
            }
            None => write!(formatter, "{}/{}", self.numerator(), self.denominator()),
        }
    }
}

impl Rational {
    /// The integers d and e for which this number is d·10^e, d not a multiple of ten. `None` if no
    /// decimal is exact, or d has more than `MAX_PRINTED_DIGITS` digits.
    fn significand_and_exponent(&self) -> Option<(BigInt, i64)> {
        if self.is_zero() {
            return Some((BigInt::zero(), 0));
        }
        let (rest, twos) = divide_out(self.denominator().clone(), 2);
        let (rest, fives) = divide_out(rest, 5);
        if !rest.is_one() {
            return None;
        }
        let places = twos.max(fives);
        let (digits, zeros) = divide_out((self * &power_of_ten(places)).floor(), 10);
        let short = digits.magnitude().to_string().len() <= MAX_PRINTED_DIGITS;
        short.then_some((digits, zeros - places))
    }

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

    /// This number rounded to `significant_digits`, clamped to 1..=[`Rational::MAX_DIGITS`].
    ///
    /// ```
    /// use dp_exact::{Rational, Rounding};
    ///
    /// let third: Rational = "1/3".parse()?;
    /// assert_eq!(third.to_decimal(4, Rounding::Up), "0.3334");
    /// assert_eq!(third.to_decimal(4, Rounding::Down), "0.3333");
    /// # Ok::<(), dp_exact::ParameterError>(())
    /// ```
    #[must_use]
    pub fn to_decimal(&self, significant_digits: usize, rounding: Rounding) -> String {
        let (digits, exponent) = self.rounded(significant_digits, rounding);
        let sign = if digits.sign() == Sign::Minus { "-" } else { "" };
        sign.to_owned() + &format_decimal(&digits.magnitude().to_string(), exponent)
    }

    /// The number that [`Rational::to_decimal`] prints.
    ///
    /// Beyond 1e±1200 it may have more than [`Rational::MAX_BITS`] bits, and its text is then refused
    /// by the parser: 2^−4096 with five digits is 9.5754e-1234, a fraction over 10^1238.
    #[must_use]
    pub fn round_to_digits(&self, significant_digits: usize, rounding: Rounding) -> Self {
        let (digits, exponent) = self.rounded(significant_digits, rounding);
        Self::integer(digits) * power_of_ten(exponent)
    }

    /// Integers n and e for which n·10^e is this number, rounded to `significant_digits`.
    fn rounded(&self, significant_digits: usize, rounding: Rounding) -> (BigInt, i64) {
        if self.is_zero() {
            return (BigInt::zero(), 0);
        }
        let kept = i64::from(given_digits(significant_digits));
        let exponent = self.decimal_exponent() + 1 - kept;
        (self.round_to_power_of_ten(exponent, rounding), exponent)
    }
}

/// `asked` significant digits, clamped to 1..=[`Rational::MAX_DIGITS`].
pub(crate) fn given_digits(asked: usize) -> u32 {
    u32::try_from(asked).map_or(Rational::MAX_DIGITS, |asked| asked.clamp(1, Rational::MAX_DIGITS))
}

/// `value` divided by `factor` as often as leaves an integer, and how often that was.
fn divide_out(mut value: BigInt, factor: u32) -> (BigInt, i64) {
    let factor = BigInt::from(factor);
    let mut count = 0;
    loop {
        let (quotient, remainder) = value.div_rem(&factor);
        if !remainder.is_zero() {
            return (value, count);
        }
        value = quotient;
        count += 1;
    }
}

/// The text of `digits`·10^`exponent`, in plain notation if that is short, else in scientific.
fn format_decimal(digits: &str, exponent: i64) -> String {
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let point = length + exponent; // digits before the point
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    if digits == "0" {
        "0".to_owned()
    } else if exponent >= 0 && point <= 21 {
        digits.to_owned() + &zeros(exponent)
    } else if exponent < 0 && point > 0 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
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
