//! The enumeration of `privacy_by_enumeration.rs` would catch the faults that noise for Prio3 is
//! apt to have.

use std::collections::BTreeSet;

use crate::support::enumeration::{
    Difference, breaks, differences, keeps, refutes_pure, renyi_bound, renyi_moment,
};
use crate::support::{epsilon, epsilon_delta, rational};
use dp_calibration::{Adjacency, Budget, Query};
use dp_exact::{Epsilon, Rational};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use num_bigint::{BigInt, BigUint};

/// What differs if one bucket is replaced by another.
fn histogram() -> BTreeSet<Difference> {
    differences(&[vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1]])
}

fn l1_bound_sum() -> BTreeSet<Difference> {
    differences(&[vec![0, 0], vec![2, 0], vec![0, 2], vec![1, 1]])
}

fn two_of_four() -> BTreeSet<Difference> {
    differences(&[vec![1, 1, 0, 0], vec![0, 0, 1, 1], vec![1, 0, 1, 0]])
}

fn calibrated(query: &Query, epsilon: &Epsilon) -> dp_samplers::DiscreteLaplace {
    let mechanism =
        DiscreteLaplace::calibrate(query, &epsilon.clone().into()).expect("a small budget");
    mechanism.sampler().expect("a sampler").clone()
}

fn gaussian(query: &Query, budget: &Budget) -> dp_samplers::DiscreteGaussian {
    let mechanism = DiscreteGaussian::calibrate(query, budget).expect("a small budget");
    mechanism.sampler().expect("a sampler").clone()
}

fn scaled(scale: &Rational) -> dp_samplers::DiscreteLaplace {
    dp_samplers::DiscreteLaplace::new(scale).expect("a positive scale")
}

fn integer(value: &BigUint) -> Rational {
    Rational::integer(BigInt::from(value.clone()))
}

#[test]
fn a_histogram_of_sensitivity_1_is_caught() {
    let epsilon = epsilon("0.5");
    let right = calibrated(&Query::Histogram { length: 3 }, &epsilon);
    assert!(!refutes_pure(&right, &histogram(), epsilon.value()));
    let wrong = calibrated(&Query::Count, &epsilon);
    assert!(refutes_pure(&wrong, &histogram(), epsilon.value()));
}

/// Taking a client away changes a histogram by 1, a bounded sum by its maximum and a multihot
/// count by its weight: half of what a replaced one does.
#[test]
fn the_sensitivity_of_adding_or_removing_used_for_replacing_is_caught() {
    let cases = [
        (Query::Histogram { length: 3 }, histogram()),
        (Query::L1BoundSum { length: 2, max_measurement: 2 }, l1_bound_sum()),
        (Query::MultihotCountVec { length: 4, max_weight: 2 }, two_of_four()),
    ];
    let epsilon = epsilon("0.5");
    for (query, differences) in cases {
        let of = |adjacency| integer(&query.sensitivity(adjacency).expect("valid").l1);
        let scale = |adjacency| &of(adjacency) * &rational("2");
        let right = scaled(&scale(Adjacency::Replacement));
        assert!(!refutes_pure(&right, &differences, epsilon.value()));
        let wrong = scaled(&scale(Adjacency::Deletion));
        assert!(refutes_pure(&wrong, &differences, epsilon.value()));
    }
}

#[test]
fn the_sensitivity_in_the_l2_norm_used_for_laplace_noise_is_caught() {
    let epsilon = epsilon("0.5");
    // Of a vector of four numbers that all move by 1: 2 where 4 is right.
    let differences = differences(&[vec![0; 4], vec![1; 4]]);
    assert!(!refutes_pure(&scaled(&rational("8")), &differences, epsilon.value()));
    assert!(refutes_pure(&scaled(&rational("4")), &differences, epsilon.value()));
}

#[test]
fn an_inverted_scale_and_an_inverted_factor_are_caught() {
    let epsilon = epsilon("0.5");
    let right = scaled(&rational("4"));
    assert!(!refutes_pure(&right, &histogram(), epsilon.value()));
    // ε/Δ for Δ/ε.
    assert!(refutes_pure(&scaled(&rational("1/4")), &histogram(), epsilon.value()));
    // e^−ε for e^ε.
    assert!(refutes_pure(&right, &histogram(), &rational("-0.5")));
}

#[test]
fn gaussian_noise_for_one_bucket_instead_of_two_is_caught() {
    let budget = epsilon_delta("1", "1e-2");
    let (epsilon, delta) = (&rational("1"), &rational("1e-2"));
    let right = gaussian(&Query::Histogram { length: 3 }, &budget);
    let wrong = gaussian(&Query::Count, &budget);
    assert!(keeps(&right, &histogram(), epsilon, delta, 30));
    assert!(breaks(&wrong, &histogram(), epsilon, delta, 30));
    // And for one bucket it is right.
    let count = differences(&[vec![0], vec![1]]);
    assert!(keeps(&wrong, &count, epsilon, delta, 30));
}

/// σ² = Δ₂²/ρ or Δ₂²/(4ρ) for Δ₂²/(2ρ): the first wastes, the second breaks the guarantee.
#[test]
fn a_rho_with_a_wrong_factor_is_caught() {
    let rho = rational("1/4");
    let moment = |variance: &str| {
        let law = dp_samplers::DiscreteGaussian::new(&rational(variance)).expect("positive");
        renyi_moment(&law, &vec![1, 1], 3, 40)
    };
    let bound = renyi_bound(&rho, 3);
    assert_eq!(moment("2").compare(&bound), Some(std::cmp::Ordering::Greater));
    assert_eq!(moment("8").compare(&bound), Some(std::cmp::Ordering::Less));
    assert_eq!(moment("4").compare(&bound), None);
}

/// What a tail that is left out would hide: in a window of ±3 less is seen of δ than there is.
#[test]
fn a_window_that_is_too_small_is_not_taken_for_a_proof() {
    let budget = epsilon_delta("1", "1e-2");
    let (epsilon, delta) = (&rational("1"), &rational("1e-2"));
    let right = gaussian(&Query::Histogram { length: 3 }, &budget);
    assert!(!keeps(&right, &histogram(), epsilon, delta, 3));
}
