//! Totals below zero come back below zero, for every type, where prio's own decoding gives a number
//! near the modulus of the field, or an error.

use std::sync::Arc;

use crate::support::{Task, laplace, rng};
use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{DpPolicy, FieldOf, PolicyDescription, SignedField};
use prio::codec::ParameterizedDecode;
use prio::field::FieldElement as _;
use prio::flp::Type;
use prio::vdaf::{AggregateShare, Collector as _, VdafError};

/// What prio makes of the shares.
fn decoded_by_prio<P: DpPolicy>(
    policy: &P,
    shares: &[EncodedAggregateShare],
) -> Result<<P::Flp as Type>::AggregateResult, VdafError> {
    let vdaf = policy.vdaf();
    let shares = shares.iter().map(|share| {
        AggregateShare::<FieldOf<P>>::get_decoded_with_param(&(vdaf, &()), &share.share)
            .expect("an honest share")
    });
    vdaf.unshard(&(), shares, 1)
}

/// The noise of both aggregators that the generators of `seed` draw for the first total.
fn noise<P: DpPolicy>(policy: &P, length: usize, seed: u64) -> i128 {
    let mut noise = vec![FieldOf::<P>::zero(); length];
    for aggregator in 0..2 {
        policy.add_noise(&mut noise, 1, &mut rng(2 * seed + aggregator)).expect("the noise fits");
    }
    noise[0].to_signed()
}

/// The shares of a batch of one report whose first total, by the choice of the seed, is `total`.
fn shares_of<P: DpPolicy>(
    task: &mut Task<P>,
    measurement: &P::Measurement,
    truth: i128,
    total: i128,
) -> Vec<EncodedAggregateShare> {
    let length = task.policy.vdaf().output_len();
    let policy = Arc::clone(&task.policy);
    let seed = (0..200_000)
        .find(|seed| noise(&*policy, length, *seed) == total - truth)
        .expect("some seed does");
    task.send(measurement);
    let batches = task.next_batches();
    (2 * seed..)
        .zip(batches)
        .map(|(seed, batch)| batch.finish_seeded(&mut rng(seed)).expect("the noise fits"))
        .collect()
}

fn comes_back_negative<V: MeasurementType>(
    measurement_type: V,
    measurement: &V::Measurement,
    truth: i128,
) {
    let policy = laplace(measurement_type, "0.3");
    let name = policy.name();
    let mut task = Task::new(policy, 1);
    let shares = shares_of(&mut task, measurement, truth, -10);
    let collection = task.collector.collect(&shares).expect("honest shares");
    assert_eq!(collection.totals[0], -10, "{name}");
    assert!((collection.estimates[0].value + 10.0).abs() < 1e-12, "{name}");
}

#[test]
fn totals_of_every_type_come_back_negative() {
    comes_back_negative(Count::new(2).unwrap(), &true, 1);
    comes_back_negative(Sum::new(2, 3).unwrap(), &3, 3);
    comes_back_negative(Average::new(2, 3).unwrap(), &2, 2);
    comes_back_negative(SumVec::new(2, 2, 3).unwrap(), &[3, 0][..], 3);
    comes_back_negative(Histogram::new(2, 3).unwrap(), &1, 0);
    let multihot = MultihotCountVec::new(2, 3, 2).unwrap();
    comes_back_negative(multihot, &[true, false, true][..], 1);
    comes_back_negative(L1BoundSum::new(2, 2, 3).unwrap(), &[1, 2][..], 1);
}

/// p − 10 for p = 2^64 − 2^32 + 1.
#[test]
fn prio_alone_decodes_a_count_of_minus_10_as_a_huge_number() {
    let mut task = Task::new(laplace(Count::new(2).unwrap(), "0.3"), 1);
    let shares = shares_of(&mut task, &false, 0, -10);
    assert_eq!(decoded_by_prio(&*task.policy, &shares).unwrap(), 18_446_744_069_414_584_311);
    let collection = task.collector.collect(&shares).unwrap();
    assert_eq!(collection.totals, [-10]);
}

#[test]
fn prio_alone_does_not_decode_a_mean_of_minus_10() {
    let mut task = Task::new(laplace(Average::new(2, 3).unwrap(), "0.3"), 1);
    let shares = shares_of(&mut task, &0, 0, -10);
    let error = decoded_by_prio(&*task.policy, &shares).unwrap_err();
    assert!(error.to_string().contains("out of range"), "{error}");
    let collection = task.collector.collect(&shares).unwrap();
    assert!((collection.estimates[0].value + 10.0).abs() < 1e-12);
}
