//! Sums of products of positive numbers, with one relative precision for all of them.
//!
//! The convolutions of [`super`] are sums of hundreds of products each, of numbers whose exponents
//! differ by thousands. So both ends of an [`Enclosed`] number are integers of N bits with one
//! exponent, and products are added in fixed point, in units of the largest one.

use dp_exact::{Dyadic, Interval};
use num_bigint::{BigInt, BigUint};

/// A positive number between `lower` and `upper` times 2^`exponent`.
#[derive(Clone, Debug)]
pub(super) struct Enclosed {
    /// The mantissa of the lower end: an integer of as many bits as the table's precision, the top
    /// bit set.
    lower: BigUint,
    upper: BigUint,
    exponent: i64,
    /// The enclosed number, before its ends were shortened.
    exact: Interval,
}

impl Enclosed {
    /// The number `exact`, its ends rounded outward to `bits` bits; `None` unless it is certainly
    /// positive.
    pub(super) fn new(exact: Interval, bits: u32) -> Option<Self> {
        let length = exact.lower().mantissa().bits();
        let length = i64::try_from(length).ok().filter(|length| *length > 0)?;
        let exponent = exact.lower().exponent() + length - i64::from(bits);
        let floor = |end: &Dyadic| {
            let mantissa = end.mantissa().to_biguint()?;
            let shift = end.exponent() - exponent;
            let places = shift.unsigned_abs();
            Some(if shift < 0 { mantissa >> places } else { mantissa << places })
        };
        let (lower, upper) = (floor(exact.lower())?, floor(exact.upper())? + 1u32);
        Some(Self { lower, upper, exponent, exact })
    }
}

/// Entry |`index`| of a symmetric table; `None` beyond its end.
fn at(table: &[Enclosed], index: i64) -> Option<&Enclosed> {
    table.get(usize::try_from(index.unsigned_abs()).ok()?)
}

/// Σ_u left(|u|)·right(|w − u|) over all integers u, enclosed. Products are log-concave in u, and
/// products beyond the tables are bounded by a geometric series. `middle` is a u near the largest
/// term; terms are counted down to 2^−`precision` of that term.
pub(super) fn convolved_at(
    left: &[Enclosed],
    right: &[Enclosed],
    w: i64,
    middle: i64,
    precision: u32,
) -> Option<Interval> {
    let exponent = |u: i64| Some(at(left, u)?.exponent + at(right, w - u)?.exponent);
    // The largest exponent, and how far to either side terms matter.
    let mut largest = exponent(middle)?;
    let mut ends = [middle; 2];
    for (end, direction) in ends.iter_mut().zip([-1, 1]) {
        while let Some(next) = exponent(*end + direction) {
            largest = largest.max(next);
            *end += direction;
            if next < largest - i64::from(precision) - 4 {
                break;
            }
        }
    }
    let (mut lower, mut upper) = (BigUint::ZERO, BigUint::ZERO);
    for u in ends[0]..=ends[1] {
        let (one, two) = (at(left, u)?, at(right, w - u)?);
        let cut = u64::try_from(largest - one.exponent - two.exponent).ok()?;
        lower += (&one.lower * &two.lower) >> cut;
        upper += ((&one.upper * &two.upper) >> cut) + 1u32;
    }
    let end = |sum: BigUint| Dyadic::new(BigInt::from(sum), largest);
    let mut upper = Interval::point(&end(upper), precision + 64);
    let product = |u: i64| Some(&at(left, u)?.exact * &at(right, w - u)?.exact);
    for (end, inward) in ends.into_iter().zip([1, -1]) {
        // The ratio of neighbouring terms only falls.
        let last = product(end)?;
        let ratio = last.checked_div(&product(end + inward)?)?;
        let room = Interval::integer(1, precision) - &ratio;
        let rest = (last * ratio).checked_div(&room).filter(|_| room.is_positive())?;
        upper = upper + rest;
    }
    Some(Interval::hull_of(end(lower), upper.upper().clone(), precision))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dp_exact::Rational;

    /// e^(−u²/9) for u = 0, …, 59.
    fn bells(precision: u32) -> Vec<Interval> {
        let bell = |u: i64| {
            let exponent = Rational::new(-u * u, 9).expect("not by zero");
            Interval::rational(&exponent, precision).exp()
        };
        (0..60).map(|u| bell(u).expect("a sane exponent")).collect()
    }

    /// The convolution at w by intervals, with a hundred bits more.
    fn slow(w: i64) -> Interval {
        let table = bells(228);
        let at = |u: i64| table.get(usize::try_from(u.abs()).expect("an index"));
        (-59..60)
            .filter_map(|u| Some(at(u)? * at(w - u)?))
            .fold(Interval::integer(0, 228), |sum, term| sum + term)
    }

    fn enclosed(numbers: Vec<Interval>, bits: u32) -> Vec<Enclosed> {
        let numbers = numbers.into_iter().map(|number| Enclosed::new(number, bits));
        numbers.collect::<Option<_>>().expect("positive")
    }

    /// The convolution at w by [`convolved_at`], with mantissas of 32 bits more.
    fn fast(w: i64, precision: u32) -> Interval {
        let table = enclosed(bells(256), precision + 32);
        convolved_at(&table, &table, w, w / 2, precision).expect("the terms fall")
    }

    #[test]
    fn sums_of_mantissas_enclose_the_sum_of_all_products_narrowly() {
        for w in [0, 1, 7, 20] {
            let slow = slow(w);
            for found in [fast(w, 90), fast(w, 150), fast(w, 200)] {
                assert!(found.lower() <= slow.upper() && found.upper() >= slow.lower());
                let width = (&found - &slow).upper().clone();
                assert!(width <= *slow.shifted(-80).lower(), "{w}");
            }
        }
    }

    #[test]
    fn a_tail_that_falls_slowly_is_bounded() {
        // e^(−|u|/20): products of two fall by e^(−1/10) from one to the next, to the end of the
        // table and beyond.
        let at = |u: i64| {
            let exponent = Rational::new(-u, 20).expect("not by zero");
            Interval::rational(&exponent, 256).exp().expect("a sane exponent")
        };
        let table = enclosed((0..60).map(at).collect(), 128);
        let found = convolved_at(&table, &table, 0, 0, 90).expect("the terms fall");
        // Σ e^(−|u|/10) = (1 + r)/(1 − r)
        let (one, ratio) = (Interval::integer(1, 256), at(2));
        let sum = (&one + &ratio).checked_div(&(&one - &ratio)).expect("not by zero");
        assert!(found.lower() < sum.lower() && found.upper() > sum.upper(), "{found}");
    }

    #[test]
    fn a_tail_cut_without_its_bound_is_caught() {
        // Planted fault: the terms that matter to twenty bits, and nothing for the rest.
        let short = enclosed(bells(128).into_iter().take(8).collect(), 128);
        let table = bells(128);
        let planted = (-7i64..=7)
            .filter_map(|u| table.get(usize::try_from(u.abs()).ok()?))
            .fold(Interval::integer(0, 128), |sum, bell| sum + bell.square());
        assert!(planted.upper() < slow(0).lower());
        let kept = convolved_at(&short, &short, 0, 0, 90).expect("the terms fall");
        assert!(kept.lower() < slow(0).lower() && kept.upper() > slow(0).upper());
    }
}
