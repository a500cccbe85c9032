//! What a policy makes the parties do: clients send what the randomizer draws, aggregators add the
//! draws of their sampler, behind a strategy matrix to its product with their shares, and release
//! no batch below the policy's own bound. The tests of `dp-task` alter every field of every policy.

use std::collections::HashSet;

use dp_prio3::SignedField as _;
use dp_prio3::prio::field::{Field128, FieldElement as _};
use dp_rappor::SymmetricRappor;
use dp_samplers::{DiscreteGaussian, DiscreteKNorm, DiscreteLaplace};

use crate::support::catalogue::{matrix_noises, policies};
use crate::support::*;

/// Independent draws in blocks of 256; K-norm noise by one draw for all totals.
#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    for (noise, length) in [
        (gaussian(epsilon_delta("0.906", "1e-9")), 300),
        (laplace(pure("1")), 300),
        (k_norm(pure("1")), 255),
        (k_norm(pure("1")), 257),
        (k_norm(pure("1")), 513),
    ] {
        let policy = policy_of(noise_parts(sum_vec(2, length, 9), noise));
        let mut draws = vec![0_i64; length];
        match policy.mechanism().expect("noise").distribution() {
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                DiscreteGaussian::new(variance).unwrap().fill(&mut rng(5), &mut draws).unwrap();
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                DiscreteLaplace::new(scale).unwrap().fill(&mut rng(5), &mut draws).unwrap();
            }
            VectorNoise::DiscreteKNorm { scale, .. } => {
                DiscreteKNorm::new(scale, length).unwrap().fill(&mut rng(5), &mut draws).unwrap();
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
    let one_hot = policy_of(one_hot_rappor(3, "1", "0"));
    let entries = |measurement| one_hot.randomized_entries(measurement, &mut rng(5)).unwrap();
    assert_eq!(entries(Bucket(1)), entries(Bits(&[false, true, false])));
}

/// A policy's own bound is a condition of its guarantee, whatever the policy is made of.
#[test]
fn no_aggregator_releases_4_reports_where_5_are_asked_for() {
    let all = policies();
    let kinds = all.iter().map(|(parts, _)| {
        let clients = parts.client_noise.as_ref().map(ClientNoise::kind);
        (parts.vdaf.kind(), clients, parts.aggregator_noise.as_ref().map(AggregatorNoise::kind))
    });
    assert_eq!(kinds.collect::<HashSet<_>>().len(), 38, "as many as the catalogue has");
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
        assert_eq!(task.collect().expect("enough reports").reports, 5);
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
