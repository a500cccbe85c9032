//! Properties at random parameters: the order of bounds.

use crate::common::upper;
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::{WorstCaseDifference, discrete_laplace, noise_sum};
use dp_exact::{Delta, Epsilon, Rational};
use proptest::prelude::*;

fn hundredths(value: i64) -> Rational {
    Rational::new(value, 100).expect("not by zero")
}

fn epsilon(hundredth: i64) -> Epsilon {
    Epsilon::new(hundredths(hundredth)).expect("positive")
}

/// 10^−n
fn delta_of(digits: u32) -> Delta {
    let ten = Rational::integer(10).pow(digits);
    Delta::new(ten.reciprocal().expect("not zero")).expect("below 1")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_looser_guarantee_and_a_smaller_move_take_no_more_noise(
        coordinates in 1u64..4,
        step in 1u64..20,
        rate in 10i64..300,
        digits in 3u32..20,
    ) {
        let difference = WorstCaseDifference::new(coordinates, step).unwrap();
        let least = |rate: i64, digits: u32, difference: &WorstCaseDifference| {
            calibrate(&epsilon(rate), &delta_of(digits), difference).unwrap()
        };
        let here = least(rate, digits, &difference);
        prop_assert!(upper(&here.delta) <= *delta_of(digits).value());
        // To the eleven digits of the search.
        let slack = Rational::new(100_000_001, 100_000_000).unwrap();
        let most = &here.variance * &slack;
        prop_assert!(least(rate + 10, digits, &difference).variance <= most);
        prop_assert!(least(rate, digits - 1, &difference).variance <= most);
        if step > 1 {
            let nearer = WorstCaseDifference::new(coordinates, step - 1).unwrap();
            prop_assert!(least(rate, digits, &nearer).variance <= most);
        }
        // And two honest aggregators take no more than one.
        let (rate, slack) = (epsilon(rate), delta_of(digits));
        let two = noise_sum::calibrate_gaussian(&difference, 2, &rate, &slack).unwrap();
        prop_assert!(two.variance <= here.variance);
        prop_assert!(upper(&two.delta) <= *slack.value());
    }

    #[test]
    fn a_query_of_an_l1_norm_is_worst_on_one_coordinate(
        parts in prop::collection::vec(1u64..6, 1..4),
        scale in 20i64..900,
        rate in 5i64..300,
    ) {
        // All coordinates of a worst-case difference change by one step; the total on one is no
        // better for privacy.
        let (count, step) = (parts.len() as u64, parts[0]);
        let spread = WorstCaseDifference::new(count, step).unwrap();
        let single = WorstCaseDifference::new(1, count * step).unwrap();
        let (noise, rate) = (hundredths(scale), epsilon(rate));
        let laplace = |difference: &WorstCaseDifference| discrete_laplace::delta(&noise, &rate, difference).unwrap();
        let gaussian = |difference: &WorstCaseDifference| delta(&noise, &rate, difference).unwrap();
        prop_assert!(laplace(&spread).lower() <= laplace(&single).upper());
        prop_assert!(gaussian(&spread).lower() <= gaussian(&single).upper());
    }
}
