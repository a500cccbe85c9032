//! Messages between the parties. That a party rejects an altered one is tested in `dp-prio3`.

use dp_prio3::CollectedBatch;
use dp_prio3::message::{EncodedAggregateShare, ReportShare, VerifierMessage, VerifierShare};
use dp_prio3::prio::codec::{Decode, Encode};

use crate::{check_refusal, text};

/// Bytes of each message: they are refused, or are the one encoding of what they decode to.
pub fn messages(data: &[u8]) {
    message::<ReportShare>(data);
    message::<VerifierShare>(data);
    message::<VerifierMessage>(data);
    message::<EncodedAggregateShare>(data);
}

fn message<M: Encode + Decode>(data: &[u8]) {
    match M::get_decoded(data) {
        Ok(message) => assert_eq!(message.get_encoded().expect("a message"), data),
        Err(error) => check_refusal(&error),
    }
}

/// The text of a collector's program: with other line ends and a log it has the same batches.
pub fn collected(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let read = |text: &str| -> Vec<CollectedBatch> {
        let results = CollectedBatch::read_all(text).into_iter();
        results.filter_map(|result| result.map_err(|error| check_refusal(&error)).ok()).collect()
    };
    assert_eq!(read(&text.replace('\n', "\r\n  INFO a log\r\n")), read(text));
}
