//! Histograms behind a strategy matrix: what aggregators do to their shares, and what is guaranteed.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::types::Histogram;
use dp_prio3::{
    AggregatorNoise, Budget, Circumstances, DpPolicy, FieldOf, PolicyDescription, PrivacyBound,
    SignedField, TrustModel,
};
use prio::field::FieldElement as _;

use crate::support::{epsilon_delta, rng};

fn policy(family: StrategyFamily, length: usize, budget: Budget) -> AggregatorNoise<Histogram> {
    let histogram = Histogram::new(2, length).expect("valid").with_strategy(family).expect("valid");
    let kind = match family {
        StrategyFamily::FoldedTree => NoiseKind::DiscreteLaplace,
        StrategyFamily::Toeplitz | StrategyFamily::Circulant => NoiseKind::DiscreteGaussian,
    };
    AggregatorNoise::new(kind, histogram, budget).expect("valid")
}

fn pure(epsilon: &str) -> Budget {
    Budget::Pure { epsilon: epsilon.parse().expect("valid") }
}

/// The noisy totals of a histogram: two random shares, each multiplied and noised.
fn totals<P: DpPolicy>(policy: &P, histogram: &[i128], seed: u64) -> Vec<i128> {
    let element = |value: i128| FieldOf::<P>::from_signed(value).expect("valid");
    // A share of large elements, as shares are.
    let mut first: Vec<_> = (1..=histogram.len() as i128)
        .map(|place| element(place * 0x1234_5678_9abc_def0_1357).inv())
        .collect();
    let mut second: Vec<_> =
        histogram.iter().zip(&first).map(|(count, share)| element(*count) - *share).collect();
    policy.add_noise(&mut first, 1, &mut rng(2 * seed)).expect("valid");
    policy.add_noise(&mut second, 1, &mut rng(2 * seed + 1)).expect("valid");
    first.iter().zip(second).map(|(first, second)| (*first + second).to_signed()).collect()
}

/// Shares are multiplied, then noised: the total is C·x and the noise that the mechanism draws of the same seeds.
#[test]
fn the_total_is_the_product_with_the_noise_of_both_aggregators() {
    for (family, budget) in [
        (StrategyFamily::Toeplitz, epsilon_delta("1", "1e-8")),
        (StrategyFamily::Circulant, epsilon_delta("1", "1e-8")),
        (StrategyFamily::FoldedTree, pure("1")),
    ] {
        let policy = policy(family, 50, budget);
        let histogram: Vec<i128> = (0..50).map(|bucket| bucket * bucket % 37).collect();
        let matrix = policy.query().strategy_matrix().expect("valid");
        let mut expected = matrix.multiply(&histogram);
        for seed in [14, 15] {
            let mut noise = vec![FieldOf::<AggregatorNoise<Histogram>>::zero(); 50];
            policy.mechanism().add_to(&mut noise, &mut rng(seed)).expect("valid");
            for (total, noise) in expected.iter_mut().zip(noise) {
                *total += noise.to_signed();
            }
        }
        assert_eq!(totals(&policy, &histogram, 7), expected, "{family}");
    }
}

/// The budget is kept; at another δ and for several honest aggregators the bound is the noise's own.
#[test]
fn guarantees_are_those_of_the_product() {
    let policy = policy(StrategyFamily::Toeplitz, 64, epsilon_delta("1", "1e-8"));
    let at = |delta: &str| Circumstances::new(1, delta.parse().expect("valid"));
    let epsilon = |model: &str, delta: &str| {
        let bound = policy.pair(model.parse().expect("valid"), &at(delta));
        let PrivacyBound::Proved(Budget::Approximate { epsilon, .. }) = bound else {
            panic!("{bound}")
        };
        epsilon.value().to_f64()
    };
    assert!((epsilon("OAOC", "1e-8") - 1.0).abs() < 1e-9);
    assert!((1.05..1.2).contains(&epsilon("OAOC", "1e-10")));
    let both = policy.pair("2AOC".parse().expect("valid"), &at("1e-8"));
    assert!(epsilon("2AOC", "1e-8") < 0.72, "{both}");
    let none = policy.guarantee(TrustModel::OneClient, &at("1e-8")).bound;
    assert!(matches!(none, PrivacyBound::Absent { .. }));

    let several = at("1e-8").over(12);
    let PrivacyBound::Proved(Budget::Approximate { epsilon, .. }) =
        policy.pair(TrustModel::OneAggregatorOneClient, &several)
    else {
        panic!("no bound")
    };
    let composed = epsilon.value().to_f64();
    assert!((3.5..4.5).contains(&composed), "{composed}");
}
