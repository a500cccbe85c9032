//! Rejected reports, and their counts.
//!
//! A rejected report is dropped, and the batch goes on without it. The stage of the protocol tells
//! its fault.

use std::fmt;

/// The stage at which a report was rejected, in the order of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// The share is not bound to this task, aggregator, nonce, window and public share.
    Binding,
    /// The public share or the input share from the client cannot be decoded.
    Upload,
    /// The report's time window has expired, or is not open yet.
    TimeWindow,
    /// The verification of the report began before.
    Replay,
    /// The store of seen reports failed.
    Store,
    /// The aggregator's first computation on its share failed.
    Initialization,
    /// A verifier share is missing, doubled, of another report, or cannot be decoded.
    VerifierShares,
    /// The verifier shares together refute the proof: the measurement is not valid.
    Proof,
    /// The verifier message cannot be decoded.
    VerifierMessage,
    /// The verifier message is of another report or contradicts the aggregator's own state.
    Confirmation,
    /// The batch holds as many reports as the policy allows.
    BatchFull,
}

/// The rejection of one report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("report rejected at stage {stage:?}: {reason}")]
pub struct Rejection {
    /// The stage.
    pub stage: Stage,
    /// The reason, in words.
    pub reason: String,
}

impl Rejection {
    /// The rejection of a report at `stage`, with its `reason` as text.
    pub(crate) fn new(stage: Stage, reason: impl fmt::Display) -> Self {
        Self { stage, reason: reason.to_string() }
    }
}
