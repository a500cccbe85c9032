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
        "2 aggregate shares: expected one of each of the 3 aggregators"
    );
    assert_eq!(
        refusal(|shares| shares.push(shares[0].clone())).to_string(),
        "4 aggregate shares: expected one of each of the 3 aggregators"
    );
    assert_eq!(
        refusal(|shares| shares[2] = shares[0].clone()).to_string(),
        "two aggregate shares of aggregator 0: expected one of each"
    );
    assert_eq!(
        refusal(|shares| shares[2].aggregator = 3).to_string(),
        "an aggregate share of aggregator 3: they are numbered 0 to 2"
    );
    assert!(matches!(refusal(Vec::clear), CollectError::NoSet { .. }));
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
        assert!(matches!(error, CollectError::Malformed { aggregator: 1, .. }));
    }
}

#[test]
fn a_share_altered_in_a_high_byte_is_refused() {
    let error = refusal(|shares| shares[0].share[12] ^= 1);
    assert!(matches!(error, CollectError::OutOfRange { index: 0, .. }));
}
