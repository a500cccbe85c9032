//! What a policy makes the parties do: clients send what the randomizer draws, aggregators add the
//! draws of their sampler, behind a strategy matrix to its product with their shares, and release
//! no batch below the policy's own bound. And the canonical bytes of a policy.

use std::collections::{HashMap, HashSet};

use dp_prio3::SignedField as _;
use dp_prio3::canonical::TaskTerms;
use dp_prio3::grid::Grid;
use dp_prio3::prio::field::{Field128, FieldElement as _};
use dp_rappor::SymmetricRappor;
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use serde_json::Value;

use crate::support::catalogue::{matrix_noises, policies};
use crate::support::*;

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
fn no_aggregator_releases_4_reports_where_5_are_asked_for() {
    let all = policies();
    let kinds = all.iter().map(|(parts, _)| {
        let clients = parts.client_noise.as_ref().map(ClientNoise::kind);
        (parts.vdaf.kind(), clients, parts.aggregator_noise.as_ref().map(AggregatorNoise::kind))
    });
    assert_eq!(kinds.collect::<HashSet<_>>().len(), 36, "as many as the catalogue has");
    for (parts, measurement) in &all {
        let mut task = Task::new(limited_parts(parts, 5, 10), 4);
        let name = task.policy.name();
        (0..4).for_each(|_| task.send(*measurement));
        for batch in task.next_batches() {
            let refused = batch.finish().expect_err(&name);
            let BatchError::TooFewReports { reports: 4, min_reports: 5, .. } = refused else {
                panic!("{name}: {refused}");
            };
        }
        (0..5).for_each(|_| task.send(*measurement));
        let mut released = task.finish();
        assert_eq!(task.collector.collect(&released).expect("enough reports").reports, 5);
        // Nor does the collector take fewer.
        released.iter_mut().for_each(|share| share.reports = 4);
        assert!(task.collector.collect(&released).is_err(), "{name}");
    }
}

/// Shares are multiplied, then noised: the total is C·x and the noise that the mechanism draws of
/// the same seeds.
#[test]
fn the_total_is_the_product_with_the_noise_of_both_aggregators() {
    for noise in matrix_noises() {
        let name = format!("{noise:?}");
        let mut task = Task::new(noise_parts(histogram(2, 50), noise), 1);
        let counts: Vec<i128> = (0..50).map(|bucket| bucket * bucket % 37).collect();
        let reports = u64::try_from(counts.iter().sum::<i128>()).expect("a number of reports");
        // Shares of large elements, as shares are.
        let large = |bucket: &i128| (bucket + 1) * 0x0001_5678_9abc_def0_1357_9bdf;
        let first: Vec<i128> = counts.iter().map(large).collect();
        let second = counts.iter().zip(&first).map(|(count, share)| count - share).collect();

        let matrix = task.policy.query().strategy_matrix().expect("a matrix");
        let mut expected = matrix.multiply(&counts);
        let mut shares = Vec::new();
        for ((batch, share), seed) in task.next_batches().into_iter().zip([first, second]).zip(14..)
        {
            let holding = batch.holding(&share, reports).expect("in the field");
            shares.push(holding.finish_seeded(&mut rng(seed)).expect("the noise fits"));
            let mut draws = vec![Field128::zero(); 50];
            task.policy.mechanism().expect("noise").add_to(&mut draws, &mut rng(seed)).unwrap();
            for (total, draw) in expected.iter_mut().zip(draws) {
                *total += draw.to_signed();
            }
        }
        assert_eq!(task.collector.collect(&shares).unwrap().totals, expected, "{name}");
    }
}

fn bytes(policy: &Policy, terms: &TaskTerms) -> Vec<u8> {
    let mut bytes = Vec::new();
    policy.encode(terms, &mut bytes);
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
    let Some(fields) = value.as_object() else { return vec![place] };
    fields.iter().flat_map(|(name, field)| places(field, format!("{place}/{name}"))).collect()
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
    let mut all = vec![policy_of(exact("4")), policy_of(exact("5"))];
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
    let (mut known, own) = (HashMap::new(), TaskTerms::default());
    for policy in &all {
        if let Some(other) = known.insert(bytes(policy, &own), policy) {
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
    let encoded: HashSet<_> = all.iter().map(|terms| bytes(&policy, terms)).collect();
    assert_eq!(encoded.len(), all.len());
}

/// A default that is written changes nothing, nor do the digits of a number.
#[test]
fn a_policy_that_is_written_in_another_way_has_the_same_canonical_bytes() {
    let short = histogram_laplace(2, 4);
    let written_out = with_defaults(&noise_parts(histogram(2, 4), laplace(pure("0.50"))));
    assert_ne!(written_out, short);
    let clients = one_hot_rappor(9, "1", "0.010");
    let max_weight = Some(policy_of(clients.clone()).max_weight());
    let weighed = Parts { vdaf: multihot(9, max_weight), ..one_hot_rappor(9, "1", "1/100") };
    for (one, other) in [(short, written_out), (clients, weighed)] {
        let [one, other] =
            [one, other].map(|parts| bytes(&policy_of(parts), &TaskTerms::default()));
        assert_eq!(one, other);
    }
}
