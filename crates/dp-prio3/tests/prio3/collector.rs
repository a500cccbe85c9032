//! The collector refuses altered sets of shares.

use dp_prio3::CollectError;
use dp_prio3::Measurement::{Bits, Bucket};
use dp_prio3::message::EncodedAggregateShare;

use crate::support::{Task, histogram_laplace, multihot_rappor};

type Shares = Vec<EncodedAggregateShare>;
type Alteration<T> = dyn Fn(&mut Vec<T>);

/// The collector's error on the shares of three aggregators over five reports, after `alter`.
fn refusal(alter: impl FnOnce(&mut Shares)) -> CollectError {
    let mut task = Task::new(histogram_laplace(3, 4), 5);
    for bucket in [0, 1, 2, 3, 3] {
        task.send(Bucket(bucket));
    }
    let mut shares = task.finish();
    alter(&mut shares);
    task.collector.collect(&shares).expect_err("altered shares are refused")
}

#[test]
fn the_order_of_the_shares_does_not_matter() {
    let mut task = Task::new(multihot_rappor(3, 4, 1), 5);
    task.send(Bits(&[true, false, false, false]));
    let mut shares = task.finish();
    let collection = task.collector.collect(&shares).unwrap();
    shares.reverse();
    assert_eq!(task.collector.collect(&shares).unwrap(), collection);
}

#[test]
fn a_missing_an_additional_and_a_doubled_share_are_refused() {
    let alterations: [(&Alteration<EncodedAggregateShare>, &str); 5] = [
        (&|shares| drop(shares.pop()), "[0, 1]"),
        (&|shares| shares.push(shares[0].clone()), "[0, 0, 1, 2]"),
        (&|shares| shares[2] = shares[0].clone(), "[0, 0, 1]"),
        (&|shares| shares[2].aggregator = 3, "[0, 1, 3]"),
        (&Vec::clear, "[]"),
    ];
    for (alter, present) in alterations {
        let error = refusal(alter);
        assert!(matches!(error, CollectError::NotOneOfEach { last: 2, .. }));
        let said = "expected one of each from 0 to 2";
        assert_eq!(
            error.to_string(),
            format!("aggregate shares of the aggregators {present}: {said}")
        );
    }
}

#[test]
fn truncated_lengthened_and_unreduced_shares_are_refused() {
    let alterations: [&Alteration<u8>; 4] = [
        &|bytes| bytes.truncate(bytes.len() - 1),
        &|bytes| bytes.push(0),
        &Vec::clear,
        // All ones exceeds the modulus.
        &|bytes| bytes[..16].fill(0xff),
    ];
    for alter in alterations {
        let error = refusal(|shares| alter(&mut shares[1].share));
        assert!(matches!(error, CollectError::Malformed { aggregator: 1, .. }));
        let said = "the aggregate share of aggregator 1 cannot be decoded: ";
        assert!(error.to_string().starts_with(said), "{error}");
    }
}

#[test]
fn a_share_altered_in_a_high_byte_is_refused() {
    let error = refusal(|shares| shares[0].share[12] ^= 1);
    assert!(matches!(error, CollectError::OutOfRange { index: 0, .. }));
    assert!(error.to_string().starts_with("total 0 is "), "{error}");
}
