//! Messages survive their encoding, and nothing but an encoding decodes.

use crate::support::{CONTEXT, Task, batch_name, histogram_laplace};
use dp_prio3::message::{EncodedAggregateShare, ReportShare};
use dp_prio3::{Aggregator, ReportChecksum, TaskDigest, VerifyKey};
use prio::codec::{Decode, Encode};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn report_shares_survive_their_encoding(
        nonce: [u8; 16],
        public_share in vec(any::<u8>(), 0..80),
        input_share in vec(any::<u8>(), 0..200),
    ) {
        let share = ReportShare { nonce, public_share, input_share };
        let bytes = share.get_encoded().unwrap();
        prop_assert_eq!(share.encoded_len(), Some(bytes.len()));
        prop_assert_eq!(ReportShare::get_decoded(&bytes).unwrap(), share);
    }

    #[test]
    fn aggregate_shares_survive_their_encoding(
        aggregator: u8,
        reports: u64,
        share in vec(any::<u8>(), 0..200),
        task in any::<[u8; 32]>(),
        checksum in any::<[u8; 32]>(),
        name in "[a-zé☃]{1,80}",
    ) {
        let share = EncodedAggregateShare {
            task: TaskDigest(task),
            batch: batch_name(&name),
            aggregator,
            reports,
            checksum: ReportChecksum(checksum),
            share,
        };
        let bytes = share.get_encoded().unwrap();
        prop_assert_eq!(EncodedAggregateShare::get_decoded(&bytes).unwrap(), share);
    }

    #[test]
    fn truncated_and_lengthened_messages_do_not_decode(
        nonce: [u8; 16],
        content in vec(any::<u8>(), 0..40),
        cut in 0_usize..1000,
        excess in vec(any::<u8>(), 1..9),
    ) {
        let share = ReportShare {
            nonce,
            public_share: content.clone(),
            input_share: content.clone(),
        };
        let bytes = share.get_encoded().unwrap();
        prop_assert!(ReportShare::get_decoded(&bytes[..cut % bytes.len()]).is_err());
        prop_assert!(ReportShare::get_decoded(&[bytes, excess.clone()].concat()).is_err());

        let share = EncodedAggregateShare {
            task: TaskDigest([1; 32]),
            batch: batch_name("a day"),
            aggregator: 1,
            reports: 2,
            checksum: ReportChecksum([3; 32]),
            share: content,
        };
        let bytes = share.get_encoded().unwrap();
        prop_assert!(EncodedAggregateShare::get_decoded(&bytes[..cut % bytes.len()]).is_err());
        prop_assert!(EncodedAggregateShare::get_decoded(&[bytes, excess].concat()).is_err());
    }

    #[test]
    fn whatever_decodes_encodes_to_the_same_bytes(bytes in vec(any::<u8>(), 0..64)) {
        if let Ok(share) = ReportShare::get_decoded(&bytes) {
            prop_assert_eq!(share.get_encoded().unwrap(), bytes.clone());
        }
        if let Ok(share) = EncodedAggregateShare::get_decoded(&bytes) {
            prop_assert_eq!(share.get_encoded().unwrap(), bytes);
        }
    }

    #[test]
    fn no_report_share_makes_an_aggregator_panic(
        nonce: [u8; 16],
        public_share in vec(any::<u8>(), 0..100),
        input_share in vec(any::<u8>(), 0..400),
        id in 0_usize..2,
    ) {
        let policy = Arc::new(histogram_laplace(2, 3));
        let key = VerifyKey::from_bytes([3; 32]);
        let aggregator = Aggregator::new(policy, id, key, CONTEXT).unwrap();
        let share = ReportShare { nonce, public_share, input_share };
        let _ = aggregator.verify_init(&share);
    }
}

#[test]
fn a_length_prefix_that_promises_too_much_is_refused_without_allocating() {
    let mut bytes = vec![0; 16];
    bytes.extend([0xff; 4]);
    assert!(ReportShare::get_decoded(&bytes).is_err());
}

#[test]
fn a_report_that_crosses_as_bytes_is_verified() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let shares: Vec<ReportShare> = task
        .report(&2)
        .into_shares()
        .iter()
        .map(|share| ReportShare::get_decoded(&share.get_encoded().unwrap()).unwrap())
        .collect();
    dp_prio3::verification::verify(&task.aggregators, &shares).unwrap();
}

#[test]
fn secrets_do_not_show_when_debugged() {
    let mut task = Task::new(histogram_laplace(2, 3), 1);
    let report = task.report(&2);
    let text = format!("{report:?} {:?} {:?}", task.aggregators[0], task.batches[0]);
    assert!(text.contains("VerifyKey(..)"));
    assert!(!text.contains("public_share"));
    assert!(!text.contains("sum:"));
}
