//! Faults of the noise behind a strategy matrix.

use dp_audit::FaultyPolicy;
use dp_calibration::TrustModel;
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, Budget};

use super::refutes;

const BUCKETS: usize = 12;

type Policy = AggregatorNoise<Histogram>;

fn policy(kind: NoiseKind, family: StrategyFamily, budget: &str) -> Policy {
    let histogram = Histogram::new(2, BUCKETS).and_then(|it| it.with_strategy(family));
    let budget: Budget = serde_json::from_str(budget).expect("a budget");
    AggregatorNoise::new(kind, histogram.expect("a type"), budget).expect("a policy")
}

fn percentiles(epsilon: &str) -> Policy {
    let budget = format!(r#"{{"approximate": {{"epsilon": "{epsilon}", "delta": "1e-8"}}}}"#);
    policy(NoiseKind::DiscreteGaussian, StrategyFamily::Toeplitz, &budget)
}

fn tree(epsilon: &str) -> Policy {
    let budget = format!(r#"{{"pure": {{"epsilon": "{epsilon}"}}}}"#);
    policy(NoiseKind::DiscreteLaplace, StrategyFamily::FoldedTree, &budget)
}

/// Noise that is calibrated to the histogram without the matrix, and noise at some totals only.
#[test]
fn too_little_noise_behind_a_matrix() {
    const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;
    let sound = FaultyPolicy::sound(percentiles("1"));
    let scaled = |noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise >>= 1);
    let first_alone = |_: u64, noise: &mut [i128]| noise[1..].fill(0);
    refutes(
        OAOC,
        &sound,
        [
            ("half the noise", sound.clone().with_noise(move |_, noise| scaled(noise))),
            (
                "without the matrix",
                sound.clone().with_noise(|_, noise| {
                    noise.iter_mut().for_each(|noise| *noise >>= 16);
                }),
            ),
            ("at the first total alone", sound.clone().with_noise(first_alone)),
        ],
    );
    let sound = FaultyPolicy::sound(tree("1"));
    refutes(OAOC, &sound, [("scale halved", sound.clone().with_aggregators(tree("2")))]);
}
