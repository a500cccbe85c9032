//! Rejected reports, and their counts.
//!
//! A report that was altered, cannot be read, is repeated, has a false proof, or disagrees between
//! aggregators is dropped, and the batch goes on without it. Prio describes these failures by
//! strings; here the stage of the protocol distinguishes them.

use std::fmt;

/// The stage at which a report was rejected, in the order of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stage {
    /// The client did not make this share for this task, nonce, time window and public share.
    Binding,
    /// The public share or the input share from the client cannot be decoded.
    Upload,
    /// The report's time window has expired, or is not open yet.
    TimeWindow,
    /// The report was verified before.
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

impl Stage {
    /// All stages, in the order of the protocol.
    pub const ALL: [Self; 11] = [
        Self::Binding,
        Self::Upload,
        Self::TimeWindow,
        Self::Replay,
        Self::Store,
        Self::Initialization,
        Self::VerifierShares,
        Self::Proof,
        Self::VerifierMessage,
        Self::Confirmation,
        Self::BatchFull,
    ];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binding => "binding",
            Self::Upload => "upload",
            Self::TimeWindow => "window",
            Self::Replay => "replay",
            Self::Store => "store",
            Self::Initialization => "initialization",
            Self::VerifierShares => "verifier shares",
            Self::Proof => "proof",
            Self::VerifierMessage => "verifier message",
            Self::Confirmation => "confirmation",
            Self::BatchFull => "batch full",
        })
    }
}

/// The rejection of one report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("report rejected at stage {stage}: {reason}")]
pub struct Rejection {
    stage: Stage,
    reason: String,
}

impl Rejection {
    /// The rejection of a report at `stage`, with its `reason` as text.
    pub(crate) fn new(stage: Stage, reason: impl fmt::Display) -> Self {
        Self { stage, reason: reason.to_string() }
    }

    /// The stage.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// The reason, in words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The number of reports rejected at each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    counts: [u64; Stage::ALL.len()],
}

impl Rejections {
    /// Counts one more rejection at `stage`.
    pub const fn add(&mut self, stage: Stage) {
        let count = &mut self.counts[stage as usize];
        *count = count.saturating_add(1);
    }

    /// The number of reports rejected at `stage`.
    #[must_use]
    pub const fn at(&self, stage: Stage) -> u64 {
        self.counts[stage as usize]
    }

    /// The number of rejected reports.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |total: u64, count| total.saturating_add(*count))
    }

    /// Sets the number of reports rejected at `stage`.
    #[cfg(feature = "simulation")]
    pub(crate) const fn set(&mut self, stage: Stage, count: u64) {
        self.counts[stage as usize] = count;
    }

    /// Adds the numbers of rejected reports of another batch, stage by stage.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
    }
}
