//! The ends that a search returns are next to each other, and on either side of the threshold.

use dp_exact::search::{bisect, decimal_midpoint};
use dp_exact::{Rational, Rounding};
use proptest::prelude::*;

proptest! {
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
