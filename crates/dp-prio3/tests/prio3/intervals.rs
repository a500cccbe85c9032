//! The intervals around an estimate cover what they say, by the exact law of the noise in it: for
//! every type, mechanism, kind of budget and several numbers of aggregators.

use crate::support::enumeration::Law;
use crate::support::{epsilon_delta, laplace};
use dp_calibration::utility::Intervals;
use dp_exact::{Epsilon, Rho};
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::randomizers::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{
    AggregatorNoise, ClientNoise, CollectorPolicy, CompensatedRappor, MultihotRappor,
    PolicyDescription, Prio3Policy,
};
use num_bigint::BigInt;
use prio::vdaf::Vdaf as _;

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

/// The margin is the least integer that covers 95 %, and the interval says how often it does.
fn covers<V: MeasurementType, N: NoiseMechanism>(policy: &AggregatorNoise<V, N>, law: &impl Law) {
    let reach = i64::try_from(policy.mechanism().tail_bound(30)).expect("little noise");
    let sum = sum_of_draws(law, reach, policy.vdaf().num_aggregators());
    let total = policy.noisy_total(10).expect("a law that is known");
    let intervals = Intervals::new(total).expect("in range");
    let margin = intervals.margin(3);
    let name = policy.name();
    assert!(margin.fract() == 0.0, "{name}: {margin}");
    let coverage = covered(&sum, margin);
    assert!(coverage >= 0.95, "{name}: {coverage}");
    assert!(covered(&sum, margin - 1.0) < 0.95, "{name}: {margin}");
    assert!((intervals.coverage(0) - coverage).abs() < 1e-8, "{name}");
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

/// What a policy says of the answers in a total, by enumeration of its randomizer's probabilities.
#[test]
fn a_policy_knows_how_often_answers_are_ones() {
    let epsilon: Epsilon = "3/2".parse().expect("positive");
    let response = RandomizedResponse::new(epsilon.clone()).expect("in range");
    let yes = [true, false].map(|answer| response.probability(answer, true, 64).midpoint());
    let kary = KaryRandomizedResponse::new(epsilon.clone(), 7).expect("in range");
    let own = [4, 2].map(|answer| kary.probability(answer, 4, 64).midpoint());
    let rate = "1e-9".parse().expect("a rate");
    let rappor = MultihotRappor::vectors(2, 9, 2, epsilon, &rate).expect("valid");
    let clients = ClientNoise::new(Count::new(2).expect("valid"), response).expect("fits");
    let answers = ClientNoise::new(Histogram::new(2, 7).expect("valid"), kary).expect("fits");
    let coins = ClientNoise::new(Count::new(2).expect("valid"), CoinFlip).expect("fits");
    for (total, ones) in [
        (clients.noisy_total(50), yes),
        (answers.noisy_total(50), own),
        (rappor.noisy_total(50), yes),
        (coins.noisy_total(50), [0.75, 0.25]),
    ] {
        let total = total.expect("a law that is known");
        let found = total.answers().expect("answers");
        assert_eq!(found.reports, 50);
        for (found, expected) in [found.held, found.other].iter().zip(ones) {
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }
    // Compensation adds answers of clients that hold nothing.
    let one_hot = MultihotRappor::one_hot(2, 9, "3".parse().expect("positive"), &rate);
    let made_up = CompensatedRappor::new(one_hot.expect("valid"), 100, 10).expect("valid");
    let total = made_up.noisy_total(60).expect("a law that is known");
    assert_eq!(total.answers().expect("answers").reports, 60 + 2 * 50);
}
