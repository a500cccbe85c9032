//! Messages survive their encoding, and nothing but an encoding decodes.

use crate::support::{Task, batch_name, histogram_laplace};
use dp_prio3::message::{
    EncodedAggregateShare, Report, ReportId, ReportShare, VerifierMessage, VerifierShare,
};
use dp_prio3::{ReportChecksum, TaskDigest, TimeWindow};
use prio::codec::{CodecError, Decode, Encode};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Debug;

/// The first share of a report of these contents.
fn report_share(
    nonce: [u8; 16],
    window: u64,
    content: &[Vec<u8>; 2],
    shares: usize,
) -> ReportShare {
    let [public, private] = content.clone();
    let private = vec![private; shares];
    let task = TaskDigest([7; 32]);
    let report =
        Report::bind(&task, nonce, TimeWindow(window), public, private).expect("few shares");
    report.into_shares().remove(0)
}

/// The message decodes to itself, and neither shorter nor longer bytes decode.
fn survives<T: Encode + Decode + PartialEq + Debug>(
    message: &T,
    cut: usize,
    excess: &[u8],
) -> Result<(), TestCaseError> {
    let bytes = message.get_encoded().expect("encodes");
    prop_assert_eq!(&T::get_decoded(&bytes).expect("decodes"), message);
    prop_assert!(T::get_decoded(&bytes[..cut % bytes.len()]).is_err());
    prop_assert!(T::get_decoded(&[&bytes, excess].concat()).is_err());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn report_shares_survive_their_encoding(
        nonce: [u8; 16],
        window: u64,
        content: [Vec<u8>; 2],
        aggregators in 1_usize..=255,
        cut: usize,
        excess in vec(any::<u8>(), 1..9),
    ) {
        let share = report_share(nonce, window, &content, aggregators);
        // Of this length at once: a second buffer would leave a copy of the secrets.
        prop_assert_eq!(share.encoded_len(), Some(share.get_encoded().unwrap().len()));
        survives(&share, cut, &excess)?;
    }

    #[test]
    fn messages_survive_their_encoding_and_nothing_shorter_or_longer_decodes(
        report: [u8; 32],
        content in vec(any::<u8>(), 0..200),
        (aggregator, reports, checksum) in any::<(u8, u64, [u8; 32])>(),
        name in "[a-zé☃]{1,80}",
        cut: usize,
        excess in vec(any::<u8>(), 1..9),
    ) {
        let (id, share) = (ReportId(report), content.clone());
        survives(&VerifierShare { report: id, share }, cut, &excess)?;
        survives(&VerifierMessage { report: id, message: content.clone() }, cut, &excess)?;
        let (task, checksum) = (TaskDigest(report), ReportChecksum(checksum));
        let batch = batch_name(&name);
        let share = content.clone();
        let share = EncodedAggregateShare { task, batch, aggregator, reports, checksum, share };
        survives(&share, cut, &excess)?;
    }

    #[test]
    fn whatever_decodes_encodes_to_the_same_bytes(bytes in vec(prop_oneof![Just(0), any::<u8>()], 0..200)) {
        if let Ok(share) = ReportShare::get_decoded(&bytes) {
            prop_assert_eq!(share.get_encoded().unwrap(), bytes.clone());
        }
        if let Ok(share) = EncodedAggregateShare::get_decoded(&bytes) {
            prop_assert_eq!(share.get_encoded().unwrap(), bytes);
        }
    }
}

#[test]
fn a_length_prefix_that_guarantees_too_much_is_refused_without_allocating() {
    let share = report_share([3; 16], 0, &[vec![], vec![]], 2);
    let bytes = share.get_encoded().unwrap();
    // Nonce and window, the public share of no bytes, two commitments, the input share.
    for (at, prefix) in [(24, &[0xff; 4][..]), (28, &[0xff]), (28 + 1 + 64, &[0xff; 4])] {
        let mut promising = bytes.clone();
        promising[at..at + prefix.len()].copy_from_slice(prefix);
        let error = ReportShare::get_decoded(&promising).unwrap_err();
        assert!(matches!(error, CodecError::LengthPrefixTooBig(_)), "{error}");
    }
}

#[test]
fn secrets_do_not_show_when_debugged() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let report = task.report(&2);
    let text = format!("{report:?} {:?} {:?}", task.aggregators[0], task.batches[0]);
    assert!(text.contains("VerifyKey(..)"));
    assert!(text.contains("PrivatePart(..)") && !text.contains("input_share: ["));
    let share = format!("{:?}", report.into_shares()[0]);
    assert!(share.ends_with("private: PrivatePart(..) }"), "{share}");
    assert!(!text.contains("sum:"));
}
