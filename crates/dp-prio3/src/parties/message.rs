//! What crosses between the parties: bytes.
//!
//! The contents are prio's own encodings, in the TLS presentation language (RFC 8446, section 3).
//! Around them stands what the receiver must know to route and to check them, in the same language:
//!
//! ```text
//! struct { opaque nonce[16]; uint64 window; opaque public_share<0..2^32-1>;
//!          uint8 aggregators; opaque commitments[32 * aggregators]; } PublicPart;
//! struct { opaque input_share<0..2^32-1>; opaque key[32]; opaque tag[32]; } PrivatePart;
//! struct { PublicPart public; PrivatePart private; } ReportShare;
//!
//! struct { opaque report[32]; opaque share<0..2^32-1>; } VerifierShare;
//! struct { opaque report[32]; opaque message<0..2^32-1>; } VerifierMessage;
//!
//! struct { opaque task[32]; opaque batch<1..256>; uint8 aggregator; uint64 reports;
//!          opaque checksum[32]; opaque share<0..2^32-1>; } EncodedAggregateShare;
//! ```
//!
//! Read them with [`Decode::get_decoded`](prio::codec::Decode::get_decoded), which refuses trailing
//! bytes. Each message has one encoding, and a length prefix alone allocates nothing.
//!
//! # How a report is bound
//!
//! An aggregator takes an input share only under the nonce, the window, the task, the public share
//! and the other aggregators' input shares for which the client made it; see
#![cfg_attr(doc, doc = "[`proofs::binding`](crate::proofs::binding).")]
#![cfg_attr(not(doc), doc = "`docs/binding.md`.")]
//! Nothing is bound by what is not secret: whoever carries a [`PrivatePart`] encrypts it for its
//! aggregator. The public part may go in plain.

mod aggregate_share;
mod codec;
mod exchange;
mod report;

pub use super::report_id::{BindingKey, Commitment, ReportId};
pub use aggregate_share::EncodedAggregateShare;
pub use exchange::{VerifierMessage, VerifierShare};
pub use report::{BindingFault, Nonce, PrivatePart, PublicPart, Report, ReportShare};
