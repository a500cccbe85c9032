//! The figures of noise, exactly: variance and tail of one draw, and the room that the field
//! leaves.

use dp_calibration::Query;
use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use num_bigint::{BigInt, BigUint};

use crate::support::view::sum_of_draws;
use crate::support::*;

fn assert_figures_of_the_sampler(kind: NoiseKind, budget: &Budget) {
    let mechanism = NoiseMechanism::calibrate(kind, &Query::Count, budget).expect("in range");
    let masses = sum_of_draws((&mechanism.distribution().accounted(), 1));
    let masses = &masses[masses.len() / 2..];
    let squares = masses.iter().zip(0..).map(|(mass, x)| 2.0 * mass * f64::from(x).powi(2));
    let variance: f64 = squares.sum();
    assert!((mechanism.variance() / variance - 1.0).abs() < 1e-9, "{budget}");
    for bits in [1, 10, 20, 40] {
        let bound = usize::try_from(&mechanism.tail_bound(bits)).expect("little noise");
        // P(|X| > bound)
        let tail = |bound: usize| 2.0 * masses[bound + 1..].iter().sum::<f64>();
        let allowed = 0.5f64.powi(i32::try_from(bits).expect("few"));
        assert!(tail(bound) <= allowed, "{budget} {bits}");
        // No more than a third and two beyond the bound by which it is proved, of 2·e^(−b/t) or of
        // a Gaussian one.
        let shorter = bound.saturating_sub(2 + bound / 3);
        assert!(shorter == 0 || tail(shorter) * 2.0 > allowed, "{budget} {bits}");
    }
}

#[test]
fn variance_and_tail_are_those_of_the_sampler() {
    for budget in ["20", "3", "1", "1/5", "1/40"] {
        assert_figures_of_the_sampler(NoiseKind::DiscreteLaplace, &pure(budget));
    }
    // σ² = 1/(2ρ): from 1/8 over 4, from where on it is the variance, to 500.
    for rho in ["4", "1", "1/4", "0.1251", "1/8", "0.1249", "1/100", "1/1000"] {
        assert_figures_of_the_sampler(NoiseKind::DiscreteGaussian, &concentrated(rho));
    }
}

/// Every total stays within its range but with probability 2^−64: each of A·L draws exceeds its
/// bound with probability at most 2^−64/(A·L).
#[test]
fn the_range_of_totals_has_room_for_all_measurements_and_all_noise() {
    for (aggregators, length) in [(2, 2), (2, 8), (3, 5), (7, 100)] {
        let parts = noise_parts(histogram(aggregators, length), laplace(pure("1/2")));
        let policy = policy_of(limited_parts(&parts, 1, 1000));
        let draws = policy.aggregators() * policy.query().totals();
        assert_eq!(draws, aggregators * length);
        let bits = 64 + draws.ilog2() + 1;
        let noise: BigUint = policy.mechanism().unwrap().tail_bound(bits) * aggregators;
        let noise = i128::try_from(&noise).unwrap();
        // A batch has no more than 1000 reports.
        for (reports, most) in [(0, 0), (10, 10), (1000, 1000), (5000, 1000)] {
            assert_eq!(policy.total_range(reports), -noise..=most + noise);
        }
    }
}

/// Two draws of at most b each fill half of the field, (p − 1)/2 with p = 2^64 − 2^32 + 1, at b =
/// 2^62 − 2^30: they are refused from there on. One less leaves room for two reports.
#[test]
fn noise_that_fills_half_the_field_is_refused_and_one_less_is_not() {
    let half = (1_i128 << 63) - (1 << 31);
    // b = ⌊t·67·7/10⌋ + 1: each of two draws exceeds it with probability at most 2^−66.
    let noise = |bound: i128| {
        let scale = Rational::new(BigInt::from(10 * (bound - 1)), BigInt::from(469)).unwrap();
        let epsilon = dp_exact::Epsilon::new(scale.reciprocal().unwrap()).unwrap();
        Policy::new(noise_parts(COUNT, laplace(Budget::Pure { epsilon })))
    };
    let fits = noise(half / 2 - 1).unwrap();
    assert_eq!(fits.max_reports(), 2);
    assert_eq!(fits.total_range(2), 2 - half..=half);
    for bound in [half / 2, half / 2 + 1, half, 1 << 80] {
        let refused = noise(bound).unwrap_err().to_string();
        let expected = format!("noise bound is {}: expected below {half}", 2 * bound);
        assert!(refused.contains(&expected), "{refused}");
    }
}
