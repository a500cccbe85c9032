//! Messages survive their encoding, and nothing but an encoding decodes. The fuzz target `messages`
//! has altered ones.

use std::fmt::Debug;

use dp_prio3::message::{ReportId, VerifierMessage, VerifierShare};
use dp_prio3::{ReportChecksum, TaskDigest};
use prio::codec::{CodecError, Decode, Encode};

use crate::support::*;

/// The first share of a report with these contents and as many shares.
fn report_share(content: [&[u8]; 2], shares: usize) -> ReportShare {
    let [public, private] = content.map(<[u8]>::to_vec);
    let private = vec![private; shares];
    let report = Report::bind(&TaskDigest([7; 32]), [3; 16], TimeWindow(1 << 40), public, private);
    report.expect("few shares").into_shares().remove(0)
}

/// The message decodes to itself, and neither shorter nor longer bytes decode.
fn assert_survives<T: Encode + Decode + PartialEq + Debug>(message: &T) {
    let bytes = message.get_encoded().expect("encodes");
    assert_eq!(&T::get_decoded(&bytes).expect("decodes"), message);
    for truncated in truncations(&bytes) {
        assert!(T::get_decoded(&truncated).is_err(), "{}", truncated.len());
    }
    assert!(T::get_decoded(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn messages_survive_their_encoding_and_nothing_shorter_or_longer_decodes() {
    let report = ReportId([5; 32]);
    for content in [&b""[..], &[1, 2, 3], &[0xff; 300]] {
        for shares in [1, 2, 255] {
            let share = report_share([content, b"private"], shares);
            // Of this length at once: a second buffer would leave a copy of the secrets.
            assert_eq!(share.encoded_len(), Some(share.get_encoded().unwrap().len()));
            assert_survives(&share);
        }
        assert_survives(&VerifierShare { report, share: content.to_vec() });
        assert_survives(&VerifierMessage { report, message: content.to_vec() });
        assert_survives(&EncodedAggregateShare {
            task: TaskDigest([1; 32]),
            batch: batch_name("2026-07-01 ☃"),
            aggregator: 9,
            reports: u64::MAX,
            checksum: ReportChecksum([6; 32]),
            share: content.to_vec(),
        });
    }
}

#[test]
fn a_length_prefix_that_guarantees_too_much_is_refused_without_allocating() {
    let share = report_share([b"", b""], 2);
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
    let report = task.report(Bucket(2));
    let text = format!("{report:?} {:?} {:?}", task.aggregators[0], task.batches[0]);
    assert!(text.contains("VerifyKey(..)"));
    assert!(text.contains("PrivatePart(..)") && !text.contains("input_share: ["));
    let share = format!("{:?}", report.into_shares()[0]);
    assert!(share.ends_with("private: PrivatePart(..) }"), "{share}");
    assert!(!text.contains("sum:"));
}
