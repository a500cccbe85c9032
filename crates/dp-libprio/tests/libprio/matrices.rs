//! Strategies with a matrix for percentiles or ranges: what is released, what is guaranteed, what is refused.

#![expect(clippy::cast_precision_loss, reason = "small totals")]

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{NormBound, wide_gaussian};
use dp_libprio::{
    Budget, Error, NoiseDistribution, Query, Rational, SignedField, Strategy, signed_totals,
};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::{AggregatorNoise, DpPolicy as _, types};
use prio::field::{Field64, Field128, FieldElement as _};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::Histogram;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::{AggregateShare, Aggregator as _, AggregatorWithNoise as _, Collector as _};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::totals::exact_shares;
use crate::{approximate, concentrated, pure};

type Plain<F> = ParallelSum<F, Mul>;

const BUCKETS: usize = 12;

fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// A strategy of each noise and matrix.
fn strategies() -> [Strategy; 4] {
    let gaussian = || Strategy::discrete_gaussian(approximate("1", "1e-8")).expect("in range");
    [
        gaussian().for_percentiles(),
        gaussian().for_ranges(),
        concentrated("0.1").for_percentiles(),
        pure("1").for_ranges(),
    ]
    .map(|strategy| strategy.expect("there is such a matrix"))
}

/// The share with the noise of this project's policy with the same matrix and budget.
fn with_noise_of_policy<N: NoiseMechanism + 'static>(
    strategy: &Strategy,
    mut share: Vec<Field128>,
    seed: u64,
) -> Vec<Field128> {
    let family = strategy.matrix().expect("a matrix");
    let histogram = types::Histogram::new(2, BUCKETS).and_then(|it| it.with_strategy(family));
    let budget = strategy.budget().clone();
    let policy = AggregatorNoise::<_, N>::new(histogram.expect("a type"), budget);
    let policy = policy.expect("a policy");
    policy.add_noise(&mut share, 30, &mut rng(seed)).expect("noise");
    share
}

#[test]
fn noise_is_that_of_the_policy_with_the_same_matrix_and_seed() {
    let circuit = Histogram::<Field128, Plain<_>>::new(BUCKETS, 3).unwrap();
    let vdaf = Prio3::new_histogram(2, BUCKETS, 3).unwrap();
    // The buckets of 30 clients.
    let clients: Vec<usize> = (0..30).map(|client| client * client % 7 + client % 3).collect();
    let shares = exact_shares(&vdaf, &clients);
    for strategy in strategies() {
        for (share, seed) in shares.iter().zip([1, 2]) {
            let share = share.as_ref().to_vec();
            let mut noisy = share.clone();
            strategy.add_noise(&circuit, &mut noisy, clients.len(), &mut rng(seed)).unwrap();
            let expected = match strategy.matrix() {
                Some(StrategyFamily::FoldedTree) => {
                    with_noise_of_policy::<DiscreteLaplace>(&strategy, share, seed)
                }
                _ => with_noise_of_policy::<DiscreteGaussian>(&strategy, share, seed),
            };
            assert_eq!(noisy, expected, "{strategy:?}");
        }
    }
}

/// libprio's hook draws from the operating system. Every prefix sum is within 24 standard errors of
/// the truth: a sum of Laplace noise exceeds them with a probability below 1e-12 (Chernoff; a draw
/// of the same variance has a generating function at least as large), of Gaussian noise far below.
#[test]
fn the_collector_solves_for_the_histogram() {
    let vdaf = Prio3::new_histogram(2, BUCKETS, 3).unwrap();
    let counts: Vec<u32> = (0..12).map(|bucket| 100_000 * (bucket + 1)).collect();
    let reports: u32 = counts.iter().sum();
    for strategy in strategies() {
        // Shares of random elements.
        let noise: Vec<Field128> =
            (1..=12).map(|place| Field128::from(place * 7919).inv()).collect();
        let masked = counts
            .iter()
            .zip(&noise)
            .map(|(count, mask)| Field128::from(u128::from(*count)) - *mask);
        let mut shares = [masked.collect::<Vec<_>>(), noise].map(AggregateShare::from);
        for share in &mut shares {
            vdaf.add_noise_to_agg_share(&strategy, &(), share, reports as usize).unwrap();
        }
        let result = vdaf.unshard(&(), shares, reports as usize).unwrap();
        let totals = signed_totals::<Field128>(&result).into_iter().map(|total| total as f64);
        let noise = strategy.noise(&Query::Histogram { length: BUCKETS }).unwrap();
        // Of two aggregators.
        let variance = 2.0 * noise.standard_deviation().unwrap().powi(2);
        let estimator = noise.estimator().unwrap();
        let found =
            estimator.cumulative(&totals.collect::<Vec<_>>(), reports.into(), variance, 0.0);
        let mut truth = 0;
        for ((count, value), error) in counts.iter().zip(&found.values).zip(&found.standard_errors)
        {
            truth += count;
            assert!(
                (value - f64::from(truth)).abs() <= 24.0 * error + 1e-3,
                "{strategy:?} {count}"
            );
            assert!(*error < 100.0, "{strategy:?} {error}");
        }
    }
}

/// The noise keeps the budget for every pair of columns of the matrix, which are compared one by one.
#[test]
fn the_noise_keeps_the_budget_for_the_columns_of_the_matrix() {
    for strategy in strategies() {
        let noise = strategy.noise(&Query::Histogram { length: BUCKETS }).unwrap();
        let matrix = noise.matrix().unwrap();
        let columns: Vec<Vec<i64>> = (0..BUCKETS)
            .map(|bucket| {
                let mut unit = [0; BUCKETS];
                unit[bucket] = 1;
                matrix.multiply(&unit)
            })
            .collect();
        let pairs = columns.iter().flat_map(|one| columns.iter().map(move |other| (one, other)));
        let differences =
            pairs.map(|(one, other)| one.iter().zip(other).map(|(a, b)| (a - b).unsigned_abs()));
        match (noise.distribution(), strategy.budget()) {
            (NoiseDistribution::DiscreteLaplace { scale }, Budget::Pure { epsilon }) => {
                let l1: u64 = differences.map(Iterator::sum).max().unwrap();
                assert!(Rational::from(l1) <= &scale * epsilon.value());
            }
            (NoiseDistribution::DiscreteGaussian { variance }, budget) => {
                let squared = |entry: u64| entry * entry;
                let l2_squared: u64 = differences.map(|it| it.map(squared).sum()).max().unwrap();
                match budget {
                    Budget::ZeroConcentrated { rho } => {
                        let twice = Rational::integer(2) * &variance;
                        assert!(Rational::from(l2_squared) <= twice * rho.value());
                    }
                    Budget::Approximate { epsilon, delta } => {
                        let bound = NormBound { l2_squared: l2_squared.into(), coordinates: 12 };
                        let found = wide_gaussian::delta(&variance, epsilon, &bound).unwrap();
                        assert!(found <= *delta.value());
                    }
                    other => panic!("{other}"),
                }
            }
            (_, other) => panic!("{other}"),
        }
    }
}

/// Totals that could leave (−p/2, p/2) are refused: of the largest entry of the matrix for every report, with the noise.
#[test]
fn totals_with_noise_stay_within_half_the_field() {
    let circuit = Histogram::<Field64, Plain<_>>::new(BUCKETS, 3).unwrap();
    for strategy in strategies() {
        let noise = strategy.noise(&Query::Histogram { length: BUCKETS }).unwrap();
        let entry = i128::from(noise.matrix().unwrap().largest_entry());
        let largest = usize::try_from(Field64::MAX_SIGNED / entry).unwrap();
        let add = |reports| {
            let mut share = [Field64::from(0); BUCKETS];
            strategy.add_noise(&circuit, &mut share, reports, &mut rng(3))
        };
        add(largest - (1 << 20)).unwrap();
        let error = add(largest).unwrap_err().to_string();
        assert!(error.contains("reports is "), "{error}");
    }
    // Noise that leaves the field by itself.
    let strategy = concentrated("1e-22").for_percentiles().unwrap();
    let mut share = [Field64::from(0); BUCKETS];
    strategy.add_noise(&circuit, &mut share, 1, &mut rng(3)).unwrap_err();
    assert_eq!(share, [Field64::from(0); BUCKETS]);
}

#[test]
fn a_matrix_is_for_histograms_and_its_own_noise() {
    let error = pure("1").for_percentiles().unwrap_err();
    assert_eq!(
        error.to_string(),
        "matrix is percentiles: expected ranges, with discrete_laplace noise"
    );
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
