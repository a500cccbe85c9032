//! Interval arithmetic with dyadic end points, rounded outward to the working precision: every
//! operation returns an interval that contains the result for all operands in the given intervals
//! (the fundamental theorem of interval arithmetic, Moore 1966).

use core::borrow::Borrow as _;
use core::cmp::Ordering;
use core::fmt::{self, Display, Formatter};
use core::ops::{Add, Mul, Neg, Sub};

use num_bigint::BigInt;

use crate::dyadic::Toward;
use crate::{Dyadic, Rational, Rounding};

/// A closed interval that contains a real number. An operation on two intervals works at the larger
/// of their precisions.
///
/// ```
/// use dp_exact::{Interval, Rational};
///
/// let third = Interval::rational(&"1/3".parse::<Rational>()?, 64);
/// let one = &third + &(&third + &third);
/// assert!(one.contains(&Rational::one()));
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interval {
    lower: Dyadic,
    upper: Dyadic,
    precision: u32,
}

impl Interval {
    /// The integer `value`, rounded outward only if it has more than `precision` bits.
    pub fn integer(value: impl Into<BigInt>, precision: u32) -> Self {
        Self::point(&Dyadic::new(value, 0), precision)
    }

    /// A single number, rounded outward only if it has more than `precision` bits.
    #[must_use]
    pub fn point(number: &Dyadic, precision: u32) -> Self {
        Self::hull_of(number.clone(), number.clone(), precision)
    }

    /// This interval, its ends rounded outward to `precision` bits.
    #[must_use]
    pub fn at_precision(&self, precision: u32) -> Self {
        Self::hull_of(self.lower.clone(), self.upper.clone(), precision)
    }

    /// The smallest interval around the fraction `value`.
    #[must_use]
    pub fn rational(value: &Rational, precision: u32) -> Self {
        Self {
            lower: Dyadic::from_rational(value, precision, Toward::Below),
            upper: Dyadic::from_rational(value, precision, Toward::Above),
            precision,
        }
    }

    /// The smallest interval of this `precision` that contains both numbers, given in any order.
    #[must_use]
    pub fn hull_of(one: Dyadic, other: Dyadic, precision: u32) -> Self {
        let (lower, upper) = if one <= other { (one, other) } else { (other, one) };
        Self {
            lower: lower.rounded(precision, Toward::Below),
            upper: upper.rounded(precision, Toward::Above),
            precision,
        }
    }

    /// The lower end.
    pub fn lower(&self) -> &Dyadic {
        &self.lower
    }

    /// The upper end.
    pub fn upper(&self) -> &Dyadic {
        &self.upper
    }

    /// The working precision, in bits of mantissa.
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// Whether both ends are equal.
    pub(crate) fn is_point(&self) -> bool {
        self.lower == self.upper
    }

    /// The smallest interval that contains both intervals.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let lower = self.lower.clone().min(other.lower.clone());
        let upper = self.upper.clone().max(other.upper.clone());
        Self::hull_of(lower, upper, self.precision.max(other.precision))
    }

    /// This number times 2^`power_of_two`, exactly.
    #[must_use]
    pub fn shifted(&self, power_of_two: i64) -> Self {
        Self {
            lower: self.lower.shifted(power_of_two),
            upper: self.upper.shifted(power_of_two),
            precision: self.precision,
        }
    }

    /// The values on this interval of a monotone function, enclosed from its values at both ends:
    /// `of` encloses it at a number with a precision. `None` where `of` gives none.
    pub(crate) fn monotone(&self, of: impl Fn(&Dyadic, u32) -> Option<Self>) -> Option<Self> {
        let lower = of(&self.lower, self.precision)?;
        if self.is_point() {
            return Some(lower);
        }
        Some(lower.hull(&of(&self.upper, self.precision)?))
    }

    /// The square, never negative.
    #[must_use]
    pub fn square(&self) -> Self {
        let product = self * self;
        if self.contains_zero() {
            return Self { lower: Dyadic::zero(), ..product };
        }
        product
    }

    /// This number to the power of `exponent`.
    #[must_use]
    pub fn powi(&self, exponent: u32) -> Self {
        let mut power = Self::integer(1, self.precision);
        for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
            power = power.square();
            if exponent >> bit & 1 == 1 {
                power = &power * self;
            }
        }
        power
    }

    /// The quotient; `None` if the divisor's enclosure contains 0.
    #[must_use]
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        if divisor.contains_zero() {
            return None;
        }
        if divisor.upper.signum() < 0 {
            return (-self).checked_div(&-divisor);
        }
        let precision = self.precision.max(divisor.precision);
        let at_lower = if self.lower.signum() < 0 { &divisor.lower } else { &divisor.upper };
        let at_upper = if self.upper.signum() < 0 { &divisor.upper } else { &divisor.lower };
        Some(Self {
            lower: self.lower.div(at_lower, precision, Toward::Below),
            upper: self.upper.div(at_upper, precision, Toward::Above),
            precision,
        })
    }

    /// The square root; `None` if the lower end is negative.
    #[must_use]
    pub fn sqrt(&self) -> Option<Self> {
        let precision = self.precision;
        (self.lower.signum() >= 0).then(|| Self {
            lower: self.lower.sqrt(precision, Toward::Below),
            upper: self.upper.sqrt(precision, Toward::Above),
            precision,
        })
    }

    /// The order of the two numbers; `None` if the enclosures overlap, unless both are one point.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self.upper < other.lower {
            Some(Ordering::Less)
        } else if self.lower > other.upper {
            Some(Ordering::Greater)
        } else if self.is_point() && other.is_point() {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    /// The order of the number and a fraction; `None` if the enclosure contains the fraction,
    /// unless it is that single point.
    #[must_use]
    pub fn compare_rational(&self, other: &Rational) -> Option<Ordering> {
        let lower = self.lower.cmp_rational(other);
        let upper = self.upper.cmp_rational(other);
        (lower == upper).then_some(lower)
    }

    /// Whether the number is certainly greater than 0.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.lower.signum() > 0
    }

    /// Whether the enclosure contains 0.
    #[must_use]
    pub fn contains_zero(&self) -> bool {
        self.lower.signum() <= 0 && self.upper.signum() >= 0
    }

    /// Whether the enclosure contains `value`.
    #[must_use]
    pub fn contains(&self, value: &Rational) -> bool {
        self.lower.cmp_rational(value).is_le() && self.upper.cmp_rational(value).is_ge()
    }

    /// A number near the middle, for utility figures and plots.
    #[must_use]
    pub fn midpoint(&self) -> f64 {
        let sum = self.lower.add(&self.upper, self.precision, Toward::Below);
        sum.shifted(-1).to_f64()
    }
}

impl Add for &Interval {
    type Output = Interval;

    fn add(self, other: Self) -> Interval {
        let precision = self.precision.max(other.precision);
        Interval {
            lower: self.lower.add(&other.lower, precision, Toward::Below),
            upper: self.upper.add(&other.upper, precision, Toward::Above),
            precision,
        }
    }
}

impl Neg for &Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval {
            lower: self.upper.negated(),
            upper: self.lower.negated(),
            precision: self.precision,
        }
    }
}

impl Sub for &Interval {
    type Output = Interval;

    fn sub(self, other: Self) -> Interval {
        self + &-other
    }
}

impl Mul for &Interval {
    type Output = Interval;

    fn mul(self, other: Self) -> Interval {
        let precision = self.precision.max(other.precision);
        if self.lower.signum() >= 0 && other.lower.signum() >= 0 {
            return Interval {
                lower: self.lower.mul(&other.lower, precision, Toward::Below),
                upper: self.upper.mul(&other.upper, precision, Toward::Above),
                precision,
            };
        }
        // The extremes of a product lie at ends of both factors.
        let products = |toward| {
            let of = |one: &Dyadic| {
                [&other.lower, &other.upper].map(|two| one.mul(two, precision, toward))
            };
            (of(&self.lower), of(&self.upper))
        };
        let ([a, b], [c, d]) = products(Toward::Below);
        let lower = a.min(b).min(c.min(d));
        let ([a, b], [c, d]) = products(Toward::Above);
        Interval { lower, upper: a.max(b).max(c.max(d)), precision }
    }
}

/// Implements an operator for owned operands through the operator for references.
macro_rules! operator {
    ($trait:ident, $method:ident) => {
        operator!($trait, $method, Interval, Interval);
        operator!($trait, $method, Interval, &Interval);
        operator!($trait, $method, &Interval, Interval);
    };
    ($trait:ident, $method:ident, $left:ty, $right:ty) => {
        impl $trait<$right> for $left {
            type Output = Interval;
            fn $method(self, other: $right) -> Interval {
                let (one, other): (&Interval, &Interval) = (self.borrow(), other.borrow());
                $trait::$method(one, other)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl Neg for Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        -&self
    }
}

impl Display for Interval {
    /// Both ends in twenty digits, rounded outward.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let lower = self.lower.to_decimal(20, Rounding::Down);
        let upper = self.upper.to_decimal(20, Rounding::Up);
        write!(formatter, "[{lower}, {upper}]")
    }
}
