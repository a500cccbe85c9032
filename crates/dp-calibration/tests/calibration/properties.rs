//! What holds for all parameters: bounds in order, monotone where they must be, laws of scale, and
//! agreement with brute-force sums at random parameters.

use crate::common::upper;
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::{Corner, analytic_gaussian, discrete_laplace, honest, laplace, zcdp};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rho};
use num_bigint::BigUint;
use proptest::prelude::*;

/// The largest noise that brute force counts.
const REACH: i32 = 60;

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

/// The law of one draw, as a table from −REACH to REACH.
fn table(bell: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (-REACH..=REACH).map(|x| bell(f64::from(x))).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The law of the sum of two.
fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; one.len() + other.len() - 1];
    for (i, a) in one.iter().enumerate() {
        for (j, b) in other.iter().enumerate() {
            sum[i + j] += a * b;
        }
    }
    sum
}

/// δ where the ratio of the law and of the law moved grows: positive parts, one by one.
fn hockey_stick(law: &[f64], moved: usize, epsilon: f64) -> f64 {
    let at = |index: usize| law.get(index).copied().unwrap_or(0.0);
    let excess = |x: usize| at(x) - epsilon.exp() * at(x + moved);
    // Past the table the moved law is unknown, and the law itself below 1e-15.
    (0..law.len() - moved).map(|x| excess(x).max(0.0)).sum()
}

fn agrees(found: &Interval, slow: f64) -> bool {
    let value = upper(found).to_f64();
    (value - slow).abs() <= 1e-9 * slow + 1e-14
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn gaussian_noise_gives_what_brute_force_gives(
        coordinates in 1usize..5,
        step in 1usize..4,
        variance in 20i64..3000,
        rate in 5i64..600,
    ) {
        let corner = Corner::new(coordinates as u64, step).unwrap();
        let found = delta(&hundredths(variance), &epsilon(rate), &corner).unwrap();
        prop_assert!(found.lower() <= found.upper());
        // The loss is a function of the total of the noise on all coordinates.
        let parameter = hundredths(variance).to_f64();
        let one = table(|x| (-x * x / (2.0 * parameter)).exp());
        let law = (1..coordinates).fold(one.clone(), |law, _| convolved(&law, &one));
        let slow = hockey_stick(&law, coordinates * step, hundredths(rate).to_f64());
        prop_assert!(agrees(&found, slow), "{found} {slow}");
    }

    #[test]
    fn two_honest_aggregators_give_what_brute_force_gives(
        step in 1usize..5,
        variance in 20i64..1500,
        rate in 5i64..400,
    ) {
        let corner = Corner::new(1, step).unwrap();
        let parameter = hundredths(variance).to_f64();
        let rate = epsilon(rate);
        let found = honest::gaussian_delta(&hundredths(variance), &rate, &corner, 2).unwrap();
        let one = table(|x| (-x * x / (2.0 * parameter)).exp());
        let slow = hockey_stick(&convolved(&one, &one), step, rate.value().to_f64());
        prop_assert!(agrees(&found, slow), "{found} {slow}");

        let scale = hundredths(40 + variance / 6);
        let found = honest::laplace_delta(&scale, &rate, &corner).unwrap();
        let one = table(|x| (-x.abs() / scale.to_f64()).exp());
        let slow = hockey_stick(&convolved(&one, &one), step, rate.value().to_f64());
        prop_assert!((upper(&found).to_f64() - slow).abs() < 1e-5 * slow + 1e-5, "{found} {slow}");
    }

    #[test]
    fn a_looser_promise_and_a_smaller_move_take_no_more_noise(
        coordinates in 1u64..4,
        step in 1u64..20,
        rate in 10i64..300,
        digits in 3u32..20,
    ) {
        let corner = Corner::new(coordinates, step).unwrap();
        let least = |rate: i64, digits: u32, corner: &Corner| {
            calibrate(&epsilon(rate), &delta_of(digits), corner).unwrap()
        };
        let here = least(rate, digits, &corner);
        prop_assert!(upper(&here.delta) <= *delta_of(digits).value());
        // To the eleven digits of the search.
        let slack = Rational::new(100_000_001, 100_000_000).unwrap();
        let most = &here.variance * &slack;
        prop_assert!(least(rate + 10, digits, &corner).variance <= most);
        prop_assert!(least(rate, digits - 1, &corner).variance <= most);
        if step > 1 {
            let nearer = Corner::new(coordinates, step - 1).unwrap();
            prop_assert!(least(rate, digits, &nearer).variance <= most);
        }
        // And two honest aggregators take no more than one.
        let (rate, slack) = (epsilon(rate), delta_of(digits));
        let two = honest::calibrate_gaussian_corner(&corner, 2, &rate, &slack).unwrap();
        prop_assert!(two.variance <= here.variance);
        prop_assert!(upper(&two.delta) <= *slack.value());
    }

    #[test]
    fn delta_falls_as_epsilon_grows(
        coordinates in 1u64..40,
        variance in 20i64..3000,
        rate in 5i64..600,
    ) {
        let corner = Corner::new(coordinates, 1u32).unwrap();
        let at = |rate| delta(&hundredths(variance), &epsilon(rate), &corner).unwrap();
        prop_assert!(at(rate + 1).upper() < at(rate).lower());
        let scale = hundredths(variance);
        let at = |rate| discrete_laplace::delta(&scale, &epsilon(rate), &corner).unwrap();
        prop_assert!(at(rate + 1).upper() <= at(rate).upper());
    }

    #[test]
    fn noise_scales_with_what_it_hides(factor in 2u32..1000, rate in 5i64..600, norm in 1u32..99) {
        let (rate, norm) = (epsilon(rate), BigUint::from(norm));
        let factor_squared = BigUint::from(factor).pow(2);
        let times = Rational::from(u64::from(factor));
        // Exactly, where the noise is on no lattice or the bound does not know of one.
        let scale = laplace::scale(&rate, &norm).unwrap();
        let larger = laplace::scale(&rate, &(&norm * factor)).unwrap();
        prop_assert_eq!(larger, scale * &times);
        let rho = Rho::new(rate.value().clone()).unwrap();
        let variance = zcdp::variance(&rho, &norm).unwrap();
        let larger = zcdp::variance(&rho, &(&norm * &factor_squared)).unwrap();
        prop_assert_eq!(&larger, &(variance * times.pow(2)));
        prop_assert_eq!(zcdp::rho(&larger, &(&norm * &factor_squared)).unwrap(), rho);
        // To the digits that are printed, for continuous noise.
        let slack = delta_of(9);
        let sigma = analytic_gaussian::sigma(&rate, &slack, &norm).unwrap();
        let larger = analytic_gaussian::sigma(&rate, &slack, &(&norm * &factor_squared)).unwrap();
        prop_assert!(crate::common::relative(&larger, &(sigma * times)) < 1e-23);
    }

    #[test]
    fn a_query_of_an_l1_norm_is_worst_on_one_coordinate(
        parts in prop::collection::vec(1u64..6, 1..4),
        scale in 20i64..900,
        rate in 5i64..300,
    ) {
        // All coordinates of a corner move alike; the total on one is no better for privacy.
        let (count, step) = (parts.len() as u64, parts[0]);
        let spread = Corner::new(count, step).unwrap();
        let single = Corner::new(1, count * step).unwrap();
        let (noise, rate) = (hundredths(scale), epsilon(rate));
        let laplace = |corner: &Corner| discrete_laplace::delta(&noise, &rate, corner).unwrap();
        let gaussian = |corner: &Corner| delta(&noise, &rate, corner).unwrap();
        prop_assert!(laplace(&spread).lower() <= laplace(&single).upper());
        prop_assert!(gaussian(&spread).lower() <= gaussian(&single).upper());
    }
}
