//! Every Prio3 type under random truncations, extensions and flipped bits of everything that
//! crosses between the parties: each is a rejection or a typed error, and what the honest reports
//! say stays as it is.
//!
//! A flipped bit that a proof overlooks has probability below 2^−50 in the smaller field.

use crate::support::alteration::{Alteration, Place, verify_altered};
use crate::support::{Task, laplace};
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, CollectError, PolicyDescription, Stage};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn task<V: MeasurementType>(measurement_type: &V) -> Task<AggregatorNoise<V, DiscreteLaplace>> {
    Task::new(laplace(measurement_type.clone(), "1"), 1)
}

/// `totals` are those of one honest report.
fn alterations_are_survived<V: MeasurementType>(
    measurement_type: &V,
    measurement: &V::Measurement,
    totals: &[i128],
) {
    reports_are_rejected(measurement_type, measurement, totals);
    aggregate_shares_are_refused(measurement_type, measurement);
}

fn reports_are_rejected<V: MeasurementType>(
    measurement_type: &V,
    measurement: &V::Measurement,
    totals: &[i128],
) {
    let places = prop::sample::select(&Place::ALL[..]);
    let inputs = (places, any::<Index>(), Alteration::any());
    let mut task = task(measurement_type);
    let aggregators = task.aggregators.len();
    let (mut honest, mut garbage) = (0_u64, 0_u64);
    let mut runner = TestRunner::deterministic();
    for case in 0..600 {
        let (place, victim, alteration) = inputs
            .new_tree(&mut runner)
            .expect("the strategy yields inputs")
            .current();
        let report = task.report(measurement);
        let victim = victim.index(aggregators);
        match verify_altered(&mut task, report, place, victim, &alteration) {
            None => honest += 1,
            Some(Ok(())) => panic!("{place:?} {alteration:?} was overlooked"),
            Some(Err(rejection)) => {
                garbage += 1;
                let readable = matches!(alteration, Alteration::Flip(_));
                assert!(
                    readable || is_unreadable(place, rejection.stage()),
                    "{place:?} {alteration:?}: {rejection}"
                );
            }
        }
        if case % 8 == 0 {
            task.send(measurement);
            honest += 1;
        }
    }

    assert!(garbage > 300);
    for batch in &task.batches {
        assert_eq!(batch.rejections().total(), garbage);
        assert_eq!(batch.reports(), honest);
    }
    let expected = totals.iter().map(|total| total * i128::from(honest));
    assert_eq!(task.exact_totals(), (honest, expected.collect()));
}

/// At which stage bytes of a wrong length are rejected.
fn is_unreadable(place: Place, stage: Stage) -> bool {
    stage
        == match place {
            Place::PublicShare | Place::InputShare => Stage::Upload,
            Place::VerifierShare => Stage::VerifierShares,
            Place::VerifierMessage => Stage::VerifierMessage,
        }
}

/// A bit flipped low in an aggregate share is noise like any other: the total is then off by that
/// power of two. Anything else is refused.
fn aggregate_shares_are_refused<V: MeasurementType>(
    measurement_type: &V,
    measurement: &V::Measurement,
) {
    let mut task = task(measurement_type);
    task.send(measurement);
    let shares = task.finish();
    let truth = task.collector.collect(&shares).expect("honest shares");
    let range = task.policy.total_range(1);

    let inputs = (any::<Index>(), Alteration::any());
    let mut runner = TestRunner::deterministic();
    for _ in 0..1000 {
        let (victim, alteration) = inputs
            .new_tree(&mut runner)
            .expect("the strategy yields inputs")
            .current();
        let mut altered = shares.clone();
        let victim = victim.index(shares.len());
        assert!(alteration.apply(&mut altered[victim].share));
        let flipped = matches!(alteration, Alteration::Flip(_));
        match task.collector.collect(&altered) {
            Err(CollectError::Malformed { aggregator, .. }) => {
                assert_eq!(usize::from(aggregator), victim);
            }
            Err(CollectError::OutOfRange { .. }) => assert!(flipped),
            Err(other) => panic!("{alteration:?}: {other}"),
            Ok(collection) => {
                assert!(flipped && collection.totals != truth.totals);
                assert!(collection.totals.iter().all(|total| range.contains(total)));
            }
        }
    }
}

#[test]
fn a_count_survives_alterations() {
    alterations_are_survived(&Count::new(2).unwrap(), &true, &[1]);
}

#[test]
fn a_sum_survives_alterations() {
    alterations_are_survived(&Sum::new(2, 9).unwrap(), &7, &[7]);
}

#[test]
fn an_average_survives_alterations() {
    alterations_are_survived(&Average::new(3, 9).unwrap(), &7, &[7]);
}

#[test]
fn a_sum_vector_survives_alterations() {
    let sum_vec = SumVec::new(2, 3, 4).unwrap();
    alterations_are_survived(&sum_vec, &[4, 0, 1][..], &[4, 0, 1]);
}

#[test]
fn a_histogram_survives_alterations() {
    alterations_are_survived(&Histogram::new(3, 4).unwrap(), &2, &[0, 0, 1, 0]);
}

#[test]
fn a_multihot_count_survives_alterations() {
    let bits = MultihotCountVec::new(2, 4, 2).unwrap();
    alterations_are_survived(&bits, &[true, false, false, true][..], &[1, 0, 0, 1]);
}

#[test]
fn an_l1_bound_sum_survives_alterations() {
    let vector = L1BoundSum::new(2, 3, 7).unwrap();
    alterations_are_survived(&vector, &[5, 0, 2][..], &[5, 0, 2]);
}

/// What a share meant for a task of other parameters, or for another aggregator, is here.
#[test]
fn shares_of_another_length_type_or_aggregator_are_rejected() {
    let mut task = task(&Histogram::new(3, 4).unwrap());
    let others = [
        self::task(&Histogram::new(3, 5).unwrap()).report(&1),
        self::task(&Histogram::new(3, 3).unwrap()).report(&1),
        self::task(&Histogram::new(2, 4).unwrap()).report(&1),
        self::task(&Histogram::new(4, 4).unwrap()).report(&1),
        self::task(&SumVec::new(3, 4, 1).unwrap()).report(&[0, 1, 0, 0]),
        self::task(&Count::new(3).unwrap()).report(&true),
    ];
    for report in others {
        let bound = task.bound(&report);
        assert!(matches!(
            task.verify(bound).unwrap_err().stage(),
            Stage::Upload | Stage::Proof | Stage::Confirmation
        ));
        assert!(task.verify(report).is_err());
    }

    // The leader's share is long, those of the others are seeds.
    for (one, other) in [(0, 1), (1, 2), (2, 0)] {
        let mut exchanged = task.report(&1);
        exchanged.private.swap(one, other);
        assert!(task.verify(task.bound(&exchanged)).is_err());
        let rejection = task.verify(exchanged).unwrap_err();
        assert_eq!(rejection.stage(), Stage::Binding);
    }
    task.send(&1);
    assert_eq!(task.exact_totals(), (1, vec![0, 1, 0, 0]));
}

#[test]
fn clients_of_another_context_are_rejected_by_every_type() {
    fn rejects<V: MeasurementType>(measurement_type: V, measurement: &V::Measurement) {
        let mut task = task(&measurement_type);
        let policy = std::sync::Arc::clone(&task.policy);
        let stranger = dp_prio3::Client::new(policy, b"another task").expect("a short context");
        let report = stranger.report(measurement).expect("valid");
        let rejection = task.verify(report).unwrap_err();
        assert_eq!(rejection.stage(), Stage::Binding);
    }
    rejects(Count::new(2).unwrap(), &true);
    rejects(Sum::new(2, 9).unwrap(), &7);
    rejects(Average::new(3, 9).unwrap(), &7);
    rejects(SumVec::new(2, 3, 4).unwrap(), &[4, 0, 1][..]);
    rejects(Histogram::new(3, 4).unwrap(), &2);
    rejects(MultihotCountVec::new(2, 2, 1).unwrap(), &[true, false][..]);
    rejects(L1BoundSum::new(2, 3, 7).unwrap(), &[5, 0, 2][..]);
}
