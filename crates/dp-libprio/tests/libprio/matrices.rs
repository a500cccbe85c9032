//! Strategies with a matrix for percentiles or ranges: what is released, what is guaranteed, what
//! is refused.

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_libprio::{Error, Query, SignedField, Strategy};
use dp_prio3::{AggregatorNoiseType, Policy, Vdaf, multiply_share};
use prio::field::{Field64, Field128};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::Histogram;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::{Aggregator as _, AggregatorWithNoise as _};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::{approximate, concentrated, k_norm, pure};

type Plain<F> = ParallelSum<F, Mul>;

const BUCKETS: usize = 12;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// A strategy of each noise and matrix.
fn strategies() -> [Strategy; 4] {
    let gaussian = || Strategy::discrete_gaussian(approximate("1", "1e-8")).expect("in range");
    [
        gaussian().for_percentiles().expect("there is such a matrix"),
        gaussian().for_ranges().expect("there is such a matrix"),
        concentrated("0.1").for_percentiles().expect("there is such a matrix"),
        pure("1").for_ranges().expect("there is such a matrix"),
    ]
}

/// This project's policy with the same matrix and budget.
fn policy(strategy: &Strategy) -> Policy {
    let kind = match strategy.matrix().expect("a matrix") {
        StrategyFamily::Toeplitz => AggregatorNoiseType::PercentilesGaussian,
        StrategyFamily::Circulant => AggregatorNoiseType::RangesGaussian,
        StrategyFamily::FoldedTree => AggregatorNoiseType::RangesLaplace,
    };
    let noise = kind.of(strategy.budget().clone());
    let histogram = Vdaf::Histogram { aggregators: 2, length: BUCKETS, chunk_length: None };
    Policy::with_noise(histogram, noise.expect("noise")).expect("a policy")
}

/// The share behind the matrix of the policy, with the noise of one of its aggregators.
fn with_noise_of(policy: &Policy, mut share: Vec<Field128>, seed: u64) -> Vec<Field128> {
    let matrix = policy.query().strategy_matrix().expect("a matrix");
    multiply_share(&matrix, &mut share).expect("as many entries");
    let noise = policy.noise(30, &mut rng(seed)).expect("noise");
    for (entry, noise) in share.iter_mut().zip(noise) {
        *entry += Field128::from_signed(noise).expect("it fits");
    }
    share
}

#[test]
fn noise_is_that_of_the_policy_with_the_same_matrix_and_seed() {
    let circuit = Histogram::<Field128, Plain<_>>::new(BUCKETS, 3).unwrap();
    // Shares of large elements.
    let shares = [3_u128, 5].map(|mask| {
        (1..13).map(|bucket| Field128::from((bucket * mask) << 100)).collect::<Vec<_>>()
    });
    for strategy in strategies() {
        assert_eq!(Strategy::of(&policy(&strategy)), Some(strategy.clone()));
        for (share, seed) in shares.iter().zip([1, 2]) {
            let mut noisy = share.clone();
            strategy.add_noise(&circuit, &mut noisy, 30, &mut rng(seed)).unwrap();
            let expected = with_noise_of(&policy(&strategy), share.clone(), seed);
            assert_eq!(noisy, expected, "{strategy:?}");
        }
    }
}

/// Totals that could leave (−p/2, p/2) are refused: of the largest entry of the matrix for every
/// report, with the noise.
#[test]
fn totals_with_noise_stay_within_half_the_field() {
    let circuit = Histogram::<Field64, Plain<_>>::new(BUCKETS, 3).unwrap();
    for strategy in strategies() {
        let noise = strategy.noise(&Query::Histogram { length: BUCKETS }).unwrap();
        let entry = i128::from(noise.matrix.as_ref().unwrap().largest_entry());
        let largest = usize::try_from(Field64::MAX_SIGNED / entry).unwrap();
        let add = |reports| {
            let mut share = [Field64::from(0); BUCKETS];
            strategy.add_noise(&circuit, &mut share, reports, &mut rng(3))
        };
        add(largest - (1 << 20)).unwrap();
        let error = add(largest).unwrap_err().to_string();
        assert!(error.contains("reports is "), "{error}");
    }
}

#[test]
fn a_matrix_is_for_histograms_and_its_own_noise() {
    let error = pure("1").for_percentiles().unwrap_err();
    assert_eq!(
        error.to_string(),
        "matrix is percentiles: expected ranges, with discrete_laplace noise"
    );
    let error = k_norm("1").for_ranges().unwrap_err().to_string();
    assert_eq!(error, "matrix is ranges: expected no such field with discrete_k_norm noise");
    let [percentiles, ..] = strategies();
    for query in [
        Query::Count,
        Query::SumVec { length: BUCKETS, max_measurement: 1 },
        Query::HistogramRanges { length: BUCKETS, family: StrategyFamily::Circulant },
    ] {
        let error = percentiles.noise(&query).unwrap_err();
        assert!(matches!(error, Error::Parameter(_)), "{error}");
        let says =
            format!("query is {query}: expected histogram:LENGTH, as the strategy has a matrix");
        assert_eq!(error.to_string(), says);
    }
    let vdaf = Prio3::new_sum_vec(2, 1, BUCKETS, 3).unwrap();
    let mut share = vdaf.aggregate_init(&());
    vdaf.add_noise_to_agg_share(&percentiles, &(), &mut share, 1).unwrap_err();
    percentiles.noise(&Query::Histogram { length: 2 }).unwrap_err();
    let ranges = Query::HistogramRanges { length: BUCKETS, family: StrategyFamily::FoldedTree };
    let error = pure("1").noise(&ranges).unwrap_err().to_string();
    assert!(
        error.ends_with("expected a query without a matrix, as the strategy has none"),
        "{error}"
    );
    assert!(pure("1").noise(&Query::Histogram { length: 12 }).unwrap().estimator().is_none());
}
