//! Messages between parties: encoded, decoded, cut, lengthened, and with every byte replaced.

use dp_prio3::message::{EncodedAggregateShare, Report, ReportId, ReportShare};
use dp_prio3::message::{VerifierMessage, VerifierShare};
use dp_prio3::prio::codec::{Decode, Encode};
use dp_prio3::{ReportChecksum, TaskDigest, TimeWindow};

/// Asserts that a message survives its encoding and that no prefix decodes. If an encoding with one
/// byte replaced decodes, it encodes to the same bytes.
fn crosses<M: Encode + Decode + PartialEq>(message: &M) {
    let bytes = message.get_encoded().expect("it is short");
    assert!(M::get_decoded(&bytes).expect("an encoding") == *message);
    // Miri takes a thousand times longer.
    let step = if cfg!(miri) { 5 } else { 1 };
    for cut in (0..bytes.len()).step_by(step) {
        assert!(M::get_decoded(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    assert!(M::get_decoded(&[&bytes[..], &[0]].concat()).is_err());
    for at in (0..bytes.len()).step_by(step) {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut hostile = bytes.clone();
            hostile[at] = byte;
            if let Ok(decoded) = M::get_decoded(&hostile) {
                assert_eq!(decoded.get_encoded().expect("it is short"), hostile);
            }
        }
    }
}

#[test]
fn report_shares_cross_and_hostile_ones_are_refused() {
    let task = TaskDigest([7; 32]);
    let shares = vec![vec![1, 2, 3], vec![], vec![5; 40]];
    let report =
        Report::bind(&task, [3; 16], TimeWindow(5), vec![9; 4], shares).expect("few shares");
    for (id, share) in (0_u8..).zip(report.clone().into_shares()) {
        assert!(share.check(&task, id, 3).is_ok());
        // Of this length at once: a second buffer would leave a copy of the secrets.
        assert_eq!(share.encoded_len(), Some(share.get_encoded().expect("it is short").len()));
        crosses(&share);
    }
    let mut moved: ReportShare = report.into_shares().remove(0);
    moved.private.input_share[1] ^= 1;
    assert!(moved.check(&task, 0, 3).is_err());
}

#[test]
fn what_aggregators_send_crosses() {
    let report = ReportId([1; 32]);
    crosses(&VerifierShare { report, share: vec![2; 5] });
    crosses(&VerifierMessage { report, message: vec![] });
    crosses(&EncodedAggregateShare {
        task: TaskDigest([1; 32]),
        batch: "einen Tag, ☃".parse().expect("a name"),
        aggregator: 1,
        reports: 2,
        checksum: ReportChecksum([3; 32]),
        share: vec![4; 33],
    });
}
