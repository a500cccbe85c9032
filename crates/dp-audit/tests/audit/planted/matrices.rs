//! Faults of deployments with a strategy matrix, and of the noise behind it.

use dp_audit::{Fault, LEAST_COLLECTIONS, OwnedMeasurement, Policy};
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_prio3::{AggregatorNoise, Budget, Deviation};

use super::deployments::{all, finds, finds_scales, found, parties, result};
use super::{with_aggregators, with_each_noise, with_noise};

const BUCKETS: usize = 12;

fn approximate(epsilon: &str) -> Budget {
    let delta = "1e-8".parse().expect("a delta");
    Budget::Approximate { epsilon: epsilon.parse().expect("an epsilon"), delta }
}

fn policy(noise: AggregatorNoise) -> Policy {
    Policy::with_noise(super::buckets(BUCKETS), noise).expect("a policy")
}

fn percentiles(epsilon: &str) -> Policy {
    policy(AggregatorNoise::PercentilesGaussian { budget: approximate(epsilon) })
}

fn ranges(epsilon: &str) -> Policy {
    policy(AggregatorNoise::RangesGaussian { budget: approximate(epsilon) })
}

fn tree(epsilon: &str) -> Policy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("an epsilon") };
    policy(AggregatorNoise::RangesLaplace { budget })
}

fn buckets() -> Vec<OwnedMeasurement> {
    [0, 1, 1, 3, 7, 11, 11].map(OwnedMeasurement::Integer).to_vec()
}

/// Sound parties conform, and faults of noise are called by their names as without a matrix.
#[test]
fn noise_behind_a_matrix() {
    for policy in [percentiles, ranges, tree] {
        let sound = &policy("1");
        let conforming = result(all(sound, buckets()), 400);
        assert!(conforming.conforms(), "{conforming:?}");
        finds_scales(sound, &policy("2"), &policy("1/2"), &buckets());
        let twice = &with_each_noise(sound, |noise| 2 * noise);
        finds(&[Fault::Twice], parties(sound, [twice, sound], buckets()));
    }
}

/// A fault of the matrix shows in few collections. Another matrix at both aggregators shifts
/// totals, as a draw that is used again or noise of another scale does; other faults leave no other
/// explanation.
#[test]
fn a_wrong_matrix() {
    // A sound collector would refuse totals that noise before the matrix puts out of range.
    let sound = &percentiles("8").that_deviates(Deviation::default());
    let other = &with_aggregators(sound, &ranges("8"));
    let matrix = StrategyMatrix::new(StrategyFamily::Toeplitz, BUCKETS).expect("a matrix");
    let before = &with_noise(sound, move |_, noise| {
        let mixed = matrix.multiply(noise);
        noise.copy_from_slice(&mixed);
    });
    for (what, aggregators) in [
        ("another matrix at one aggregator", [sound, other]),
        ("another matrix at both aggregators", [other, other]),
        ("noise before the matrix at one aggregator", [before, sound]),
        ("noise before the matrix at both aggregators", [before, before]),
    ] {
        let found = found(what, 100, parties(sound, aggregators, buckets()));
        let is_shift = what == "another matrix at both aggregators";
        assert!(is_shift || found == Fault::WrongDistribution, "{what}: {found:?}");
    }
}

/// All listed faults are excluded earlier. A shift of the noise is none of them.
#[test]
fn a_fault_outside_of_the_list_has_a_hundred_collections_to_show() {
    let sound = &tree("1");
    let conforming = result(all(sound, buckets()), 400);
    assert!(conforming.conforms(), "{conforming:?}");
    assert_eq!((conforming.collections, conforming.missing), (LEAST_COLLECTIONS, 0));
    let shifted = &with_each_noise(sound, |noise| noise + 16);
    finds(&[Fault::WrongDistribution], parties(sound, [shifted, sound], buckets()));
}

/// Noise that is calibrated to the histogram without the matrix, and noise at some totals only.
#[test]
fn too_little_noise_behind_a_matrix() {
    let sound = &percentiles("1");
    for (what, limit, faulty) in [
        ("half the noise", 10, with_each_noise(sound, |noise| noise >> 1)),
        ("without the matrix", 3, with_each_noise(sound, |noise| noise >> 16)),
        ("at the first total alone", 12, with_noise(sound, |_, noise| noise[1..].fill(0))),
        ("scale halved", 20, with_aggregators(&tree("1"), &tree("2"))),
    ] {
        found(what, limit, all(&faulty, buckets()));
    }
}
