//! The intervals around an estimate cover what they say, by the exact law of the noise in it: for
//! every type, mechanism, kind of budget and several numbers of aggregators.

use crate::support::enumeration::Law;
use crate::support::{epsilon_delta, laplace};
use dp_exact::Rho;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, CollectorPolicy, Estimate, PolicyDescription, Prio3Policy};
use num_bigint::BigInt;
use prio::vdaf::Vdaf as _;

#[test]
fn an_interval_is_symmetric_about_its_estimate() {
    let estimate = Estimate {
        value: 10.0,
        standard_error: 2.0,
        excess_kurtosis: 0.0,
    };
    assert_eq!(estimate.interval(1.5), 7.0..=13.0);
    assert!((estimate.margin_95() - 3.919_927_969_080_108).abs() < 1e-12);
}

/// The law of the sum of `aggregators` draws at −c, … c, by convolution.
fn sum_of_draws(law: &impl Law, reach: i64, aggregators: usize) -> Vec<f64> {
    let one: Vec<f64> = (-reach..=reach)
        .map(|x| law.probability_of(&BigInt::from(x)).midpoint())
        .collect();
    let mut sum = one.clone();
    for _ in 1..aggregators {
        let mut next = vec![0.0; sum.len() + one.len() - 1];
        for (i, left) in sum.iter().enumerate() {
            for (j, right) in one.iter().enumerate() {
                next[i + j] += left * right;
            }
        }
        sum = next;
    }
    sum
}

/// P(|X| ≤ margin).
fn covered(sum: &[f64], margin: f64) -> f64 {
    let centre = f64::from(u32::try_from(sum.len() / 2).expect("short"));
    let places = (0u32..).map(f64::from);
    let inside = sum
        .iter()
        .zip(places)
        .filter(|(_, place)| (place - centre).abs() <= margin);
    inside.map(|(mass, _)| mass).sum()
}

/// The estimate over 10 reports covers 95 %, up to the mass of one step of the lattice at either
/// end and 0.3 % for the approximation of the quantile.
fn covers<V: MeasurementType, N: NoiseMechanism>(policy: &AggregatorNoise<V, N>, law: &impl Law) {
    let reach = i64::try_from(policy.mechanism().tail_bound(30)).expect("little noise");
    let sum = sum_of_draws(law, reach, policy.vdaf().num_aggregators());
    let estimate = policy.estimate(&vec![0; policy.vdaf().output_len()], 10)[0];
    let margin = estimate.margin_95() * f64::from(u32::try_from(policy.divisor(10)).expect("10"));
    let coverage = covered(&sum, margin);
    let step = coverage - covered(&sum, margin - 1.0);
    let name = policy.name();
    assert!((coverage - 0.95).abs() < 0.003 + step, "{name}: {coverage}");
    assert!(step < 0.03, "{name}: {step}");
}

fn check<V: MeasurementType>(of: impl Fn(usize) -> V) {
    type Laplace<V> = AggregatorNoise<V, DiscreteLaplace>;
    type Gaussian<V> = AggregatorNoise<V, DiscreteGaussian>;
    let rho: Rho = "0.01".parse().expect("positive");
    let both = epsilon_delta("0.2", "1e-3");
    for aggregators in [2, 3, 5] {
        let pure = laplace(of(aggregators), "0.2");
        covers(&pure, pure.mechanism().sampler().expect("a sampler"));
    }
    let approximate = Laplace::new(of(2), both.clone()).expect("valid");
    covers(
        &approximate,
        approximate.mechanism().sampler().expect("a sampler"),
    );
    let approximate = Gaussian::new(of(3), both).expect("valid");
    covers(
        &approximate,
        approximate.mechanism().sampler().expect("a sampler"),
    );
    let concentrated = Gaussian::new(of(2), rho).expect("valid");
    covers(
        &concentrated,
        concentrated.mechanism().sampler().expect("a sampler"),
    );
}

#[test]
fn ninety_five_percent_intervals_hold_for_every_type_mechanism_and_budget() {
    check(|aggregators| Count::new(aggregators).expect("valid"));
    check(|aggregators| Sum::new(aggregators, 3).expect("valid"));
    check(|aggregators| Average::new(aggregators, 3).expect("valid"));
    check(|aggregators| SumVec::new(aggregators, 2, 3).expect("valid"));
    check(|aggregators| Histogram::new(aggregators, 3).expect("valid"));
    check(|aggregators| MultihotCountVec::new(aggregators, 4, 2).expect("valid"));
    check(|aggregators| L1BoundSum::new(aggregators, 2, 3).expect("valid"));
}

#[test]
fn the_normal_quantile_alone_would_not_do_for_heavy_tails_and_is_caught() {
    let policy = laplace(Histogram::new(2, 4).expect("valid"), "0.1");
    let sum = sum_of_draws(policy.mechanism().sampler().expect("a sampler"), 500, 2);
    let estimate = policy.estimate(&[0], 1)[0];
    let right = covered(&sum, estimate.margin_95());
    assert!((right - 0.95).abs() < 0.003, "{right}");
    let short = covered(&sum, 1.96 * estimate.standard_error);
    assert!((short - 0.95).abs() > 0.003, "{short}");

    // Noise of one aggregator where there are two.
    let short = covered(&sum, estimate.margin_95() / 2.0_f64.sqrt());
    assert!(short < 0.9, "{short}");
}
