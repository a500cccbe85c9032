//! The cold path: drawing what the words of a table do not decide.
//!
//! The remainder r(x) = (2^w·p(x) − m(x))/C is drawn by inversion. Its outcomes are put in a
//! row, those of the table first, then outward on both sides by turns. With U uniform on [0, 1),
//! the result is the first x whose cumulative remainder K(x) exceeds U. Both are known by
//! enclosures: U by its first n bits, K by sums of enclosed probabilities. Where an enclosure of
//! K meets the interval that U lies in, 64 more bits are drawn and the sums done anew at that
//! precision. As in `threshold.rs`, the result has exactly the law r.

use core::ops::RangeInclusive;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::Law;
use crate::threshold::ceil_shifted;
use crate::words::Source;

/// Draws from the remainder of a law after tables with words of `word_bits` bits and
/// 2^`cell_bits` cells, in which `first`, `first` + 1, … have these masses.
#[cold]
pub(crate) fn draw<L: Law + ?Sized>(
    law: &L,
    (word_bits, cell_bits): (u32, u32),
    (first, masses): (i64, &[u64]),
    source: &mut dyn Source,
) -> i64 {
    let mut known = BigInt::zero();
    let mut bits = 0_u32;
    loop {
        known = (known << 64_u32) + source.word();
        bits = bits.saturating_add(64);
        // U·C/2^w lies between known and known + 1 units of 2^−unit; sums keep 64 more bits.
        let unit = bits.saturating_add(word_bits - cell_bits);
        let fraction = unit.saturating_add(64);
        let (low, high) = (&known << 64_u32, (&known + BigInt::one()) << 64_u32);

        let probability = law.at(fraction.saturating_add(16));
        let (mut sum_low, mut sum_high) = (BigInt::zero(), BigInt::zero());
        for (position, outcome) in outward(first, masses.len(), law.support()).enumerate() {
            let enclosure = probability(outcome);
            let mass = BigInt::from(masses.get(position).copied().unwrap_or(0));
            let mass = mass << (fraction - word_bits);
            sum_low += enclosure.lower().floor_shifted(u64::from(fraction)) - &mass;
            sum_high += ceil_shifted(enclosure.upper(), u64::from(fraction)) - &mass;
            if high <= sum_low {
                return outcome;
            }
            if low < sum_high {
                break;
            }
        }
    }
}

/// `first` and the `count` − 1 outcomes after it, then those above and below by turns.
pub(super) fn outward(
    first: i64,
    count: usize,
    support: RangeInclusive<i64>,
) -> impl Iterator<Item = i64> {
    let next = first.saturating_add(i64::try_from(count).unwrap_or(i64::MAX));
    let (start, end) = support.into_inner();
    let mut above = next..=end;
    let mut below = start..=first - 1;
    let sides = core::iter::from_fn(move || Some([above.next(), below.next_back()]));
    let beyond = sides
        .take_while(|pair| pair.iter().any(Option::is_some))
        .flatten()
        .flatten();
    (first..next).chain(beyond)
}
