//! False, altered and truncated reports are rejected and counted; the others survive.

use dp_prio3::message::{VerifierMessage, VerifierShare};
use prio::codec::{Decode as _, Encode as _};
use prio::field::{Field128, FieldElement as _};

use crate::support::*;

/// The leader's input share begins with its share of the encoded measurement: what is added to it
/// is added to the measurement.
#[test]
fn false_measurements_are_rejected_by_their_proof_and_counted() {
    for aggregators in [2, 3, 5] {
        let mut task = Task::new(histogram_laplace(aggregators, 4), 1);
        let one = Field128::one();
        // Buckets 0 and 1 are then [1, 1], [0, 0], [2, 0] and [2, -1].
        for added in [vec![(1, one)], vec![(0, -one)], vec![(0, one)], vec![(0, one), (1, -one)]] {
            task.send(Bucket(0));
            let mut report = task.report(Bucket(0));
            for (entry, added) in added {
                let bytes = &mut report.private[0].input_share[16 * entry..][..16];
                let sum = Field128::get_decoded(bytes).unwrap() + added;
                bytes.copy_from_slice(&sum.get_encoded().unwrap());
            }
            let report = task.bound(&report);
            assert_eq!(task.verify(report).unwrap_err().stage, Stage::Proof);
            task.send(Bucket(3));
        }
        for batch in &task.batches {
            assert_eq!(batch.rejections().iter().collect::<Vec<_>>(), [(&Stage::Proof, &4)]);
        }
        assert_eq!(task.exact_totals(), (8, vec![4, 0, 0, 4]));
    }
}

/// The stage at which one report is rejected whose verifier shares, and then whose message, are
/// altered.
fn stage(
    alter_shares: &Alteration<Vec<VerifierShare>>,
    alter_message: &Alteration<VerifierMessage>,
) -> Option<Stage> {
    let mut task = Task::new(multihot_rappor(2, 3, 1), 1);
    let report = task.report(Bits(&[false; 3])).into_shares();
    let [leader, helper] = &task.aggregators[..] else { panic!("two aggregators") };
    let (first, first_share) = leader.verify_init(&report[0]).expect("an honest share");
    let (second, second_share) = helper.verify_init(&report[1]).expect("an honest share");
    let mut shares = vec![first_share, second_share];
    alter_shares(&mut shares);
    let verified = leader.combine(&first, &shares).and_then(|mut message| {
        alter_message(&mut message);
        leader.verify_next(first, &message)?;
        helper.verify_next(second, &message)
    });
    verified.err().map(|rejection| rejection.stage)
}

#[test]
fn altered_verifier_shares_reject_the_report() {
    let rejected = |alter: &Alteration<Vec<VerifierShare>>| stage(alter, &|_| ());
    assert_eq!(rejected(&|_| ()), None);
    let alterations: [(&Alteration<Vec<VerifierShare>>, Stage); 9] = [
        (&|shares| drop(shares.pop()), Stage::VerifierShares),
        (&|shares| shares.push(shares[0].clone()), Stage::VerifierShares),
        // A malicious client gives the aggregators different public parts.
        (&|shares| shares[1].report.0[31] ^= 1, Stage::VerifierShares),
        (&|shares| shares[1].share.push(0), Stage::VerifierShares),
        (&|shares| shares[1].share.truncate(8), Stage::VerifierShares),
        (&|shares| shares[1].share.clear(), Stage::VerifierShares),
        (&|shares| shares[1].share[0] ^= 1, Stage::Proof),
        // The joint randomness parts are hashed in the order of the aggregators.
        (&|shares| shares.swap(0, 1), Stage::Confirmation),
        // A share twice is a share missing.
        (&|shares| shares[1] = shares[0].clone(), Stage::Proof),
    ];
    for (number, (alter, stage)) in alterations.into_iter().enumerate() {
        assert_eq!(rejected(alter), Some(stage), "{number}");
    }
}

#[test]
fn altered_verifier_messages_reject_the_report() {
    let alterations: [(&Alteration<VerifierMessage>, Stage); 5] = [
        (&|sent| sent.report.0[0] ^= 1, Stage::Confirmation),
        (&|sent| sent.message[5] ^= 1, Stage::Confirmation),
        (&|sent| sent.message.push(0), Stage::VerifierMessage),
        (&|sent| sent.message.truncate(sent.message.len() - 1), Stage::VerifierMessage),
        (&|sent| sent.message.clear(), Stage::VerifierMessage),
    ];
    for (alter, rejected) in alterations {
        assert_eq!(stage(&|_| (), alter), Some(rejected));
    }
}
