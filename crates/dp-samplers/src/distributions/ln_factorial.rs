//! ln N!, enclosed.
//!
//! Stirling's series ln N! = (N + 1/2)·ln N − N + ln(2π)/2 + Σ_{j≥1} B_{2j}/(2j(2j − 1)·N^(2j−1))
//! envelopes its limit: the error is smaller than the first term left out, for every N > 0. From N
//! = P/4 + 32 on, P/4 + 8 terms reach a precision of P bits; below, the factorial itself is short.
//!
//! The Bernoulli numbers come from the tangent numbers T_j, B_{2j} = (−1)^(j−1)·2j·T_j/(4^j(4^j −
//! 1)) ([`tangent_numbers`]).

use alloc::vec::Vec;

use dp_exact::{Interval, Rational, pi, tangent_numbers};
use num_bigint::BigInt;
use num_traits::One;

/// Computes ln N! at one precision, with the coefficients of Stirling's series.
#[derive(Debug)]
pub(super) struct LnFactorial {
    /// Bits of the enclosures.
    precision: u32,
    /// B_{2j}/(2j(2j − 1)) for j = 1, 2, …, where B_{2j} is a Bernoulli number.
    coefficients: Vec<Interval>,
    /// ln(2π)/2
    constant: Interval,
}

impl LnFactorial {
    /// For enclosures of `precision` bits, which set the number of terms.
    pub(super) fn new(precision: u32) -> Self {
        let count = usize::try_from(precision / 4 + 8).expect("a precision has at most 32 bits");
        let ln_2_pi = pi(precision).shifted(1).ln().expect("2π is positive");
        Self {
            precision,
            coefficients: coefficients(count)
                .iter()
                .map(|value| Interval::rational(value, precision))
                .collect(),
            constant: ln_2_pi.shifted(-1),
        }
    }

    /// ln N! for N = `n`, enclosed with a width of about N·ln N·2^−precision.
    pub(super) fn of(&self, n: u64) -> Interval {
        let ln = |value: BigInt| {
            let logarithm = Interval::integer(value, self.precision).ln();
            logarithm.expect("N and N! are at least 1")
        };
        if n < u64::from(self.precision / 4 + 32) {
            return ln((1..=n).map(BigInt::from).product());
        }
        let whole = Interval::integer(n, self.precision);
        let half = Interval::integer(1, self.precision).shifted(-1);
        let mut sum = (&whole + &half) * ln(n.into()) - &whole + &self.constant;
        let inverse = Interval::integer(1, self.precision).checked_div(&whole);
        let inverse = inverse.expect("N is at least 1");
        let square = inverse.square();
        let (mut power, mut last) = (inverse, Interval::integer(0, self.precision));
        // Adds each term when the next is known, all but the last.
        for coefficient in &self.coefficients {
            sum = sum + &last;
            last = coefficient * &power;
            power = power * &square;
        }
        // The last term, left out, bounds the error on either side.
        sum + last.hull(&-&last)
    }
}

/// B_{2j}/(2j(2j − 1)) = ±T_j/((2j − 1)·4^j·(4^j − 1)) for j = 1, …, `count`, with the Bernoulli
/// numbers B_{2j} and the tangent numbers T_j.
fn coefficients(count: usize) -> Vec<Rational> {
    (1_u64..)
        .zip(tangent_numbers(count))
        .map(|(j, tangent)| {
            let power: BigInt = BigInt::one() << (2 * j);
            let denominator = (&power - 1_u8) * power * (2 * j - 1);
            let sign = if j % 2 == 1 { 1 } else { -1 };
            let numerator = Rational::integer(tangent * sign);
            let quotient = numerator.checked_div(&Rational::integer(denominator));
            quotient.expect("4^j is above 1")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering;

    use super::*;

    #[test]
    fn the_coefficients_are_those_of_stirling() {
        let expected = ["1/12", "-1/360", "1/1260", "-1/1680", "1/1188", "-691/360360"];
        let expected = expected.map(|text| text.parse::<Rational>().unwrap());
        assert_eq!(coefficients(6), expected);
    }

    #[test]
    fn series_and_product_agree_where_they_meet() {
        for precision in [64, 200, 500] {
            let (short, long) = (LnFactorial::new(precision), LnFactorial::new(8 * precision));
            for n in [0, 1, 2, 20, 47, 48, 100, 157, 158, 500] {
                // The longer precision takes the product up to 159 and beyond.
                let (one, other) = (short.of(n), long.of(n));
                assert!(one.compare(&other).is_none_or(Ordering::is_eq), "{n}");
                let width = (&one - &one).upper().to_f64();
                assert!(width <= 2f64.powi(18 - i32::try_from(precision).unwrap()));
            }
        }
    }
}
