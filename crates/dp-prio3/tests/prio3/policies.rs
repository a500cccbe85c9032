//! What a policy makes the parties do: they run what the randomizer draws, aggregators add the draws
//! of their sampler and release no batch below the policy's own bound. And the policy's canonical
//! bytes.

use std::collections::HashMap;

use dp_calibration::NoiseDistribution;
use dp_prio3::Measurement::Bits;
use dp_prio3::canonical::TaskTerms;
use dp_prio3::grid::Grid;
use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, Amount, BatchError, BatchLimits, ClientNoise,
    ClientNoiseType, MeasurementRange, Parts, Policy, Vdaf, VdafType,
};
use dp_rappor::SymmetricRappor;
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};

use crate::support::catalogue::policies;
use crate::support::{
    Task, amount, average, checked, concentrated, epsilon, epsilon_delta, gaussian, histogram,
    histogram_laplace, kary_response, l1_bound_sum, laplace, limited, limits, multihot,
    multihot_rappor, noisy, one_hot_rappor, pure, randomized_response, rappor, rational, rng, sum,
    sum_vec, with_noise,
};

/// In blocks of 256.
#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    for noise in [gaussian(epsilon_delta("0.906", "1e-9")), laplace(pure("1"))] {
        let policy = checked(noisy(sum_vec(2, 300, 9), noise));
        let mut draws = vec![0; 300];
        match policy.mechanism().expect("noise").distribution() {
            NoiseDistribution::DiscreteGaussian { variance } => {
                DiscreteGaussian::new(variance).unwrap().fill(&mut rng(5), &mut draws).unwrap();
            }
            NoiseDistribution::DiscreteLaplace { scale } => {
                DiscreteLaplace::new(scale).unwrap().fill(&mut rng(5), &mut draws).unwrap();
            }
        }
        let draws: Vec<i128> = draws.into_iter().map(Into::into).collect();
        assert_eq!(policy.noise(1, &mut rng(5)).unwrap(), draws);
    }
}

#[test]
fn a_rappor_client_reports_what_its_randomizer_draws() {
    let policy = checked(multihot_rappor(2, 50, 3));
    let mut bits = [false; 50];
    (bits[3], bits[40]) = (true, true);
    let reported = policy.randomized_entries(Bits(&bits), &mut rng(5)).unwrap();
    SymmetricRappor::new(epsilon("2")).unwrap().randomize(&mut rng(5), &mut bits);
    assert_eq!(reported, bits.map(i128::from));
    assert_eq!(policy.noise(10, &mut rng(5)).unwrap(), [0; 50], "its aggregators add nothing");
}

/// A policy's own bound is a condition of its guarantee, whatever the policy is made of.
#[test]
fn no_aggregator_releases_10_reports_where_50_are_asked_for() {
    let all = policies();
    assert_eq!(all.len(), 36);
    let parts = || all.iter().map(|(parts, _)| parts);
    let vdafs = |kind| parts().any(|parts| parts.vdaf.kind() == kind);
    let noises = |kind| {
        parts().any(|parts| parts.aggregator_noise.as_ref().is_some_and(|it| it.kind() == kind))
    };
    let clients =
        |kind| parts().any(|parts| parts.client_noise.as_ref().is_some_and(|it| it.kind() == kind));
    assert!(VdafType::ALL.iter().all(|kind| vdafs(*kind)));
    assert!(AggregatorNoiseType::ALL.iter().all(|kind| noises(*kind)));
    assert!(ClientNoiseType::ALL.iter().all(|kind| clients(*kind)));

    for (parts, measurement) in &all {
        let mut task = Task::new(limited(parts, 50, 100), 4);
        let name = task.policy.name();
        (0..10).for_each(|_| task.send(*measurement));
        for batch in task.next_batches() {
            let refused = batch.finish();
            assert!(
                matches!(
                    refused,
                    Err(BatchError::TooFewReports { reports: 10, min_reports: 50, .. })
                ),
                "{name}: {refused:?}"
            );
        }
        (0..50).for_each(|_| task.send(*measurement));
        let mut released = task.finish();
        assert_eq!(task.collector.collect(&released).expect("enough reports").reports, 50);
        // Nor does the collector take fewer.
        released.iter_mut().for_each(|share| share.reports = 10);
        assert!(task.collector.collect(&released).is_err(), "{name}");
    }
}

fn bytes(parts: Parts) -> Vec<u8> {
    let mut bytes = Vec::new();
    checked(parts).encode(&TaskTerms::default(), &mut bytes);
    bytes
}

fn gridded(low: &str, high: &str, granularity: &str) -> Vdaf {
    let grid = Grid::new(rational(low), rational(high), rational(granularity)).expect("a grid");
    Vdaf::Sum { aggregators: 2, range: MeasurementRange::Grid(Box::new(grid)) }
}

/// A digest over these bytes differs where the policies do.
#[test]
fn policies_that_differ_in_any_one_field_have_different_canonical_bytes() {
    let chunked = |chunk_length| Vdaf::Histogram { aggregators: 2, length: 4, chunk_length };
    let weighed = |max_weight, chunk_length| {
        let (aggregators, length) = (2, 4);
        Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length }
    };
    let vdafs = [
        histogram(2, 4),
        histogram(3, 4),
        histogram(2, 5),
        chunked(Some(4)),
        multihot(5, Some(1)),
        weighed(Some(1), None),
        weighed(Some(2), None),
        weighed(Some(1), Some(1)),
        sum(2, 9),
        sum(2, 10),
        average(2, 9),
        sum_vec(2, 4, 9),
        l1_bound_sum(4, 9),
        gridded("0", "10", "1"),
        gridded("-1", "9", "1"),
        gridded("1", "11", "1"),
        gridded("0", "5", "1/2"),
    ];
    let amounts = [
        amount(pure("1")),
        amount(pure("2")),
        amount(epsilon_delta("1", "1e-9")),
        amount(epsilon_delta("2", "1e-9")),
        amount(epsilon_delta("1", "1e-8")),
        Amount::Exactly { parameter: rational("1") },
        Amount::Exactly { parameter: rational("2") },
    ];
    let exact = Amount::Exactly { parameter: rational("4") };
    let concentrated = || amount(concentrated("1"));
    let noises = [
        AggregatorNoise::DiscreteGaussian { budget: concentrated() },
        AggregatorNoise::DiscreteGaussian { budget: exact },
        AggregatorNoise::PercentilesGaussian { budget: concentrated() },
        AggregatorNoise::RangesGaussian { budget: concentrated() },
        AggregatorNoise::RangesLaplace { budget: amount(pure("1")) },
    ];
    let compensation = |target_honest_clients, assumed_malicious_clients| {
        let clients = limited(&one_hot_rappor(4, "1", "0.01"), 10, 20);
        let noise =
            AggregatorNoise::Compensation { target_honest_clients, assumed_malicious_clients };
        with_noise(&clients, noise)
    };
    let plain = histogram_laplace(2, 4);
    let mut all: Vec<Parts> = Vec::new();
    all.extend(vdafs.map(|vdaf| noisy(vdaf, laplace(pure("0.5")))));
    let laplace = amounts.map(|budget| AggregatorNoise::DiscreteLaplace { budget });
    all.extend(laplace.into_iter().chain(noises).map(|noise| with_noise(&plain, noise)));
    all.extend([
        limited(&plain, 2, 1 << 32),
        limited(&plain, 1, 1000),
        randomized_response("1"),
        randomized_response("2"),
        crate::support::coin_flip(),
        kary_response(4, "1"),
        with_noise(&kary_response(4, "1"), self::laplace(pure("1"))),
        rappor(4, 1, "1", "0.01"),
        rappor(4, 1, "2", "0.01"),
        rappor(4, 1, "1", "0.02"),
        rappor(4, 2, "1", "0.01"),
        one_hot_rappor(4, "1", "0.01"),
        one_hot_rappor(4, "1", "0.02"),
        crate::support::basic_rappor(4, "1", "0.01"),
        compensation(30, 1),
        compensation(31, 1),
        compensation(30, 2),
    ]);
    let mut known: HashMap<Vec<u8>, Parts> = HashMap::new();
    for parts in all {
        if let Some(other) = known.insert(bytes(parts.clone()), parts.clone()) {
            panic!("{other:?} and {parts:?} have the same bytes");
        }
    }
}

/// The digits of a number change nothing, nor does a default that is written.
#[test]
fn a_policy_that_is_written_in_another_way_has_the_same_canonical_bytes() {
    let own = noisy(histogram(2, 4), laplace(pure("1")));
    assert_eq!(bytes(own.clone()), bytes(noisy(histogram(2, 4), laplace(pure("1.000")))));
    let policy = checked(own.clone());
    let vdaf = Vdaf::Histogram { aggregators: 2, length: 4, chunk_length: policy.chunk_length() };
    let explicit = Parts { vdaf, batch: limits(1, policy.max_reports()), ..own.clone() };
    assert_ne!(explicit, own);
    assert_eq!(bytes(explicit), bytes(own));
    let clients = one_hot_rappor(9, "1", "0.010");
    let max_weight = Some(checked(clients.clone()).max_weight());
    let explicit = Parts { vdaf: multihot(9, max_weight), ..one_hot_rappor(9, "1", "1/100") };
    assert_eq!(bytes(explicit), bytes(clients));
}

/// RAPPOR determines the most ones of a report, and not every noise fits every measurement.
#[test]
fn parts_that_contradict_each_other_are_refused() {
    let clients = rappor(9, 1, "1", "0.01");
    let bound = checked(clients.clone()).max_weight();
    let other = Parts { vdaf: multihot(9, Some(bound + 1)), ..clients.clone() };
    let refused = Policy::new(other).unwrap_err().to_string();
    let begins = format!("vdaf.max_weight is {}: expected {bound}, the least that", bound + 1);
    assert!(refused.starts_with(&begins), "{refused}");
    let missing = Policy::new(noisy(multihot(9, None), laplace(pure("1")))).unwrap_err();
    assert!(missing.to_string().starts_with("vdaf.max_weight is missing: "), "{missing}");

    let noise = || AggregatorNoise::RangesLaplace { budget: amount(pure("1")) };
    let compensation =
        AggregatorNoise::Compensation { target_honest_clients: 9, assumed_malicious_clients: 0 };
    let coin = Some(ClientNoise::CoinFlip {});
    for parts in [
        noisy(sum(2, 9), noise()),
        with_noise(&kary_response(4, "1"), noise()),
        with_noise(&kary_response(4, "1"), compensation.clone()),
        noisy(histogram(2, 4), compensation),
        Parts { client_noise: coin, ..histogram_laplace(2, 4) },
        Parts { batch: BatchLimits { min_reports: 0, max_reports: None }, ..clients },
    ] {
        assert!(Policy::new(parts.clone()).is_err(), "{parts:?}");
    }
}
