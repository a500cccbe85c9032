//! False, altered and truncated reports are rejected and counted; the others survive.

use crate::support::forgery::{
    HistogramCircuit, MultihotCircuit, forge, minus_one, nonce, parameter,
};
use crate::support::{Task, epsilon, histogram_laplace, multihot_rappor, rational};
use dp_prio3::message::{Report, VerifierMessage, VerifierShare};
use dp_prio3::{HistogramLaplace, MultihotRappor, Rejection, Stage};

type Alteration = dyn Fn(&mut VerifierMessage);

fn false_histogram(task: &mut Task<HistogramLaplace>, encoded: &[u128]) -> Report {
    let chunk_length = parameter(&*task.policy, "chunk_length");
    let circuit = HistogramCircuit::new(encoded.len(), chunk_length).expect("valid parameters");
    let nonce = nonce(&mut task.rng);
    forge(&*task.policy, task.client.task(), circuit, nonce, encoded)
}

/// A report with these bits that claims this weight, in the circuit's own encoding: the bits of
/// the weight; the last one counts `last`.
fn multihot(task: &mut Task<MultihotRappor>, bits: &[u128], claimed_weight: &[u128]) -> Report {
    let max_weight = parameter(&*task.policy, "max_weight");
    let chunk_length = parameter(&*task.policy, "chunk_length");
    let circuit =
        MultihotCircuit::new(bits.len(), max_weight, chunk_length).expect("valid parameters");
    let encoded = [bits, claimed_weight].concat();
    let nonce = nonce(&mut task.rng);
    forge(&*task.policy, task.client.task(), circuit, nonce, &encoded)
}

#[test]
fn an_honestly_encoded_vector_passes_the_forge() {
    let mut task = Task::new(histogram_laplace(3, 4), 1);
    let report = false_histogram(&mut task, &[0, 1, 0, 0]);
    task.verify(report).unwrap();
}

#[test]
fn two_hot_zero_hot_and_other_false_histograms_are_rejected_by_their_proof_and_counted() {
    for aggregators in [2, 3, 5] {
        let mut task = Task::new(histogram_laplace(aggregators, 4), 1);
        let falsehoods: [&[u128]; 6] = [
            &[1, 1, 0, 0],
            &[0, 0, 0, 0],
            &[2, 0, 0, 0],
            &[2, minus_one(), 0, 0],
            &[0, minus_one(), 1, 1],
            &[1, 1, 1, 1],
        ];
        for encoded in falsehoods {
            task.send(&0);
            let report = false_histogram(&mut task, encoded);
            assert_eq!(task.verify(report).unwrap_err().stage(), Stage::Proof);
            task.send(&3);
        }
        for batch in &task.batches {
            assert_eq!(batch.rejections().at(Stage::Proof), 6);
            assert_eq!(batch.rejections().total(), 6);
            assert_eq!(batch.reports(), 12);
        }
        let collection = task.collect().unwrap();
        assert_eq!(collection.reports, 12);
        // 30 standard errors of Laplace noise: e^(−42).
        for (estimate, truth) in collection.estimates.iter().zip([6.0, 0.0, 0.0, 6.0]) {
            assert!(estimate.interval(30.0).contains(&truth));
        }
    }
}

#[test]
fn a_multihot_report_of_weight_m_passes_and_one_of_weight_m_plus_1_does_not() {
    let rate = rational("1/4");
    let policy = MultihotRappor::vectors(2, 8, 1, epsilon("1"), &rate).unwrap();
    let m = policy.randomizer().max_weight();
    assert!((2..7).contains(&m));
    let mut task = Task::new(policy, 1);
    let ones = |count: usize| -> Vec<u128> { (0..8).map(|i| u128::from(i < count)).collect() };
    let weight_bits = m.ilog2() as usize + 1;

    // All bits of the claimed weight set is m itself.
    let largest_claim = vec![1; weight_bits];
    let report = multihot(&mut task, &ones(m), &largest_claim);
    task.verify(report).unwrap();

    let too_heavy = multihot(&mut task, &ones(m + 1), &largest_claim);
    assert_eq!(task.verify(too_heavy).unwrap_err().stage(), Stage::Proof);

    let mut claim_that_is_no_bit = largest_claim.clone();
    claim_that_is_no_bit[0] = 2;
    let too_heavy = multihot(&mut task, &ones(m + 1), &claim_that_is_no_bit);
    assert_eq!(task.verify(too_heavy).unwrap_err().stage(), Stage::Proof);

    let mut a_two = ones(1);
    a_two[0] = 2;
    let mut claim_two = vec![0; weight_bits];
    claim_two[1] = 1;
    let a_two = multihot(&mut task, &a_two, &claim_two);
    assert_eq!(task.verify(a_two).unwrap_err().stage(), Stage::Proof);

    let collection = task.collect().unwrap();
    let expected: Vec<i128> = (0..8).map(|i| i128::from(i < m)).collect();
    assert_eq!((collection.reports, collection.totals), (1, expected));
}

/// One report up to the exchange of verifier shares, which `alter` then changes.
fn with_altered_shares(alter: impl Fn(&mut Vec<VerifierShare>)) -> Result<(), Rejection> {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let report = task.report(&1).into_shares();
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
        |alter: &dyn Fn(&mut Vec<VerifierShare>)| with_altered_shares(alter).unwrap_err().stage();
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
        let report = task.report(&[false; 3]).into_shares();
        let (first, first_share) = task.aggregators[0].verify_init(&report[0]).unwrap();
        let (_, second_share) = task.aggregators[1].verify_init(&report[1]).unwrap();
        let shares = [first_share, second_share];
        let mut message = task.aggregators[0].combine(&first, &shares).unwrap();
        alter(&mut message);
        let rejection = task.aggregators[0].verify_next(first, &message);
        assert_eq!(rejection.unwrap_err().stage(), stage);
    }
}
