//! An aggregator: verifies its share of each report together with the others.
//!
//! For one report, every aggregator calls [`Aggregator::verify_init`]. One of them combines the
//! verifier shares of all, [`Aggregator::combine`], and sends its message to all,
//! [`Aggregator::verify_next`]. The output enters a [`Batch`](crate::Batch), which adds the noise.

// DIFFERENCE from draft-wang §5.1: reports are bound to task, time and nonce; a rejected one is
// counted.

use std::sync::Arc;

use super::batch::{Batch, VerifiedOutput, Verifier};
use super::message::{
    EncodedAggregateShare, ReportId, ReportShare, VerifierMessage, VerifierShare,
};
use super::rejection::{Rejection, Stage};
use super::releases::{ReleaseKey, ReleaseStore, decode_released};
use super::replay::{ReplayCheck, ReportKey, StoreError, TimeWindow};
use super::report_id::ChecksumKey;
use super::stores::Stores;
use super::task::{BatchName, TaskDigest, VerifyKey, check_context};
use crate::Error;
use crate::circuit::wire::{Init, VerifyState};
use crate::error::within;
use crate::policy::Policy;

/// One aggregator of a task. Threads may share it, each with its own [`Batch`]; a clone has the
/// same stores.
///
/// **Replayed reports.** A report's id is spent when the verification of a readable, bound share of
/// it begins; a second time it is rejected at stage [`Replay`](Stage::Replay), whether its proof
/// was valid or not, also for racing threads.
///
/// **Released batches.** A batch is released once: a second batch of its name gets the released
/// share, or none. Both rules hold as far as the [`Stores`] reach: a server that restarts, or has
/// several processes, needs stores that all of them share, such as the module `store` has.
#[derive(Clone, Debug)]
pub struct Aggregator {
    policy: Policy,
    verifier: Verifier,
    verify_key: VerifyKey,
    context: Arc<[u8]>,
    checksums: ChecksumKey,
    releases: Arc<dyn ReleaseStore>,
}

/// An aggregator's state between its verifier share and the verifier message of one report.
///
/// It holds a share of the measurement. Prio's states cannot be wiped; this one is dropped.
pub struct Pending {
    state: VerifyState,
    /// The report.
    pub report: ReportId,
}

impl Aggregator {
    /// Aggregator number `id`, from 0 (the leader) to the number of aggregators − 1, which
    /// remembers in `stores`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there is no such aggregator or the context is longer than prio
    /// takes.
    ///
    /// # Panics
    /// Never: a policy has at most 254 aggregators.
    pub fn new(
        policy: Policy,
        id: usize,
        verify_key: VerifyKey,
        context: &[u8],
        stores: Stores,
    ) -> Result<Self, Error> {
        within("aggregator", id, 0..=policy.aggregators() - 1)?;
        let aggregator = u8::try_from(id).expect("a policy has at most 254 aggregators");
        let context = check_context(context)?;
        let task = TaskDigest::new(&policy, &context);
        let Stores { reports, releases } = stores;
        Ok(Self {
            policy,
            checksums: ChecksumKey::new(&task, &verify_key),
            verifier: Verifier { task, aggregator, seen: reports },
            verify_key,
            context,
            releases,
        })
    }

    /// The digest of the task, which is on every share that this aggregator releases.
    pub const fn task(&self) -> &TaskDigest {
        &self.verifier.task
    }

    /// This aggregator's number.
    pub const fn id(&self) -> u8 {
        self.verifier.aggregator
    }

    /// An empty batch of this aggregator, under the name that all aggregators give it. No other
    /// batch may have the same name.
    #[must_use]
    pub fn new_batch(&self, name: &BatchName) -> Batch {
        let (policy, releases) = (self.policy.clone(), Arc::clone(&self.releases));
        Batch::new(policy, self.verifier.clone(), name.clone(), releases)
    }

    /// The share that this aggregator released of the batch of this name, for a collector that has
    /// not received it, also after a restart; `None` if it released none.
    ///
    /// # Errors
    /// If the [`ReleaseStore`] fails, or returns a share of another aggregator, task or batch.
    pub fn released(&self, name: &BatchName) -> Result<Option<EncodedAggregateShare>, StoreError> {
        let key = ReleaseKey::new(self.task(), self.id(), name);
        let Some(known) = self.releases.find(&key)? else { return Ok(None) };
        let share = decode_released(&known)?;
        if (&share.task, share.aggregator, &share.batch) != (self.task(), self.id(), name) {
            let (aggregator, batch) = (share.aggregator, share.batch);
            let found = format!("of aggregator {aggregator}, batch {batch}, task {}", share.task);
            return Err(StoreError::new(format!("under batch {name} it keeps a share {found}")));
        }
        Ok(Some(share))
    }

    /// Checks that a report share is bound to its report, reads it, spends the report, and computes
    /// the verifier share for the other aggregators.
    ///
    /// # Errors
    /// A rejection at stage [`Binding`](Stage::Binding), [`Upload`](Stage::Upload),
    /// [`TimeWindow`](Stage::TimeWindow) or [`Store`](Stage::Store), when the report is not spent,
    /// or at stage [`Replay`](Stage::Replay) or [`Initialization`](Stage::Initialization).
    pub fn verify_init(&self, report: &ReportShare) -> Result<(Pending, VerifierShare), Rejection> {
        let id = report.check(self.task(), self.id(), self.policy.aggregators())?;
        let (public, private) = (&report.public, &report.private);
        let circuit = self.policy.circuit();
        let verify = circuit
            .read(self.id(), &public.public_share, &private.input_share)
            .map_err(|error| Rejection::new(Stage::Upload, error))?;
        self.spend(public.window, &id)?;

        let (key, context) = (self.verify_key.bytes(), &*self.context);
        let (state, share) = verify(Init { key, context, nonce: &public.nonce })
            .map_err(|error| Rejection::new(Stage::Initialization, error))?;
        Ok((Pending { state, report: id }, VerifierShare { report: id, share }))
    }

    /// Marks a report as spent; does nothing where the caller refuses repeated reports. `Err` if
    /// the report was spent before, its window is not open, or the store fails.
    fn spend(&self, window: TimeWindow, report: &ReportId) -> Result<(), Rejection> {
        let Some(seen) = &self.verifier.seen else {
            return Ok(());
        };
        let (stage, reason) = match seen.spend(window, &ReportKey::new(self.id(), report)) {
            Ok(ReplayCheck::New) => return Ok(()),
            Ok(ReplayCheck::Repeated) => {
                (Stage::Replay, "this report has been verified before".to_owned())
            }
            Ok(ReplayCheck::Expired) => {
                (Stage::TimeWindow, format!("window {} has expired", window.0))
            }
            Ok(ReplayCheck::Early) => {
                (Stage::TimeWindow, format!("window {} is not open yet", window.0))
            }
            Err(error) => (Stage::Store, error.to_string()),
        };
        Err(Rejection { stage, reason })
    }

    /// Combines the verifier shares of all aggregators, in their order, and decides on the proof.
    /// One aggregator does this and sends the message to the others.
    ///
    /// # Errors
    /// A rejection at stage [`VerifierShares`](Stage::VerifierShares) or [`Proof`](Stage::Proof).
    pub fn combine(
        &self,
        pending: &Pending,
        shares: &[VerifierShare],
    ) -> Result<VerifierMessage, Rejection> {
        let expected = self.policy.aggregators();
        if shares.len() != expected {
            let reason = format!("{} verifier shares from {expected} aggregators", shares.len());
            return Err(Rejection::new(Stage::VerifierShares, reason));
        }
        if let Some(other) = shares.iter().find(|share| share.report != pending.report) {
            let reason = format!("of report {}: this is {}", other.report, pending.report);
            return Err(Rejection::new(Stage::VerifierShares, reason));
        }
        let shares: Vec<&[u8]> = shares.iter().map(|share| &*share.share).collect();
        let message = self
            .policy
            .circuit()
            .combine(&self.context, &pending.state, &shares)
            .map_err(|error| Rejection::new(Stage::VerifierShares, error))?
            .map_err(|error| Rejection::new(Stage::Proof, error))?;
        let report = pending.report;
        Ok(VerifierMessage { report, message })
    }

    /// Checks the verifier message against this aggregator's own state, and yields its share of
    /// the verified measurement.
    ///
    /// # Errors
    /// A rejection at stage [`VerifierMessage`](Stage::VerifierMessage) or
    /// [`Confirmation`](Stage::Confirmation).
    pub fn verify_next(
        &self,
        pending: Pending,
        message: &VerifierMessage,
    ) -> Result<VerifiedOutput, Rejection> {
        let Pending { state, report } = pending;
        if message.report != report {
            let reason = format!("of report {}: this is {report}", message.report);
            return Err(Rejection::new(Stage::Confirmation, reason));
        }
        let share = self
            .policy
            .circuit()
            .verify_next(&self.context, state, &message.message)
            .map_err(|error| Rejection::new(Stage::VerifierMessage, error))?
            .map_err(|error| Rejection::new(Stage::Confirmation, error))?;
        Ok(VerifiedOutput {
            verifier: self.verifier.clone(),
            checksum: self.checksums.of(&report),
            share,
        })
    }
}

opaque_debug!(Pending);
