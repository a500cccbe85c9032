//! Sums of products of positive numbers, in machine words.
//!
//! The convolutions of [`super`] are sums of hundreds of products each. Big integers spend most of
//! that time on memory, so this file does it in arrays of N words. An [`Enclosed`] encloses a
//! positive number between two mantissas of 64N bits, the top bit set, and a power of two each. A
//! product is cut to its upper half, for an upper bound one unit more, and added in fixed point in
//! units of 2^−64N of the largest term (or less): each term adds at most one more unit of error.

use dp_exact::{Dyadic, Interval};
use num_bigint::{BigInt, BigUint};

/// A positive number: N words, the least significant first, with the top bit set, times
/// 2^`exponent`.
#[derive(Clone, Copy, Debug)]
struct Words<const N: usize> {
    words: [u64; N],
    exponent: i64,
}

/// A lower and an upper bound of a positive number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosed<const N: usize> {
    lower: Words<N>,
    upper: Words<N>,
}

/// The bits of N words.
fn width<const N: usize>() -> i64 {
    [64; N].iter().sum()
}

impl<const N: usize> Words<N> {
    /// `value` with 64N significant bits, rounded up if `up`, else down. `None` unless positive.
    fn new(value: &Dyadic, up: bool) -> Option<Self> {
        let mantissa = value.mantissa().to_biguint()?;
        let excess = i64::try_from(mantissa.bits()).ok()? - width::<N>();
        let mut exponent = value.exponent() + excess;
        let mut kept = if excess <= 0 {
            mantissa << excess.unsigned_abs()
        } else {
            let kept = &mantissa >> excess.unsigned_abs();
            let exact = (&kept << excess.unsigned_abs()) == mantissa;
            kept + u32::from(up && !exact)
        };
        if i64::try_from(kept.bits()).ok()? > width::<N>() {
            kept >>= 1u32;
            exponent += 1;
        }
        let mut words = [0; N];
        let digits = kept.to_u64_digits();
        if digits.len() != N {
            return None;
        }
        words.copy_from_slice(&digits);
        Some(Self { words, exponent })
    }

    /// The upper half of the product of the mantissas, rounded down. It has at most one leading
    /// zero bit.
    fn product(&self, other: &Self) -> Self {
        let mut low = [0u64; N];
        let mut high = [0u64; N];
        for (i, &one) in self.words.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &two) in other.words.iter().enumerate() {
                let place = if i + j < N { &mut low[i + j] } else { &mut high[i + j - N] };
                let sum =
                    u128::from(one) * u128::from(two) + u128::from(*place) + u128::from(carry);
                (*place, carry) = halves(sum);
            }
            high[i] = carry;
        }
        Self { words: high, exponent: self.exponent + other.exponent + width::<N>() }
    }

    /// The most significant word.
    fn top(&self) -> u64 {
        self.words.last().copied().unwrap_or(0)
    }
}

/// The lower and the upper word of `value`.
#[expect(clippy::cast_possible_truncation, reason = "the halves of a double word")]
fn halves(value: u128) -> (u64, u64) {
    (value as u64, (value >> 64) as u64)
}

impl<const N: usize> Enclosed<N> {
    /// `value` with its ends rounded outward to 64N bits; `None` unless both are positive.
    pub(super) fn new(value: &Interval) -> Option<Self> {
        let lower = Words::new(value.lower(), false)?;
        let upper = Words::new(value.upper(), true)?;
        Some(Self { lower, upper })
    }
}

/// A sum of at most 2^62 terms: N words, the least significant first, and one more above them.
struct Sum<const N: usize> {
    words: [u64; N],
    /// The word above the N words.
    carried: u64,
    /// The sum counts multiples of 2 to the power of this.
    unit: i64,
}

impl<const N: usize> Sum<N> {
    /// Adds `term`, rounded down to a multiple of 2^`unit`; its exponent is at most `unit`.
    fn add(&mut self, term: &Words<N>) {
        let Ok(shift) = usize::try_from(self.unit - term.exponent) else {
            return;
        };
        let (skipped, bits) = (shift / 64, shift % 64);
        let mut carry = false;
        for (place, word) in self.words.iter_mut().enumerate() {
            let at = |index: usize| term.words.get(index).copied().unwrap_or(0);
            let here = at(place + skipped) >> bits;
            let next = match bits {
                0 => 0,
                _ => at(place + skipped + 1) << (64 - bits),
            };
            let (sum, over) = word.overflowing_add(here | next);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            *word = sum;
            carry = over || again;
        }
        self.carried += u64::from(carry);
    }

    /// The sum as an integer, in units of 2^`unit`.
    fn integer(&self) -> BigUint {
        let words = self.words.iter().chain([&self.carried]);
        let digits = words.flat_map(|&word| {
            let (low, high) = (word & u64::from(u32::MAX), word >> 32);
            [low, high].map(|half| u32::try_from(half).unwrap_or(u32::MAX))
        });
        BigUint::new(digits.collect())
    }
}

/// Entry |`index`| of a symmetric table; `None` beyond its end.
fn at<const N: usize>(table: &[Enclosed<N>], index: i64) -> Option<&Enclosed<N>> {
    table.get(usize::try_from(index.unsigned_abs()).ok()?)
}

/// Σ_u left(|u|)·right(|w − u|) over all integers u, enclosed. Products are log-concave in u; those
/// beyond the tables are bounded by a geometric series. `middle` is a u near the largest term;
/// terms are counted down to 2^−`precision` of that.
pub(super) fn convolved_at<const N: usize>(
    left: &[Enclosed<N>],
    right: &[Enclosed<N>],
    w: i64,
    middle: i64,
    precision: u32,
) -> Option<Interval> {
    let exponent = |u: i64| {
        let (one, two) = (at(left, u)?, at(right, w - u)?);
        Some(one.upper.exponent + two.upper.exponent)
    };
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
    let unit = largest + width::<N>();
    let empty = || Sum { words: [0; N], carried: 0, unit };
    let (mut below, mut above) = (empty(), empty());
    for u in ends[0]..=ends[1] {
        let (one, two) = (at(left, u)?, at(right, w - u)?);
        below.add(&one.lower.product(&two.lower));
        above.add(&one.upper.product(&two.upper));
    }
    // Cutting the product and cutting the term cost less than one unit each.
    let units = BigUint::from(2 * (ends[1] - ends[0] + 1).unsigned_abs());
    let point = |value: BigUint, exponent: i64| {
        let end = Dyadic::new(BigInt::from(value), exponent);
        Interval::hull_of(end.clone(), end, precision + 64)
    };
    let mut upper = point(above.integer() + units, unit);
    for (end, inward) in ends.into_iter().zip([1, -1]) {
        let last = at(left, end)?.upper.product(&at(right, w - end)?.upper);
        let u = end + inward;
        let before = at(left, u)?.lower.product(&at(right, w - u)?.lower);
        let doublings = doublings(&last, &before)?;
        let bound = BigUint::from(u128::from(last.top()) + 1) << doublings;
        upper = upper + point(bound, last.exponent + width::<N>() - 64);
    }
    let lower = Dyadic::new(BigInt::from(below.integer()), unit);
    Some(Interval::hull_of(lower, upper.upper().clone(), precision))
}

/// An s such that all terms after `last` sum to at most 2^s times it, if the term before `last` is
/// at least `before` and ratios only fall: with the ratio r ≤ 1 − 2^−s the sum is at most r/(1−r) ≤
/// 2^s.
fn doublings<const N: usize>(last: &Words<N>, before: &Words<N>) -> Option<u32> {
    let gap = before.exponent - last.exponent;
    let up = |word: u64, by: i64| u128::from(word) << u32::try_from(by.clamp(0, 20)).unwrap_or(0);
    let term = up(last.top(), -gap) + up(1, -gap);
    let before = up(before.top(), gap);
    (1..=40).find(|&s| term < before - (before >> s))
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

    /// The convolution at w by [`convolved_at`] in N words.
    fn fast<const N: usize>(w: i64, precision: u32) -> Interval {
        let table: Option<Vec<Enclosed<N>>> = bells(64 * 4).iter().map(Enclosed::new).collect();
        let table = table.expect("positive");
        convolved_at(&table, &table, w, w / 2, precision).expect("the terms fall")
    }

    #[test]
    fn sums_in_words_enclose_the_sum_of_all_products_narrowly() {
        for w in [0, 1, 7, 20] {
            let slow = slow(w);
            for found in [fast::<2>(w, 90), fast::<3>(w, 150), fast::<4>(w, 200)] {
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
        let table: Option<Vec<Enclosed<2>>> = (0..60).map(|u| Enclosed::new(&at(u))).collect();
        let table = table.expect("positive");
        let found = convolved_at(&table, &table, 0, 0, 90).expect("the terms fall");
        // Σ e^(−|u|/10) = (1 + r)/(1 − r)
        let (one, ratio) = (Interval::integer(1, 256), at(2));
        let sum = (&one + &ratio).checked_div(&(&one - &ratio)).expect("not by zero");
        assert!(found.lower() < sum.lower() && found.upper() > sum.upper(), "{found}");
    }

    #[test]
    fn a_tail_cut_without_its_bound_is_caught() {
        // Planted fault: the terms that matter to twenty bits, and nothing for the rest.
        let short: Option<Vec<Enclosed<2>>> =
            bells(128).iter().take(8).map(Enclosed::new).collect();
        let short = short.expect("positive");
        let table = bells(128);
        let planted = (-7i64..=7)
            .filter_map(|u| table.get(usize::try_from(u.abs()).ok()?))
            .fold(Interval::integer(0, 128), |sum, bell| sum + bell.square());
        assert!(planted.upper() < slow(0).lower());
        let kept = convolved_at(&short, &short, 0, 0, 90).expect("the terms fall");
        assert!(kept.lower() < slow(0).lower() && kept.upper() > slow(0).upper());
    }
}
