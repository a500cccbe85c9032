//! An honest aggregator takes its share of a report only in that report (`docs/binding.md`).

use std::fmt::Debug;

use dp_prio3::message::BindingKey;
use dp_prio3::verification::verify;
use prio::codec::{Decode as _, Encode as _};

use crate::support::catalogue::vdafs;
use crate::support::*;

fn stage<T: Debug>(result: Result<T, dp_prio3::Rejection>) -> Stage {
    result.expect_err("altered").stage
}

/// Every flipped bit of an encoded report share is refused at every aggregator, before anything is
/// spent. In the public share that includes the aggregator's own part, which it computes itself.
#[test]
fn every_flipped_bit_of_a_report_share_is_refused_for_all_types() {
    for (vdaf, measurement, _) in vdafs() {
        let mut task = Task::new(noise_parts(vdaf, laplace(pure("1"))), 1);
        let honest = task.report(measurement).into_shares();
        for (aggregator, share) in task.aggregators.iter().zip(&honest) {
            for altered in flipped_bits(&share.get_encoded().expect("valid")) {
                // A length prefix may not decode.
                if let Ok(altered) = ReportShare::get_decoded(&altered) {
                    assert_eq!(stage(aggregator.verify_init(&altered)), Stage::Binding);
                }
            }
        }
        verify(&task.aggregators, &honest).expect("valid");
    }
}

/// Otherwise the other aggregators could have a share verified as often as they like.
#[test]
fn the_holders_of_the_other_shares_cannot_put_an_honest_share_into_another_report() {
    let mut task = Task::new(histogram_laplace(3, 3), 1);
    let honest = task.report(Bucket(1));
    let alterations: [&Alteration<Report>; 6] = [
        &|report| report.public.nonce[15] ^= 1,
        &|report| report.public.window = TimeWindow(1),
        &|report| report.public.public_share[0] ^= 1,
        &|report| report.private[1].input_share[0] ^= 1,
        &|report| report.private.swap(1, 2),
        &|_| (),
    ];
    let victim = task.aggregators[0].clone();
    for alter in alterations {
        let mut report = honest.clone();
        alter(&mut report);
        // New secrets for the shares that they hold, and new commitments to them.
        let mut report = task.bound(&report);
        report.private[0] = honest.private[0].clone();
        report.public.commitments[0] = honest.public.commitments[0];
        let share = report.into_shares().remove(0);
        assert_eq!(stage(victim.verify_init(&share)), Stage::Binding);
    }
    victim.verify_init(&honest.into_shares()[0]).unwrap();
}

#[test]
fn a_share_is_refused_by_another_aggregator_another_task_and_beside_too_few_or_many_commitments() {
    let mut task = Task::new(noise_parts(sum(3, 5), laplace(pure("1"))), 1);
    let stranger = Task::new(noise_parts(sum(3, 5), laplace(pure("2"))), 1);
    let honest = task.report(Integer(3)).into_shares();
    // The shares of aggregators 1 and 2 are both seeds.
    assert_eq!(stage(task.aggregators[2].verify_init(&honest[1])), Stage::Binding);
    assert_eq!(stage(stranger.aggregators[1].verify_init(&honest[1])), Stage::Binding);

    for commitments in [0, 1, 2, 4, 255] {
        let mut other = honest[1].clone();
        let first = other.public.commitments[0];
        other.public.commitments.resize(commitments, first);
        let rejection = task.aggregators[1].verify_init(&other).unwrap_err();
        assert_eq!(rejection.stage, Stage::Binding);
        let expected = "expected one for each of the 3 aggregators";
        assert_eq!(
            rejection.reason,
            format!("{commitments} commitments to input shares: {expected}")
        );
    }
}

/// A client commits to one share and sends another one, or tags with another secret.
#[test]
fn a_share_that_was_not_committed_to_is_refused() {
    let mut task = Task::new(noise_parts(sum(2, 5), laplace(pure("1"))), 1);
    let (honest, other) = (task.report(Integer(3)), task.report(Integer(4)));
    let mut swapped = honest.clone();
    swapped.private[1].input_share = other.private[1].input_share.clone();
    let mut rekeyed = honest;
    rekeyed.private[1].key = BindingKey([9; 32]);
    for (report, reason) in [
        (swapped, "the input share is not the one that the report commits to"),
        (rekeyed, "the share's tag is of another task, aggregator, nonce, window or public share"),
    ] {
        let rejection = task.aggregators[1].verify_init(&report.into_shares()[1]).unwrap_err();
        assert_eq!((rejection.stage, &*rejection.reason), (Stage::Binding, reason));
    }
}

/// Python's `hmac` and `hashlib` computed the expected values.
#[test]
fn ids_and_tags_agree_with_another_implementation() {
    let task = dp_prio3::TaskDigest([1; 32]);
    let private = vec![vec![6; 7], vec![8; 9]];
    let bound = Report::bind(&task, [2; 16], TimeWindow(3), vec![4; 5], private).unwrap();
    let mut share = bound.into_shares().remove(1);
    // Secrets are random: with fixed ones only what Python says fits.
    share.private.key = BindingKey([10; 32]);
    for (commitment, known) in share.public.commitments.iter_mut().zip(COMMITMENTS) {
        commitment.0 = bytes(known);
    }
    share.private.tag = bytes(TAG);
    let id = share.check(&task, 1, 2).unwrap();
    assert_eq!(id.to_string(), ID);
    assert_eq!(id, share.public.report_id(&task));
}

fn bytes(hexadecimal: &str) -> [u8; 32] {
    std::array::from_fn(|at| {
        u8::from_str_radix(&hexadecimal[2 * at..2 * at + 2], 16).expect("valid")
    })
}

const COMMITMENTS: [&str; 2] = [
    "db276f7c53fe79a7a2ef12b484783a3eee1fb0ef15a4b3a5d1cf3a583c4dcf65",
    "89040335e85a946fbdb494681ed96e219d850d126cc6b9e30ef4e63016b9e934",
];
const ID: &str = "d3068acb6a94c8e228041395b2beb9d8b3a91c1eeb953aa60123b27d4fb1e8ca";
const TAG: &str = "28ea5e64db510025f90f2081f5d9f9ae85e9c6151ee0fa89f4d340d5a267b186";
