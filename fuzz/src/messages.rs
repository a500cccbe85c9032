//! Messages between the parties. That a party rejects an altered one is tested in `dp-prio3`.

use dp_prio3::message::{EncodedAggregateShare, ReportShare, VerifierMessage, VerifierShare};
use dp_prio3::prio::codec::{Decode, Encode};

use crate::check_refusal;

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
