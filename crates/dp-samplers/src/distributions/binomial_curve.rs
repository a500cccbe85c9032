//! D(x) = ln(P(c + x)/P(c)) of a binomial distribution near its mode, in fixed point.
//!
//! Write d = n − c, and ln N! = (N + 1/2)·ln N − N + ln(2π)/2 + 1/(12N) − 1/(360N³) + 1/(1260N⁵) −
//! e(N) with 0 < e(N) < 1/(1680N⁷) (Stirling). Then, from the power series of ln(1 + x/c) and of
//! powers of 1/(1 + x/c),
//!
//! D(x) = x·ln(dp/cq) − g(x, c) − g(−x, d), up to four of the e(N), where g(x, N) = Σ_{j≥1}
//! (−x/N)^j·(N/(j(j − 1)) − 1/(2j) + 1/(12N) − C(j + 2, 2)/(360N³) + C(j + 4, 4)/(1260N⁵)), without
//! the first of these where j = 1.
//!
//! Let |x| ≤ 2^K and s = 2^K/N ≤ 1/2, N ≥ 500 and 10 ≤ J ≤ 64. Beyond the J-th term, all parts but
//! the first come to less than 1/4 for each j, the last two to less than 10^−6 with their growth.
//! So these terms sum to less than s^(J+1)/(1 − s)·(N/(J(J + 1)) + 1). [`Curve::new`] checks in
//! rational numbers that these rests and the e(N) are below 2^−60 together, for both N.
//!
//! What is left is a polynomial in z = x/2^K without a constant, by Horner's rule in units of
//! 2^−55. A coefficient errs by less than 1.01 units, a step by less than 1, and |z| ≤ 1: the
//! result is within 2J + 1 units of D(x). J is the least number that serves: 10 for a standard
//! deviation of a thousand, 50 for one of 35.

use alloc::vec::Vec;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use super::Binomial;

/// Bits after the binary point of the log ratio D(x) = ln(P(c + x)/P(c)), of its coefficients and
/// of slopes.
pub(crate) const FRACTION: u32 = 55;

/// The largest number of terms of the polynomial.
const MAX_TERMS: u32 = 64;

/// Bits of the enclosures from which coefficients are cut.
const PRECISION: u32 = 256;

/// D(x) = ln(P(c + x)/P(c)) for |x| ≤ 2^K, with a centre c, as a polynomial in z = x/2^K without a
/// constant.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// K: the curve reaches from −2^K to 2^K.
    reach_bits: u32,
    /// Coefficients of z, z², …, in units of 2^−55.
    pub(super) coefficients: Vec<i64>,
    /// Upper bound on the error of [`Self::at`], in units of 2^−55.
    pub(super) error: i64,
}

impl Curve {
    /// The curve around c = `centre`, out to 2^K, the least power of two above 10.5·√`variance`.
    /// `None` unless what the polynomial leaves out is certainly below 2^−60 with 64 terms at most,
    /// and its sums fit 64 bits.
    pub(super) fn new(distribution: &Binomial, centre: u64, variance: u64) -> Option<Self> {
        let sides = [centre, distribution.trials.checked_sub(centre)?];
        let squared = u128::from(variance).checked_mul(112)?;
        let reach_bits = (1..40).find(|bits| 1_u128 << (2 * bits) >= squared)?;
        let terms =
            (10..=MAX_TERMS).step_by(3).find(|terms| rest_is_small(sides, reach_bits, *terms))?;
        let mut coefficients: Vec<i64> = (0..terms).map(|_| 0).collect();
        for (j, coefficient) in (1..).zip(&mut coefficients) {
            let [c, d] = sides.map(|side| term(side, j));
            let sum = if j % 2 == 0 { c + d } else { d - c };
            let mut value = Interval::rational(&sum, PRECISION);
            if j == 1 {
                value = value + tilt(distribution, sides)?;
            }
            *coefficient = floor(&value.shifted(i64::from(reach_bits * j + FRACTION)))?;
        }
        // No partial sum leaves 64 bits.
        let sizes = coefficients.iter().map(|value| value.unsigned_abs() >> 8);
        let fits = sizes.sum::<u64>() < 255 << (FRACTION - 8);
        let error = 2 * i64::from(terms) + 1;
        fits.then_some(Self { reach_bits, coefficients, error })
    }

    /// 2^K, the largest distance from the centre.
    pub(super) fn reach(&self) -> i64 {
        1 << self.reach_bits
    }

    /// D(x) = ln(P(c + x)/P(c)) in units of 2^−55, within `error` of them, for −2^K ≤ x < 2^K.
    #[inline]
    pub(crate) fn at(&self, x: i64) -> i64 {
        let z = i128::from(x << (63 - self.reach_bits));
        let times_z = |sum: i64| low_64((i128::from(sum) * z) >> 63);
        let terms = self.coefficients.iter().rev();
        terms.fold(0, |sum: i64, term| times_z(sum.wrapping_add(*term)))
    }
}

/// `value` as 64 bits; it has no higher ones.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "no higher bits are set")]
fn low_64(value: i128) -> i64 {
    value as i64
}

/// The coefficient of (−x)^j in −g(x, N), the part of D(x) from ln N!, where N = `side` is c or n −
/// c.
fn term(side: u64, j: u32) -> Rational {
    let fraction = |numerator: u64, denominator: u64| {
        Rational::new(numerator, denominator).expect("no denominator is 0, as N is at least 500")
    };
    let inverse = fraction(1, side);
    let first = u64::from(j);
    // C(j + 2, 2)/360 = (j + 2)(j + 1)/720, C(j + 4, 4)/1260 = (j + 4)(j + 3)(j + 2)(j +
    // 1)/(24·1260)
    let [two, four] = [2, 4].map(|count| (1..=count).map(|more| first + more).product::<u64>());
    let linear = if j == 1 { Rational::zero() } else { fraction(side, first * (first - 1)) };
    let sum = fraction(1, 2 * first) - linear - fraction(1, 12 * side)
        + fraction(two, 720) * inverse.pow(3)
        - fraction(four, 24 * 1260) * inverse.pow(5);
    inverse.pow(j) * sum
}

/// Enclosure of ln(dp/(cq)), where p and q = 1 − p are the probabilities of success and failure of
/// one trial. c is the centre, and d the rest of the trials. `None` if an enclosure reaches 0.
fn tilt(distribution: &Binomial, [c, d]: [u64; 2]) -> Option<Interval> {
    let [p, q] = distribution.sides(PRECISION);
    let side = |count: u64| Interval::integer(count, PRECISION);
    (p * side(d)).checked_div(&(q * side(c)))?.ln()
}

/// A whole number below every number of the enclosure, by at most 1.01. `None` if the enclosure is
/// too wide, or the number exceeds 64 bits.
fn floor(value: &Interval) -> Option<i64> {
    let fine = |end: &dp_exact::Dyadic| end.floor_shifted(8);
    let narrow = fine(value.upper()) - fine(value.lower()) <= BigInt::from(1);
    let floor = value.lower().floor_shifted(0);
    narrow.then(|| i64::try_from(floor).ok())?
}

/// Whether the parts of D(x) = ln(P(c + x)/P(c)), |x| ≤ 2^K, that a polynomial of `terms` terms
/// leaves out are certainly below 2^−60 together. `sides` are the centre c and the rest n − c of
/// the trials; K = `reach_bits`.
fn rest_is_small(sides: [u64; 2], reach_bits: u32, terms: u32) -> bool {
    let integer = |value: u64| Rational::integer(value);
    let rest = |side: u64| {
        let ratio = Rational::new(1_u64 << reach_bits, side).ok()?;
        let room = Rational::one() - &ratio;
        // Then c + x and d − x are at least half of c and d.
        if side < 500 || &room + &room < Rational::one() {
            return None;
        }
        let (last, next) = (u64::from(terms), u64::from(terms + 1));
        let factor = Rational::new(side, last * next).ok()? + Rational::one();
        let cut = (ratio.pow(terms + 1) * factor).checked_div(&room)?;
        let stirling = integer(128).checked_div(&(integer(1680) * integer(side).pow(7)))?;
        Some(cut + stirling)
    };
    let [Some(c), Some(d)] = sides.map(rest) else {
        return false;
    };
    Rational::integer(BigInt::from(1) << 60) * (c + d) < Rational::one()
}
