//! The collector refuses altered sets of shares.

use crate::support::{Task, histogram_laplace, multihot_rappor};
use dp_prio3::CollectError;
use dp_prio3::message::EncodedAggregateShare;

type Shares = Vec<EncodedAggregateShare>;
type Alteration = dyn Fn(&mut Vec<u8>);

/// The collector's error on the shares of three aggregators over five reports, after `alter`.
fn refusal(alter: impl FnOnce(&mut Shares)) -> CollectError {
    let mut task = Task::new(histogram_laplace(3, 4), 5);
    for bucket in [0, 1, 2, 3, 3] {
        task.send(&bucket);
    }
    let mut shares = task.finish();
    alter(&mut shares);
    task.collector.collect(&shares).expect_err("altered shares are refused")
}

#[test]
fn the_order_of_the_shares_does_not_matter() {
    let mut task = Task::new(multihot_rappor(3, 4, 1), 5);
    task.send(&[true, false, false, false]);
    let mut shares = task.finish();
    let collection = task.collector.collect(&shares).unwrap();
    shares.reverse();
    assert_eq!(task.collector.collect(&shares).unwrap(), collection);
}

#[test]
fn a_missing_an_additional_and_a_doubled_share_are_refused() {
    assert_eq!(
        refusal(|shares| drop(shares.pop())).to_string(),
        "aggregate shares of the aggregators [0, 1]: expected one of each from 0 to 2"
    );
    assert_eq!(
        refusal(|shares| shares.push(shares[0].clone())).to_string(),
        "aggregate shares of the aggregators [0, 0, 1, 2]: expected one of each from 0 to 2"
    );
    assert_eq!(
        refusal(|shares| shares[2] = shares[0].clone()).to_string(),
        "aggregate shares of the aggregators [0, 0, 1]: expected one of each from 0 to 2"
    );
    assert_eq!(
        refusal(|shares| shares[2].aggregator = 3).to_string(),
        "aggregate shares of the aggregators [0, 1, 3]: expected one of each from 0 to 2"
    );
    assert!(matches!(refusal(Vec::clear), CollectError::NoSet(_)));
}

#[test]
fn truncated_lengthened_and_unreduced_shares_are_refused() {
    let alterations: [&Alteration; 4] = [
        &|bytes| bytes.truncate(bytes.len() - 1),
        &|bytes| bytes.push(0),
        &Vec::clear,
        // All ones exceeds the modulus.
        &|bytes| bytes[..16].fill(0xff),
    ];
    for alter in alterations {
        let error = refusal(|shares| alter(&mut shares[1].share));
        assert!(matches!(error, CollectError::Malformed(_)));
        let said = "the aggregate share of aggregator 1 cannot be decoded: ";
        assert!(error.to_string().starts_with(said), "{error}");
    }
}

#[test]
fn a_share_altered_in_a_high_byte_is_refused() {
    let error = refusal(|shares| shares[0].share[12] ^= 1);
    assert!(
        matches!(error, CollectError::OutOfRange(_)) && error.to_string().contains("total 0 is")
    );
}
