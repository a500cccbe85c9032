//! Dyadic numbers m·2^e: the end points of intervals, and directed rounding on them.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use core::cmp::Ordering;
use core::fmt::{self, Display, Formatter};

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::{Rational, Rounding};

/// Largest absolute exponent of a number that [`Dyadic::to_rational`] turns into a fraction.
const MAX_FRACTION_EXPONENT: i64 = 1 << 17;

/// An exact number mantissa·2^exponent.
#[derive(Clone, Debug)]
pub struct Dyadic {
    mantissa: BigInt,
    exponent: i64,
}

/// The side to which an operation rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toward {
    /// Toward −∞: a lower bound.
    Below,
    /// Toward +∞: an upper bound.
    Above,
}

impl Dyadic {
    /// `mantissa`·2^`exponent`.
    pub fn new(mantissa: impl Into<BigInt>, exponent: i64) -> Self {
        let mantissa = mantissa.into();
        let exponent = if mantissa.is_zero() { 0 } else { exponent };
        Self { mantissa, exponent }
    }

    pub(crate) fn zero() -> Self {
        Self::new(0, 0)
    }

    pub(crate) fn one() -> Self {
        Self::new(1, 0)
    }

    /// The mantissa, not necessarily odd.
    pub fn mantissa(&self) -> &BigInt {
        &self.mantissa
    }

    /// The exponent of two.
    pub fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The sign of the number: −1, 0 or 1.
    pub(crate) fn signum(&self) -> i32 {
        match self.mantissa.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        }
    }

    /// The t with 2^(t−1) ≤ |self| < 2^t; for 0 an integer below every exponent.
    pub(crate) fn top(&self) -> i64 {
        if self.mantissa.is_zero() {
            return i64::MIN / 4;
        }
        bits(&self.mantissa) + self.exponent
    }

    /// This number times 2^`power_of_two`, exactly.
    pub(crate) fn shifted(&self, power_of_two: i64) -> Self {
        Self::new(self.mantissa.clone(), self.exponent + power_of_two)
    }

    pub(crate) fn negated(&self) -> Self {
        Self::new(-&self.mantissa, self.exponent)
    }

    /// ⌊self·2^`power_of_two`⌋, the number in fixed point.
    ///
    /// # Panics
    /// If the result does not fit the memory.
    #[must_use]
    pub fn floor_shifted(&self, power_of_two: u64) -> BigInt {
        self.fixed(i64::try_from(power_of_two).expect("no memory holds 2^63 bits"))
    }

    /// ⌊self·2^`fraction_bits`⌋, the number in fixed point.
    pub(crate) fn fixed(&self, fraction_bits: i64) -> BigInt {
        shift(&self.mantissa, self.exponent + fraction_bits)
    }

    /// This number rounded to at most `precision` bits of mantissa, to −∞ or +∞ as `toward` says.
    pub(crate) fn rounded(self, precision: u32, toward: Toward) -> Self {
        let excess = bits(&self.mantissa) - i64::from(precision);
        if excess <= 0 {
            return self;
        }
        let mantissa = match toward {
            Toward::Below => self.mantissa >> excess,
            Toward::Above => -(-self.mantissa >> excess),
        };
        Self::new(mantissa, self.exponent + excess)
    }

    /// self + other, rounded to `precision` bits.
    pub(crate) fn add(&self, other: &Self, precision: u32, toward: Toward) -> Self {
        let (large, small) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        if small.mantissa.is_zero() {
            return large.clone().rounded(precision, toward);
        }
        // A summand far below the last kept bit only decides which way to round.
        let last = large.exponent.min(large.top() - i64::from(precision)) - 2;
        if small.top() < last {
            let nudge = match (toward, small.signum()) {
                (Toward::Below, -1) => -1,
                (Toward::Above, 1) => 1,
                _ => 0,
            };
            let mantissa = shift(&large.mantissa, large.exponent - last) + nudge;
            return Self::new(mantissa, last).rounded(precision, toward);
        }
        let exponent = large.exponent.min(small.exponent);
        let sum = shift(&large.mantissa, large.exponent - exponent)
            + shift(&small.mantissa, small.exponent - exponent);
        Self::new(sum, exponent).rounded(precision, toward)
    }

    /// self · other, rounded to `precision` bits.
    pub(crate) fn mul(&self, other: &Self, precision: u32, toward: Toward) -> Self {
        let product = &self.mantissa * &other.mantissa;
        Self::new(product, self.exponent + other.exponent).rounded(precision, toward)
    }

    /// self/divisor, rounded to `precision` bits. The divisor is not 0.
    pub(crate) fn div(&self, divisor: &Self, precision: u32, toward: Toward) -> Self {
        let missing = i64::from(precision) + 2 + bits(&divisor.mantissa) - bits(&self.mantissa);
        let widened = missing.max(0);
        let numerator = shift(&self.mantissa, widened);
        let quotient = match toward {
            Toward::Below => numerator.div_floor(&divisor.mantissa),
            Toward::Above => numerator.div_ceil(&divisor.mantissa),
        };
        Self::new(quotient, self.exponent - divisor.exponent - widened).rounded(precision, toward)
    }

    /// The square root of a number that is not negative, rounded to `precision` bits.
    pub(crate) fn sqrt(&self, precision: u32, toward: Toward) -> Self {
        // A radicand of twice as many bits as the root needs, with an even exponent.
        let missing = (2 * (i64::from(precision) + 2) - bits(&self.mantissa)).max(0);
        let widened = missing + (self.exponent - missing).rem_euclid(2);
        let radicand = shift(&self.mantissa, widened);
        let mut root = radicand.sqrt();
        if toward == Toward::Above && &root * &root < radicand {
            root += 1;
        }
        Self::new(root, (self.exponent - widened) / 2).rounded(precision, toward)
    }

    /// `value`, rounded to `precision` bits.
    pub(crate) fn from_rational(value: &Rational, precision: u32, toward: Toward) -> Self {
        let numerator = Self::new(value.numerator().clone(), 0);
        if value.is_integer() {
            return numerator.rounded(precision, toward);
        }
        let denominator = Self::new(value.denominator().clone(), 0);
        numerator.div(&denominator, precision, toward)
    }

    /// The exact fraction; `None` if the exponent is beyond ±2^17.
    #[must_use]
    pub fn to_rational(&self) -> Option<Rational> {
        if self.exponent.abs() > MAX_FRACTION_EXPONENT {
            return None;
        }
        Some(match self.exponent {
            0.. => Rational::integer(&self.mantissa << self.exponent),
            _ => Rational::reduced(self.mantissa.clone(), BigInt::one() << -self.exponent),
        })
    }

    /// The order of this number and a fraction.
    #[must_use]
    pub fn cmp_rational(&self, other: &Rational) -> Ordering {
        let denominator = Self::new(other.denominator().clone(), 0);
        let scaled = Self::new(&self.mantissa * denominator.mantissa, self.exponent);
        scaled.cmp(&Self::new(other.numerator().clone(), 0))
    }

    /// The nearest `f64`, for utility figures and plots.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        match self.clone().rounded(80, Toward::Below) {
            tiny if tiny.top() < -2000 => 0.0,
            huge if huge.top() > 2000 => f64::INFINITY.copysign(f64::from(huge.signum())),
            number => match number.to_rational() {
                Some(value) => value.to_f64(),
                None => unreachable!("the exponent is within ±2080"),
            },
        }
    }

    /// This number rounded to `significant_digits`, clamped to 1..=[`Rational::MAX_DIGITS`]. With
    /// an exponent below −2^17 it is printed as 0 or ±1e-39000, still a bound on the chosen side.
    #[must_use]
    pub fn to_decimal(&self, significant_digits: usize, rounding: Rounding) -> String {
        match self.to_rational() {
            Some(value) => value.to_decimal(significant_digits, rounding),
            None if self.exponent > 0 => format!("{}·2^{}", self.mantissa, self.exponent),
            None => match (rounding, self.signum()) {
                (Rounding::Up, 1) => "1e-39000".to_owned(),
                (Rounding::Down, -1) => "-1e-39000".to_owned(),
                _ => "0".to_owned(),
            },
        }
    }
}

/// The number of bits of |`integer`|.
pub(crate) fn bits(integer: &BigInt) -> i64 {
    i64::try_from(integer.bits()).expect("no memory holds 2^63 bits")
}

/// ⌊`integer`·2^`power_of_two`⌋
pub(crate) fn shift(integer: &BigInt, power_of_two: i64) -> BigInt {
    match power_of_two {
        0.. => integer << power_of_two,
        _ if -power_of_two > bits(integer) => {
            BigInt::from(if integer.is_negative() { -1 } else { 0 })
        }
        _ => integer >> -power_of_two,
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.signum().cmp(&other.signum());
        if signs.is_ne() || self.mantissa.is_zero() {
            return signs;
        }
        let tops = self.top().cmp(&other.top());
        if tops.is_ne() {
            return if self.signum() > 0 { tops } else { tops.reverse() };
        }
        let exponent = self.exponent.min(other.exponent);
        shift(&self.mantissa, self.exponent - exponent)
            .cmp(&shift(&other.mantissa, other.exponent - exponent))
    }
}

impl Display for Dyadic {
    /// Twenty digits, rounded to nearest; [`Dyadic::to_decimal`] rounds to a chosen side.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.to_decimal(20, Rounding::Nearest))
    }
}
