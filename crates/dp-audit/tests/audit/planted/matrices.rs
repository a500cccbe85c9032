//! Faults of deployments with a strategy matrix, and of the noise behind it.

use std::sync::Arc;

use dp_audit::{ExpectedRelease, Fault, FaultyPolicy, LEAST_COLLECTIONS, OwnedMeasurement};
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, Budget};

use super::deployments::{finds, parties, result, running};
use super::noise::finds_in_both;

const BUCKETS: usize = 12;

type Policy = AggregatorNoise<Histogram>;

fn policy(kind: NoiseKind, family: StrategyFamily, budget: &str) -> Policy {
    let histogram = Histogram::new(2, BUCKETS).and_then(|it| it.with_strategy(family));
    let budget: Budget = serde_json::from_str(budget).expect("a budget");
    AggregatorNoise::new(kind, histogram.expect("a type"), budget).expect("a policy")
}

fn gaussian(family: StrategyFamily, epsilon: &str) -> Policy {
    let budget = format!(r#"{{"approximate": {{"epsilon": "{epsilon}", "delta": "1e-8"}}}}"#);
    policy(NoiseKind::DiscreteGaussian, family, &budget)
}

fn percentiles(epsilon: &str) -> Policy {
    gaussian(StrategyFamily::Toeplitz, epsilon)
}

fn ranges(epsilon: &str) -> Policy {
    gaussian(StrategyFamily::Circulant, epsilon)
}

fn tree(epsilon: &str) -> Policy {
    let budget = format!(r#"{{"pure": {{"epsilon": "{epsilon}"}}}}"#);
    policy(NoiseKind::DiscreteLaplace, StrategyFamily::FoldedTree, &budget)
}

fn buckets() -> Vec<OwnedMeasurement> {
    [0, 1, 1, 3, 7, 11, 11].map(OwnedMeasurement::Bucket).to_vec()
}

/// Sound parties conform, and faults of noise are called by their names as without a matrix.
fn noise_of(policy: impl Fn(&str) -> Policy) {
    let (one, half) = (policy("1"), policy("1/2"));
    let sound = || FaultyPolicy::sound(one.clone());
    let twofold = || sound().with_aggregators(half.clone());
    let conforming = result(parties(sound(), [sound(), sound()], buckets()), 400);
    assert!(conforming.conforms(), "{conforming:?}");
    let silent = || sound().with_noise(|_, noise| noise.fill(0));
    let twice = sound().with_noise(|_, noise| noise.iter_mut().for_each(|noise| *noise *= 2));
    finds(Fault::Missing(1), parties(sound(), [sound(), silent()], buckets()));
    finds(Fault::Missing(2), parties(sound(), [silent(), silent()], buckets()));
    finds(Fault::Twice, parties(sound(), [twice, sound()], buckets()));
    finds(Fault::Scaled(2, 1), parties(sound(), [twofold(), twofold()], buckets()));
}

#[test]
fn noise_behind_a_matrix() {
    noise_of(percentiles);
    noise_of(ranges);
    noise_of(tree);
}

/// A fault of the matrix shows in few collections. One matrix at both aggregators and another one
/// at the collector shift estimates, as a draw that is used again or noise of another scale does;
/// other faults leave no other explanation.
#[test]
fn a_wrong_matrix() {
    let (toeplitz, circulant) = (percentiles("8"), ranges("8"));
    let sound = || FaultyPolicy::sound(toeplitz.clone());
    let other = || sound().with_aggregators(circulant.clone());
    let matrix = StrategyMatrix::new(StrategyFamily::Toeplitz, BUCKETS).expect("a matrix");
    let matrix = Arc::new(matrix);
    let before = || {
        let matrix = Arc::clone(&matrix);
        sound().with_noise(move |_, noise| {
            let mixed = matrix.multiply(noise);
            noise.copy_from_slice(&mixed);
        })
    };
    let solved_by_another = sound().with_collector(circulant.clone());
    for (what, collector, aggregators) in [
        ("another matrix at one aggregator", sound(), [sound(), other()]),
        ("another matrix at both aggregators", sound(), [other(), other()]),
        ("noise before the matrix at one aggregator", sound(), [before(), sound()]),
        ("noise before the matrix at both aggregators", sound(), [before(), before()]),
        ("another matrix at the collector", solved_by_another, [sound(), sound()]),
    ] {
        let expected = ExpectedRelease::of(&sound(), 1).expect("a distribution");
        let result = result(running(expected, collector, aggregators, buckets()), 100);
        let found = result.found().expect(what);
        let is_shift = what.ends_with("collector") || what == "another matrix at both aggregators";
        assert!(is_shift || found.fault == Fault::WrongDistribution, "{what}: {result:?}");
    }
}

/// All listed faults are excluded earlier. A shift of the noise is none of them.
#[test]
fn a_fault_outside_of_the_list_has_a_hundred_collections_to_show() {
    let tree = tree("1");
    let sound = || FaultyPolicy::sound(tree.clone());
    let conforming = result(parties(sound(), [sound(), sound()], buckets()), 400);
    assert!(conforming.conforms(), "{conforming:?}");
    assert_eq!((conforming.collections, conforming.missing), (LEAST_COLLECTIONS, 0));
    let shifted = sound().with_noise(|_, noise| noise.iter_mut().for_each(|noise| *noise += 16));
    let shifted = result(parties(sound(), [shifted, sound()], buckets()), 400);
    let found = shifted.found().expect("a fault");
    assert_eq!(found.fault, Fault::WrongDistribution, "{shifted:?}");
}

/// Noise that is calibrated to the histogram without the matrix, and noise at some totals only.
#[test]
fn too_little_noise_behind_a_matrix() {
    let sound = FaultyPolicy::sound(percentiles("1"));
    let shifted = |bits: u32| {
        let shift = move |_: u64, noise: &mut [i128]| {
            noise.iter_mut().for_each(|noise| *noise >>= bits);
        };
        sound.clone().with_noise(shift)
    };
    let first_alone = sound.clone().with_noise(|_, noise| noise[1..].fill(0));
    finds_in_both("half the noise", 10, shifted(1), buckets());
    finds_in_both("without the matrix", 3, shifted(16), buckets());
    finds_in_both("at the first total alone", 12, first_alone, buckets());
    let halved = FaultyPolicy::sound(tree("1")).with_aggregators(tree("2"));
    finds_in_both("scale halved", 20, halved, buckets());
}
