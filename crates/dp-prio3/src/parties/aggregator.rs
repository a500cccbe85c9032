//! An aggregator: verifies its share of each report together with the others.
//!
//! For one report, at every aggregator: [`Aggregator::verify_init`]; the verifier shares of all
//! meet at one of them, [`Aggregator::combine`]; its message goes to all,
//! [`Aggregator::verify_next`]. What comes out enters a [`Batch`](crate::Batch), and noise joins
//! it there.

// DIFFERENCE from draft-wang §5.1: reports are bound to task, time and nonce; a rejected one is counted.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use prio::codec::{Encode, ParameterizedDecode};
use prio::vdaf::prio3::{
    Prio3InputShare, Prio3PublicShare, Prio3VerifierMessage, Prio3VerifierShare, Prio3VerifyState,
};
use prio::vdaf::{Aggregator as _, Vdaf as _, VerifyTransition};

use super::batch::{Batch, Origin, Source, VerifiedOutput};
use super::message::{
    EncodedAggregateShare, ReportId, ReportShare, VerifierMessage, VerifierShare,
};
use super::rejection::{Rejection, Stage};
use super::releases::{MemoryReleases, ReleaseKey, ReleaseStore, decode_released};
use super::replay::{MemoryReports, ReplayCheck, ReportKey, SeenReports, StoreError, TimeWindow};
use super::report_id::ChecksumKey;
use super::task::{BatchName, Context, TaskDigest, VerifyKey};
use crate::Error;
use crate::error::within;
use crate::policy::{DpPolicy, FieldOf};
use crate::vdaf::SEED_SIZE;

/// One aggregator of a task: the policy, its number, the verification key, the context, and the
/// reports that it has seen.
///
/// Threads may share it, each with its own [`Batch`].
///
/// **Bound reports.** It takes its share of a report only under the nonce, window, task and public share for which
/// the client made it, at stage [`Binding`](Stage::Binding), before anything else.
///
/// **Replayed reports.** A report's id is spent when the verification of a readable, bound share of it begins; a
/// second time it is rejected at stage [`Replay`](Stage::Replay), whether its proof was valid or not. Looking up and
/// spending are one step of the store, so that this holds for racing threads.
///
/// **Stores.** What was seen ([`SeenReports`]) and released ([`ReleaseStore`]) is in memory by default, shared by
/// all aggregators of this number and task in this process, and lives as long as one of them or a batch of theirs
/// does. Each process has a memory of its own: a server that restarts, or has several processes, forked or not,
/// needs stores that all of them find, such as those of the module `store`. An aggregator that a fork copied rejects each
/// report at [`Stage::Store`] and releases nothing, as long as one of its stores is in memory.
#[derive(Clone, Debug)]
pub struct Aggregator<P> {
    policy: Arc<P>,
    id: u8,
    verify_key: VerifyKey,
    context: Context,
    task: TaskDigest,
    checksums: ChecksumKey,
    /// `None`: the caller refuses repeated reports.
    seen: Option<Arc<dyn SeenReports>>,
    releases: Arc<dyn ReleaseStore>,
}

/// An aggregator's state between its verifier share and the verifier message of one report.
///
/// It holds a share of the measurement. Prio's states cannot be wiped; this one is dropped.
#[derive(Debug)]
pub struct Pending<P: DpPolicy> {
    state: Prio3VerifyState<FieldOf<P>, SEED_SIZE>,
    report: ReportId,
}

impl<P: DpPolicy> Pending<P> {
    /// Which report it is.
    #[must_use]
    pub const fn report(&self) -> &ReportId {
        &self.report
    }
}

impl<P: DpPolicy> Aggregator<P> {
    /// Aggregator number `id`, from 0 (the leader) to the number of aggregators − 1.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if there is no such aggregator or the context is longer than prio
    /// takes.
    pub fn new(
        policy: Arc<P>,
        id: usize,
        verify_key: VerifyKey,
        context: &[u8],
    ) -> Result<Self, Error> {
        let last = policy.vdaf().num_aggregators() - 1;
        let id = within("aggregator", id, 0..=last)?;
        let id = u8::try_from(id).map_err(|error| Error::prio("aggregator", error))?;
        let context = Context::new(context)?;
        let task = TaskDigest::new(&*policy, &context);
        let Memory { reports, releases } = Memory::of(&task, id);
        Ok(Self {
            policy,
            id,
            checksums: ChecksumKey::new(&task, &verify_key),
            verify_key,
            context,
            task,
            seen: Some(reports),
            releases,
        })
    }

    /// Keeps what it has seen in `reports`: a store that survives a restart.
    #[must_use]
    pub fn with_seen_reports(self, reports: Arc<dyn SeenReports>) -> Self {
        let seen = Some(reports);
        Self { seen, ..self }
    }

    /// Without a memory of reports, for a caller that refuses repeated ones itself, or that
    /// makes all the reports. Windows are not looked at either.
    ///
    /// Every guarantee assumes that somebody does.
    #[must_use]
    pub fn without_replay_defence(self) -> Self {
        Self { seen: None, ..self }
    }

    /// Keeps what it releases in `releases`: a store that survives a restart.
    #[must_use]
    pub fn with_releases(self, releases: Arc<dyn ReleaseStore>) -> Self {
        Self { releases, ..self }
    }

    /// The digest of the task, which is on every share that this aggregator releases.
    #[must_use]
    pub const fn task(&self) -> &TaskDigest {
        &self.task
    }

    /// This aggregator's number.
    #[must_use]
    pub const fn id(&self) -> u8 {
        self.id
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Arc<P> {
        &self.policy
    }

    /// An empty batch of this aggregator, under the name that all aggregators give it. No other
    /// batch may have the same name.
    #[must_use]
    pub fn new_batch(&self, name: &BatchName) -> Batch<P> {
        let origin = Origin {
            source: self.source(),
            name: name.clone(),
            releases: Arc::clone(&self.releases),
        };
        Batch::new(Arc::clone(&self.policy), origin)
    }

    /// The share that this aggregator released of the batch of this name, if it did: for a collector
    /// that has not received it, also after a restart.
    ///
    /// The reports of that batch are spent, so that they cannot be verified into a second one. Ask
    /// before a batch is made of them anew.
    ///
    /// # Errors
    ///
    /// If the [`ReleaseStore`] cannot tell.
    pub fn released(&self, name: &BatchName) -> Result<Option<EncodedAggregateShare>, StoreError> {
        let key = ReleaseKey::new(&self.task, self.id, name);
        let known = self.releases.find(&key)?;
        known.as_deref().map(decode_released).transpose()
    }

    fn source(&self) -> Source {
        Source { task: self.task, aggregator: self.id, seen: self.seen.clone() }
    }

    /// Checks that a report share is bound to its report, reads it, spends the report, and computes
    /// the verifier share for the other aggregators.
    ///
    /// # Errors
    ///
    /// A rejection at stage [`Binding`](Stage::Binding), [`Upload`](Stage::Upload),
    /// [`TimeWindow`](Stage::TimeWindow) or [`Store`](Stage::Store), when the report is not spent, or at stage
    /// [`Replay`](Stage::Replay) or [`Initialization`](Stage::Initialization).
    pub fn verify_init(
        &self,
        report: &ReportShare,
    ) -> Result<(Pending<P>, VerifierShare), Rejection> {
        let vdaf = self.policy.vdaf();
        let id = report
            .check(&self.task, self.id, vdaf.num_aggregators())
            .map_err(|fault| Rejection::new(Stage::Binding, fault))?;

        let number = usize::from(self.id);
        let upload = |error| Rejection::new(Stage::Upload, error);
        let (public, private) = (&report.public, &report.private);
        let public_share =
            Prio3PublicShare::get_decoded_with_param(vdaf, &public.public_share).map_err(upload)?;
        let input_share =
            Prio3InputShare::get_decoded_with_param(&(vdaf, number), &private.input_share)
                .map_err(upload)?;
        self.spend(public.window, &id)?;

        let initialization = |error: String| Rejection::new(Stage::Initialization, error);
        let (state, share) = vdaf
            .verify_init(
                self.verify_key.bytes(),
                self.context.bytes(),
                number,
                &(),
                &public.nonce,
                &public_share,
                &input_share,
            )
            .map_err(|error| initialization(error.to_string()))?;
        let share = share.get_encoded().map_err(|error| initialization(error.to_string()))?;
        Ok((Pending { state, report: id }, VerifierShare { report: id, share }))
    }

    /// Spends a report, or says why not. A store that cannot tell accepts nothing.
    fn spend(&self, window: TimeWindow, report: &ReportId) -> Result<(), Rejection> {
        let Some(seen) = &self.seen else {
            return Ok(());
        };
        match seen.spend(window, &ReportKey::new(self.id, report)) {
            Ok(ReplayCheck::New) => Ok(()),
            Ok(ReplayCheck::Repeated) => {
                Err(Rejection::new(Stage::Replay, "this report has been verified before"))
            }
            Ok(ReplayCheck::Expired) => {
                Err(Rejection::new(Stage::TimeWindow, format_args!("window {window} has expired")))
            }
            Ok(ReplayCheck::Early) => Err(Rejection::new(
                Stage::TimeWindow,
                format_args!("window {window} is not open yet"),
            )),
            Err(error) => Err(Rejection::new(Stage::Store, error)),
        }
    }

    /// Combines the verifier shares of all aggregators, in their order, and decides on the proof.
    /// One aggregator does this and sends the message to the others.
    ///
    /// # Errors
    ///
    /// A rejection at stage [`VerifierShares`](Stage::VerifierShares) or [`Proof`](Stage::Proof).
    pub fn combine(
        &self,
        pending: &Pending<P>,
        shares: &[VerifierShare],
    ) -> Result<VerifierMessage, Rejection> {
        let vdaf = self.policy.vdaf();
        let expected = vdaf.num_aggregators();
        if shares.len() != expected {
            return Err(Rejection::new(
                Stage::VerifierShares,
                format_args!("{} verifier shares from {expected} aggregators", shares.len()),
            ));
        }
        if let Some(other) = shares.iter().find(|share| share.report != pending.report) {
            return Err(Rejection::new(
                Stage::VerifierShares,
                format_args!("of report {}: this is {}", other.report, pending.report),
            ));
        }
        let shares = shares
            .iter()
            .map(|share| Prio3VerifierShare::get_decoded_with_param(&pending.state, &share.share))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Rejection::new(Stage::VerifierShares, error))?;

        let message = vdaf
            .verifier_shares_to_message(self.context.bytes(), &(), shares)
            .map_err(|error| Rejection::new(Stage::Proof, error))?
            .get_encoded()
            .map_err(|error| Rejection::new(Stage::Proof, error))?;
        let report = pending.report;
        Ok(VerifierMessage { report, message })
    }

    /// Checks the verifier message against this aggregator's own state, and yields its share of
    /// the verified measurement.
    ///
    /// # Errors
    ///
    /// A rejection at stage [`VerifierMessage`](Stage::VerifierMessage) or
    /// [`Confirmation`](Stage::Confirmation).
    pub fn verify_next(
        &self,
        pending: Pending<P>,
        message: &VerifierMessage,
    ) -> Result<VerifiedOutput<P>, Rejection> {
        let Pending { state, report } = pending;
        if message.report != report {
            return Err(Rejection::new(
                Stage::Confirmation,
                format_args!("of report {}: this is {report}", message.report),
            ));
        }
        let message = Prio3VerifierMessage::get_decoded_with_param(&state, &message.message)
            .map_err(|error| Rejection::new(Stage::VerifierMessage, error))?;
        let transition = self
            .policy
            .vdaf()
            .verify_next(self.context.bytes(), state, message)
            .map_err(|error| Rejection::new(Stage::Confirmation, error))?;
        match transition {
            VerifyTransition::Finish(share) => Ok(VerifiedOutput {
                source: self.source(),
                checksum: self.checksums.of(&report),
                share,
            }),
            VerifyTransition::Continue(..) => {
                Err(Rejection::new(Stage::Confirmation, "Prio3 has one round of verification"))
            }
        }
    }
}

/// What an aggregator remembers by default. The aggregators of one number and task in this process share it: two
/// of them are one aggregator, which verifies a report once and releases a batch once. It lives as long as one
/// of them, or a batch of theirs, does, and does not depend on the verification key ([`ReportKey`] says why).
#[derive(Clone, Debug)]
struct Memory {
    reports: Arc<MemoryReports>,
    releases: Arc<MemoryReleases>,
}

/// Each kind by itself: an aggregator may have a store of its own for one of them.
#[derive(Default)]
struct Known {
    reports: HashMap<(TaskDigest, u8), Weak<MemoryReports>>,
    releases: HashMap<(TaskDigest, u8), Weak<MemoryReleases>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl Memory {
    /// The memory of this aggregator of this task in this process.
    fn of(task: &TaskDigest, aggregator: u8) -> Self {
        // A thread that panicked elsewhere leaves the maps whole: this is the only access.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (*task, aggregator);
        Self {
            reports: living(&mut known.reports, place),
            releases: living(&mut known.releases, place),
        }
    }
}

/// The one at this place, or a fresh one; those that nobody holds any more go.
fn living<T: Default>(
    known: &mut HashMap<(TaskDigest, u8), Weak<T>>,
    place: (TaskDigest, u8),
) -> Arc<T> {
    if let Some(living) = known.get(&place).and_then(Weak::upgrade) {
        return living;
    }
    known.retain(|_, other| other.strong_count() > 0);
    let fresh = Arc::new(T::default());
    known.insert(place, Arc::downgrade(&fresh));
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_any_more_goes_when_another_comes() {
        let mut known = HashMap::new();
        let place = |aggregator| (TaskDigest([7; 32]), aggregator);
        let held: Arc<MemoryReleases> = living(&mut known, place(0));
        assert!(Arc::ptr_eq(&held, &living(&mut known, place(0))));
        drop(living(&mut known, place(1)));
        assert_eq!(known.len(), 2);
        drop(living(&mut known, place(2)));
        assert_eq!(known.len(), 2);
        assert!(Arc::ptr_eq(&held, &living(&mut known, place(0))));
    }
}
