//! An exact rational number: a reduced fraction of big integers with a positive denominator. A
//! newtype, as the constructor of `Ratio<BigInt>` panics on a zero denominator.

use alloc::format;
use core::cmp::Ordering;
use core::ops::{Add, Mul, Neg, Sub};

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::float::FloatCore as _;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::ParameterError;
use crate::dyadic::bits;

/// An exact rational number. It parses from what a user types and prints a text that parses back to
/// the same number:
///
/// ```
/// use dp_exact::Rational;
///
/// let third: Rational = "1/3".parse()?;
/// let tenth: Rational = "0.1".parse()?;
/// assert_eq!((third + tenth).to_string(), "13/30");
/// assert_eq!("1e-9".parse::<Rational>()?, Rational::new(1, 1_000_000_000)?);
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
///
/// Numbers from outside (parsed, deserialized, or built by [`Rational::new`]) have at most
/// [`Rational::MAX_BITS`] bits in numerator and denominator. Arithmetic is exact and unbounded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rational(Ratio<BigInt>);

/// The side to which a number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Towards +∞: never below the number.
    Up,
    /// Towards −∞: never above the number.
    Down,
    /// To the nearest, ties away from zero.
    Nearest,
}

impl Rational {
    /// The most bits that the numerator or the denominator of a number from outside may have.
    pub const MAX_BITS: u64 = 4096;

    /// The most significant digits that a number is rounded to.
    pub const MAX_DIGITS: u32 = 1 << 14;

    /// The fraction `numerator / denominator`.
    ///
    /// # Errors
    /// If the denominator is zero, or if either has more than [`Rational::MAX_BITS`] bits.
    pub fn new(
        numerator: impl Into<BigInt>,
        denominator: impl Into<BigInt>,
    ) -> Result<Self, ParameterError> {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        if denominator.is_zero() {
            return Err(ParameterError::new("denominator", 0, "an integer other than 0"));
        }
        for (name, part) in [("numerator", &numerator), ("denominator", &denominator)] {
            if part.bits() > Self::MAX_BITS {
                let size = format!("an integer of {} bits", part.bits());
                return Err(ParameterError::new(name, size, "at most 4096 bits"));
            }
        }
        Ok(Self(Ratio::new(numerator, denominator)))
    }

    /// `numerator`/`denominator`, of any size. The denominator is not 0.
    pub(crate) fn reduced(numerator: BigInt, denominator: BigInt) -> Self {
        debug_assert!(!denominator.is_zero());
        Self(Ratio::new(numerator, denominator))
    }

    /// The integer `value`.
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Self(Ratio::from_integer(value.into()))
    }

    /// 0.
    #[must_use]
    pub fn zero() -> Self {
        Self(Ratio::zero())
    }

    /// 1.
    #[must_use]
    pub fn one() -> Self {
        Self(Ratio::one())
    }

    /// The exact value of a finite `f64`: `0.1` becomes 3602879701896397/36028797018963968.
    ///
    /// # Errors
    /// If `value` is infinite or not a number.
    pub fn from_f64(value: f64) -> Result<Self, ParameterError> {
        if !value.is_finite() {
            return Err(ParameterError::new("number", value, "a finite number"));
        }
        let (mantissa, exponent, sign) = value.integer_decode();
        let numerator = BigInt::from(mantissa) * sign;
        Ok(match exponent {
            0.. => Self::integer(numerator << exponent),
            _ => Self::reduced(numerator, BigInt::one() << -exponent),
        })
    }

    /// The nearest `f64`; infinite beyond its range, and within one unit in the last place if
    /// subnormal. For utility figures and plots: no privacy outcome may depend on it.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        // A quotient of 66 or 67 bits, its lowest bit set when something was cut off, converts
        // with a single rounding.
        let numerator = self.numerator().magnitude();
        let denominator = self.denominator().magnitude();
        let shift = 66 - (bits(self.numerator()) - bits(self.denominator()));
        let (quotient, remainder) = match shift {
            0.. => (numerator << shift).div_rem(denominator),
            _ => numerator.div_rem(&(denominator << -shift)),
        };
        let sticky = BigUint::from(u8::from(!remainder.is_zero()));
        let Some(rounded) = (quotient | sticky).to_f64() else {
            unreachable!("a float holds 67 bits")
        };
        // A power of two beyond 32 bits makes 0 or infinity of any float.
        let exponent = i32::try_from(-shift).unwrap_or(if shift > 0 { i32::MIN } else { i32::MAX });
        let magnitude = libm::ldexp(rounded, exponent);
        if self.is_negative() { -magnitude } else { magnitude }
    }

    /// The numerator of the reduced fraction; it carries the sign.
    #[must_use]
    pub fn numerator(&self) -> &BigInt {
        self.0.numer()
    }

    /// The denominator of the reduced fraction, greater than 0.
    #[must_use]
    pub fn denominator(&self) -> &BigInt {
        self.0.denom()
    }

    /// Whether this is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// Whether this is greater than 0.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.numerator().sign() == Sign::Plus
    }

    /// Whether this is less than 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.numerator().sign() == Sign::Minus
    }

    /// Whether this is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        self.0.is_integer()
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    /// This number to the power of `exponent`.
    #[must_use]
    pub fn pow(&self, exponent: u32) -> Self {
        Self(Ratio::new_raw(self.numerator().pow(exponent), self.denominator().pow(exponent)))
    }

    /// The largest integer that is not above this number.
    #[must_use]
    pub fn floor(&self) -> BigInt {
        self.numerator().div_floor(self.denominator())
    }

    /// The smallest integer that is not below this number.
    #[must_use]
    pub fn ceil(&self) -> BigInt {
        self.numerator().div_ceil(self.denominator())
    }

    /// 1 divided by this number; `None` for 0.
    #[must_use]
    pub fn reciprocal(&self) -> Option<Self> {
        (!self.is_zero()).then(|| Self(self.0.recip()))
    }

    /// This number divided by `divisor`; `None` if that is 0.
    #[must_use]
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        (!divisor.is_zero()).then(|| Self(&self.0 / &divisor.0))
    }

    /// The bits of the numerator or the denominator, whichever is longer.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.numerator().bits().max(self.denominator().bits())
    }

    /// The integer n for which n·10^`exponent` is this number, rounded to an integer n by
    /// `rounding`.
    pub(crate) fn round_to_power_of_ten(&self, exponent: i64, rounding: Rounding) -> BigInt {
        let scaled = self * &power_of_ten(-exponent);
        match rounding {
            Rounding::Up => scaled.ceil(),
            Rounding::Down => scaled.floor(),
            Rounding::Nearest => scaled.0.round().to_integer(),
        }
    }
}

/// 10^`exponent`.
pub(crate) fn power_of_ten(exponent: i64) -> Rational {
    let magnitude = u32::try_from(exponent.unsigned_abs());
    let magnitude = magnitude.expect("no number in memory has 2^32 digits");
    let power = Rational::integer(BigInt::from(10).pow(magnitude));
    match exponent {
        0.. => power,
        _ => power.reciprocal().expect("a power of ten is not zero"),
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Self::integer(value)
    }
}

impl From<u64> for Rational {
    fn from(value: u64) -> Self {
        Self::integer(value)
    }
}

impl PartialEq<i64> for Rational {
    fn eq(&self, other: &i64) -> bool {
        self.is_integer() && *self.numerator() == BigInt::from(*other)
    }
}

impl PartialOrd<i64> for Rational {
    fn partial_cmp(&self, other: &i64) -> Option<Ordering> {
        self.partial_cmp(&Self::from(*other))
    }
}

impl Neg for Rational {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        Rational(-&self.0)
    }
}

/// Implements an operator for every combination of owned and borrowed operands.
macro_rules! operator {
    ($trait:ident, $method:ident) => {
        operator!($trait, $method, &Rational, &Rational, |one, other| (&one.0, &other.0));
        operator!($trait, $method, &Rational, Rational, |one, other| (&one.0, other.0));
        operator!($trait, $method, Rational, &Rational, |one, other| (one.0, &other.0));
        operator!($trait, $method, Rational, Rational, |one, other| (one.0, other.0));
    };
    ($trait:ident, $method:ident, $left:ty, $right:ty, |$one:ident, $other:ident| ($a:expr, $b:expr)) => {
        impl $trait<$right> for $left {
            type Output = Rational;
            fn $method(self, $other: $right) -> Rational {
                let $one = self;
                Rational($trait::$method($a, $b))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
