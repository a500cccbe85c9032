//! What a policy makes the parties do: clients send what the randomizer draws, aggregators add the
//! draws of their sampler and release no batch below the policy's own bound. And the canonical
//! bytes of a policy.

use std::collections::{HashMap, HashSet};

use dp_calibration::NoiseDistribution;
use dp_exact::Rational;
use dp_prio3::Measurement::Bits;
use dp_prio3::canonical::TaskTerms;
use dp_prio3::grid::Grid;
use dp_prio3::{
    AggregatorNoise, Amount, BatchError, BatchLimits, ClientNoise, MeasurementRange, Parts, Policy,
    Vdaf,
};
use dp_rappor::SymmetricRappor;
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use serde_json::Value;

use crate::support::catalogue::policies;
use crate::support::{
    OAMC, OAOC, OC, Task, amount, delta, epsilon, epsilon_delta, gaussian, histogram,
    histogram_laplace, kary_response, laplace, limited_parts, multihot, multihot_rappor,
    noise_parts, one_hot_rappor, policy_of, pure, rappor, rational, rng, sum, sum_vec, with_noise,
};

/// In blocks of 256.
#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    for noise in [gaussian(epsilon_delta("0.906", "1e-9")), laplace(pure("1"))] {
        let policy = policy_of(noise_parts(sum_vec(2, 300, 9), noise));
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
    let policy = policy_of(multihot_rappor(2, 50, 3));
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
    let kinds = all.iter().map(|(parts, _)| {
        let clients = parts.client_noise.as_ref().map(ClientNoise::kind);
        (parts.vdaf.kind(), clients, parts.aggregator_noise.as_ref().map(AggregatorNoise::kind))
    });
    assert_eq!(kinds.collect::<HashSet<_>>().len(), 36, "as many as the catalogue has");
    for (parts, measurement) in &all {
        let mut task = Task::new(limited_parts(parts, 50, 100), 4);
        let name = task.policy.name();
        (0..10).for_each(|_| task.send(*measurement));
        for batch in task.next_batches() {
            let refused = batch.finish().expect_err(&name);
            let BatchError::TooFewReports { reports, min_reports, .. } = refused else {
                panic!("{name}: {refused}");
            };
            assert_eq!((reports, min_reports), (10, 50));
        }
        (0..50).for_each(|_| task.send(*measurement));
        let mut released = task.finish();
        assert_eq!(task.collector.collect(&released).expect("enough reports").reports, 50);
        // Nor does the collector take fewer.
        released.iter_mut().for_each(|share| share.reports = 10);
        assert!(task.collector.collect(&released).is_err(), "{name}");
    }
}

fn bytes(policy: &Policy) -> Vec<u8> {
    let mut bytes = Vec::new();
    policy.encode(&TaskTerms::default(), &mut bytes);
    bytes
}

/// The parts with every default written, but for what RAPPOR determines.
fn with_defaults(parts: &Parts) -> Parts {
    let policy = policy_of(parts.clone());
    let mut parts = limited_parts(parts, policy.min_reports(), policy.max_reports());
    match &mut parts.vdaf {
        Vdaf::SumVec { chunk_length, .. }
        | Vdaf::Histogram { chunk_length, .. }
        | Vdaf::MultihotCountVec { chunk_length, .. }
        | Vdaf::L1BoundSum { chunk_length, .. } => *chunk_length = policy.chunk_length(),
        Vdaf::Count { .. } | Vdaf::Sum { .. } | Vdaf::Average { .. } => {}
    }
    parts
}

/// The places of all values in a document that is written as JSON.
fn places(value: &Value, place: String) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let inner = fields.iter().map(|(name, field)| places(field, format!("{place}/{name}")));
            inner.flatten().collect()
        }
        _ => vec![place],
    }
}

/// A digest over these bytes differs where the policies do. Each number of each type is altered by
/// itself.
#[test]
fn policies_that_differ_in_any_one_field_have_different_canonical_bytes() {
    let grid = Grid::new(rational("-1"), rational("9"), rational("1/2")).expect("a grid");
    let vdaf = Vdaf::Sum { aggregators: 2, range: MeasurementRange::Grid(Box::new(grid)) };
    let gridded = noise_parts(vdaf, laplace(pure("1")));
    let exact = |parameter| {
        let budget = Amount::Exactly { parameter: rational(parameter) };
        with_noise(&gridded, AggregatorNoise::DiscreteLaplace { budget })
    };
    let mut all: Vec<Policy> = vec![policy_of(exact("4")), policy_of(exact("5"))];
    let mut altered_fields = HashSet::new();
    for parts in policies().into_iter().map(|(parts, _)| parts).chain([gridded.clone()]) {
        let parts = with_defaults(&parts);
        let document = serde_json::to_value(&parts).unwrap();
        all.push(policy_of(parts));
        for place in places(&document, String::new()) {
            let number = document.pointer(&place).unwrap().to_string();
            let Ok(number) = number.trim_matches('"').parse::<Rational>() else {
                continue;
            };
            let is_known = altered_fields.contains(&place);
            let half = rational("1/2");
            for other in [&number + &rational("1"), &number - &half, &number * &half] {
                let mut altered = document.clone();
                *altered.pointer_mut(&place).unwrap() = Value::String(other.to_string());
                let altered = serde_json::from_value(altered).ok().filter(|_| !is_known);
                if let Some(policy) = altered.and_then(|parts| Policy::new(parts).ok()) {
                    altered_fields.insert(place.clone());
                    all.push(policy);
                }
            }
        }
    }
    // Of the VDAFs 23, of clients' noise 9, of aggregators' noise 9, of batches 2.
    assert_eq!(altered_fields.len(), 43, "{altered_fields:?}");
    let mut known: HashMap<Vec<u8>, &Policy> = HashMap::new();
    for policy in &all {
        if let Some(other) = known.insert(bytes(policy), policy) {
            assert_eq!(other, policy);
        }
    }
    assert!(known.len() > 80, "{}", known.len());
}

#[test]
fn tasks_that_differ_in_any_one_term_have_different_canonical_bytes() {
    let policy = policy_of(histogram_laplace(2, 4));
    let own = TaskTerms::default();
    let all = [
        own.clone(),
        TaskTerms { releases: 2, ..own.clone() },
        TaskTerms { reports_per_client: 2, ..own.clone() },
        TaskTerms { delta: Some(delta("1e-9")), ..own.clone() },
        TaskTerms { delta: Some(delta("1e-8")), ..own.clone() },
        TaskTerms { trust_model: Some(OC), ..own.clone() },
        TaskTerms { trust_model: Some(OAOC), ..own.clone() },
        TaskTerms { trust_model: Some(OAMC), ..own.clone() },
        TaskTerms { honest_clients: Some(0), ..own.clone() },
        TaskTerms { honest_clients: Some(1), ..own.clone() },
        TaskTerms { accepts_weak_guarantee: true, ..own },
    ];
    let encoded = |terms: &TaskTerms| {
        let mut bytes = Vec::new();
        policy.encode(terms, &mut bytes);
        bytes
    };
    assert_eq!(all.iter().map(encoded).collect::<HashSet<_>>().len(), all.len());
}

/// The digits of a number change nothing, nor does a default that is written.
#[test]
fn a_policy_that_is_written_in_another_way_has_the_same_canonical_bytes() {
    let of_digits = |epsilon| noise_parts(histogram(2, 4), laplace(pure(epsilon)));
    let written_out = with_defaults(&of_digits("1"));
    assert_ne!(written_out, of_digits("1"));
    let clients = one_hot_rappor(9, "1", "0.010");
    let max_weight = Some(policy_of(clients.clone()).max_weight());
    let weighed = Parts { vdaf: multihot(9, max_weight), ..one_hot_rappor(9, "1", "1/100") };
    for (one, other) in
        [(of_digits("1"), of_digits("1.000")), (of_digits("1"), written_out), (clients, weighed)]
    {
        assert_eq!(bytes(&policy_of(one)), bytes(&policy_of(other)));
    }
}

/// RAPPOR determines the most ones of a report, and not every noise fits every measurement.
#[test]
fn parts_that_contradict_each_other_are_refused() {
    let clients = rappor(9, 1, "1", "0.01");
    let bound = policy_of(clients.clone()).max_weight();
    let other = Parts { vdaf: multihot(9, Some(bound + 1)), ..clients.clone() };
    let refused = Policy::new(other).unwrap_err().to_string();
    let begins = format!("vdaf.max_weight is {}: expected {bound}, the least that", bound + 1);
    assert!(refused.starts_with(&begins), "{refused}");
    let missing = Policy::new(noise_parts(multihot(9, None), laplace(pure("1")))).unwrap_err();
    assert!(missing.to_string().starts_with("vdaf.max_weight is missing: "), "{missing}");

    let noise = || AggregatorNoise::RangesLaplace { budget: amount(pure("1")) };
    let compensation =
        AggregatorNoise::Compensation { target_honest_clients: 9, assumed_malicious_clients: 0 };
    let coin = Some(ClientNoise::CoinFlip {});
    for parts in [
        noise_parts(sum(2, 9), noise()),
        with_noise(&kary_response(4, "1"), noise()),
        with_noise(&kary_response(4, "1"), compensation.clone()),
        noise_parts(histogram(2, 4), compensation),
        Parts { client_noise: coin, ..histogram_laplace(2, 4) },
        Parts { batch: BatchLimits { min_reports: 0, max_reports: None }, ..clients },
    ] {
        assert!(Policy::new(parts.clone()).is_err(), "{parts:?}");
    }
}
