//! Hostile length prefixes, and secrets that do not show. `tests/miri` and the fuzz target `messages`
//! have messages that survive their encoding, and altered ones.

use dp_prio3::TaskDigest;
use prio::codec::{CodecError, Decode, Encode};

use crate::support::*;

#[test]
fn a_length_prefix_that_guarantees_too_much_is_refused_without_allocating() {
    let shares = vec![Vec::new(), Vec::new()];
    let report = Report::bind(&TaskDigest([7; 32]), [3; 16], TimeWindow(5), Vec::new(), shares);
    let bytes = report.unwrap().into_shares()[0].get_encoded().unwrap();
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
