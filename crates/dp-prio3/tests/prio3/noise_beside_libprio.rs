//! The noise is never more than libprio's own for the same pure budget, on every type to which
//! libprio can add noise: SumVec, Histogram and L1BoundSum, with its `PureDpDiscreteLaplace`.
//!
//! Both draw discrete Laplace noise of scale Δ₁/ε. libprio's Δ₁ is read from its source
//! (`flp/types/dp.rs` of prio 0.18): length · (2^bits − 1), 2 and 2 · max. That it is what runs is
//! observed: the mean of N squared draws over the variance of that scale is 1 up to 8.5 standard
//! deviations, √(5/N) at most, so that a false alarm has probability below 1e-9.

use crate::support::laplace;
use dp_prio3::mechanisms::{DiscreteLaplace, NoiseMechanism};
use dp_prio3::types::{Histogram, L1BoundSum, MeasurementType, SumVec};
use dp_prio3::{AggregatorNoise, SignedField};
use prio::codec::ParameterizedDecode;
use prio::dp::distributions::PureDpDiscreteLaplace;
use prio::dp::{DifferentialPrivacyStrategy, PureDpBudget, Rational};
use prio::field::{Field128, FieldElement};
use prio::flp::{Flp, TypeWithNoise};
use prio::vdaf::{AggregateShare, AggregatorWithNoise};

/// ε = 1/2 throughout.
const EPSILON: &str = "0.5";

fn libprio() -> PureDpDiscreteLaplace {
    let epsilon = Rational::from_unsigned(1_u8, 2).expect("not zero");
    let budget = PureDpBudget::new(epsilon).expect("positive");
    PureDpDiscreteLaplace::from_budget(budget)
}

/// The mean square of libprio's noise over at least `draws` draws, by its aggregator on shares of
/// zeros.
fn mean_square<V>(measurement_type: &V, draws: usize) -> f64
where
    V: MeasurementType<Flp: Flp<Field = Field128> + TypeWithNoise<PureDpDiscreteLaplace>>,
{
    let vdaf = measurement_type.vdaf();
    let length = vdaf.output_len();
    let mut sum = 0.0;
    let rounds = draws.div_ceil(length);
    for _ in 0..rounds {
        let zeros = vec![0; length * Field128::ENCODED_SIZE];
        let mut share = AggregateShare::<Field128>::get_decoded_with_param(&(vdaf, &()), &zeros)
            .expect("zeros");
        vdaf.add_noise_to_agg_share(&libprio(), &(), &mut share, 1)
            .expect("libprio adds its noise");
        let squares = share.as_ref().iter().map(|draw| {
            let draw = i32::try_from(draw.to_signed()).expect("little noise");
            f64::from(draw).powi(2)
        });
        sum += squares.sum::<f64>();
    }
    sum / f64::from(u32::try_from(rounds * length).expect("few draws"))
}

/// The variance of discrete Laplace noise of this scale.
fn variance(scale: f64) -> f64 {
    0.5 / (0.5 / scale).sinh().powi(2)
}

const DRAWS: usize = 40_000;

fn agrees(observed: f64, scale: f64) -> bool {
    let draws = f64::from(u32::try_from(DRAWS).expect("few"));
    (observed / variance(scale) - 1.0).abs() <= 8.5 * (5.0 / draws).sqrt()
}

/// Compares our scale with libprio's, by whose sensitivity, and observes libprio's noise.
/// Returns how many times larger libprio's scale is.
fn times_larger<V>(measurement_type: V, sensitivity_of_libprio: u32) -> f64
where
    V: MeasurementType<Flp: Flp<Field = Field128> + TypeWithNoise<PureDpDiscreteLaplace>>,
{
    let theirs = f64::from(sensitivity_of_libprio) * 2.0;
    let observed = mean_square(&measurement_type, DRAWS);
    assert!(agrees(observed, theirs), "{observed} for {theirs}");
    let policy: AggregatorNoise<V, DiscreteLaplace> = laplace(measurement_type, EPSILON);
    let ours = policy.mechanism().scale().to_f64();
    assert!((policy.mechanism().variance() - variance(ours)).abs() < 1e-9 * variance(ours));
    assert!(ours <= theirs, "{ours} beside {theirs}");
    theirs / ours
}

fn is(ratio: f64, expected: f64) -> bool {
    (ratio - expected).abs() < 1e-12
}

#[test]
fn a_sum_vector_has_up_to_twice_less_noise_and_never_more() {
    // libprio takes 2^bits − 1 for the maximum.
    for (max, of_bits) in [(1, 1), (2, 3), (3, 3), (4, 7), (7, 7), (80, 127)] {
        let ratio = times_larger(SumVec::new(2, 3, max).unwrap(), 3 * of_bits);
        let max = f64::from(u32::try_from(max).unwrap());
        assert!(is(ratio, f64::from(of_bits) / max), "{ratio}");
    }
}

#[test]
fn with_a_maximum_of_4_a_sum_vector_has_1_75_times_less_noise() {
    assert!(is(times_larger(SumVec::new(2, 5, 4).unwrap(), 35), 1.75));
}

#[test]
fn a_histogram_has_the_same_noise() {
    assert!(is(times_larger(Histogram::new(2, 4).unwrap(), 2), 1.0));
}

/// A vector of one entry is a sum, which moves by max and not by twice as much.
#[test]
fn an_l1_bound_sum_has_the_same_noise_and_half_of_it_for_one_entry() {
    assert!(is(times_larger(L1BoundSum::new(2, 3, 5).unwrap(), 10), 1.0));
    assert!(is(times_larger(L1BoundSum::new(2, 1, 5).unwrap(), 10), 2.0));
}

#[test]
fn another_sensitivity_of_libprio_would_be_noticed() {
    let observed = mean_square(&SumVec::new(2, 3, 4).unwrap(), DRAWS);
    assert!(agrees(observed, 42.0));
    assert!(!agrees(observed, 24.0));
    assert!(!agrees(observed, 48.0));
}
