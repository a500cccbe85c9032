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

/// The text of a collector's program: it is refused, or written anew it has the same batches.
pub fn collected(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let batches = match CollectedBatch::read_all(text) {
        Ok(batches) => batches,
        Err(error) => return check_refusal(&error),
    };
    let written = batches.iter().map(|batch| {
        let name = batch.batch.as_ref().map(|name| format!("Batch: {name}\n"));
        let [start, end] =
            batch.interval.each_ref().map(|time| time.replace('T', " ").replace('Z', " UTC"));
        format!(
            "{}Number of reports: {}\nInterval start: {start}\nInterval end: {end}\n\
             Interval length: 0s\nAggregation result: {:?}\n",
            name.unwrap_or_default(),
            batch.reports,
            batch.totals
        )
    });
    let again = CollectedBatch::read_all(&written.collect::<String>());
    assert_eq!(again, Ok(batches));
}
