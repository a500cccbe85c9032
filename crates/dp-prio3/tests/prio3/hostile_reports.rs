//! False, altered and truncated reports are rejected and counted; the others survive.

use dp_prio3::Measurement::{Bits, Bucket};
use dp_prio3::message::{VerifierMessage, VerifierShare};
use dp_prio3::{Rejection, Stage};
use prio::codec::{Decode as _, Encode as _};
use prio::field::{Field128, FieldElement as _};

use crate::support::{Task, histogram_laplace, multihot_rappor};

type Alteration = dyn Fn(&mut VerifierMessage);

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

/// One report up to the exchange of verifier shares, which `alter` then changes.
fn with_altered_shares(alter: impl Fn(&mut Vec<VerifierShare>)) -> Result<(), Rejection> {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let report = task.report(Bucket(1)).into_shares();
    let (first, first_share) =
        task.aggregators[0].verify_init(&report[0]).expect("an honest share");
    let (second, second_share) =
        task.aggregators[1].verify_init(&report[1]).expect("an honest share");
    let mut shares = vec![first_share, second_share];
    alter(&mut shares);
    let message = task.aggregators[0].combine(&first, &shares)?;
    task.aggregators[0].verify_next(first, &message)?;
    task.aggregators[1].verify_next(second, &message)?;
    Ok(())
}

#[test]
fn altered_verifier_shares_reject_the_report() {
    with_altered_shares(|_| ()).unwrap();
    let stage =
        |alter: &dyn Fn(&mut Vec<VerifierShare>)| with_altered_shares(alter).unwrap_err().stage;
    assert_eq!(stage(&|shares| drop(shares.pop())), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares.push(shares[0].clone())), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares[1].report.0[31] ^= 1), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares[1].share.push(0)), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares[1].share.truncate(8)), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares[1].share.clear()), Stage::VerifierShares);
    assert_eq!(stage(&|shares| shares[1].share[0] ^= 1), Stage::Proof);
    // The joint randomness parts are hashed in the order of the aggregators.
    assert_eq!(stage(&|shares| shares.swap(0, 1)), Stage::Confirmation);
    // A share twice is a share missing.
    assert_eq!(stage(&|shares| shares[1] = shares[0].clone()), Stage::Proof);
}

#[test]
fn altered_verifier_messages_reject_the_report() {
    let alterations: [(&Alteration, Stage); 5] = [
        (&|sent| sent.report.0[0] ^= 1, Stage::Confirmation),
        (&|sent| sent.message[5] ^= 1, Stage::Confirmation),
        (&|sent| sent.message.push(0), Stage::VerifierMessage),
        (&|sent| sent.message.truncate(sent.message.len() - 1), Stage::VerifierMessage),
        (&|sent| sent.message.clear(), Stage::VerifierMessage),
    ];
    for (alter, stage) in alterations {
        let mut task = Task::new(multihot_rappor(2, 3, 1), 1);
        let report = task.report(Bits(&[false; 3])).into_shares();
        let (first, first_share) = task.aggregators[0].verify_init(&report[0]).unwrap();
        let (_, second_share) = task.aggregators[1].verify_init(&report[1]).unwrap();
        let shares = [first_share, second_share];
        let mut message = task.aggregators[0].combine(&first, &shares).unwrap();
        alter(&mut message);
        let rejection = task.aggregators[0].verify_next(first, &message);
        assert_eq!(rejection.unwrap_err().stage, stage);
    }
}
