//! The ends that a search returns are next to each other, and on either side of the threshold.

use dp_exact::search::{bisect, decimal_midpoint, integer_midpoint};
use dp_exact::{Rational, Rounding};
use num_bigint::BigInt;
use proptest::prelude::*;

proptest! {
    #[test]
    fn integers_are_found_by_halving(
        low in -1_000_000i64..1_000_000,
        below in 0i64..1_000_000,
        above in 1i64..1_000_000,
    ) {
        let (threshold, high) = (low + below + 1, low + below + above);
        let threshold = BigInt::from(threshold.min(high));
        let (low, high) = (BigInt::from(low), BigInt::from(high));
        let mut tried = 0;
        let (last, first) = bisect(low, high, integer_midpoint, |n| {
            tried += 1;
            *n >= threshold
        });
        prop_assert_eq!(&first, &threshold);
        prop_assert_eq!(last, first - 1);
        prop_assert!(tried <= 21, "{}", tried);
    }

    #[test]
    fn decimals_end_in_neighbours_of_their_digits(numerator in 1u32..1_000_000) {
        let threshold = Rational::new(numerator, 1_000_003).unwrap();
        let proposals = decimal_midpoint(6, Rounding::Up);
        let (low, high) = bisect(Rational::zero(), Rational::one(), proposals, |value| {
            *value >= threshold
        });
        prop_assert!(low < threshold && threshold <= high);
        prop_assert_eq!(high, threshold.round_to_digits(6, Rounding::Up));
        prop_assert_eq!(low, threshold.round_to_digits(6, Rounding::Down));
    }
}
