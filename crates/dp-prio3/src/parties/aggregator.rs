//! An aggregator: verifies its share of each report together with the others.
//!
//! For one report, at every aggregator: [`Aggregator::verify_init`]; the verifier shares of all
//! meet at one of them, [`Aggregator::combine`]; its message goes to all,
//! [`Aggregator::verify_next`]. What comes out enters a [`Batch`](crate::Batch), and noise joins
//! it there.

use std::sync::Arc;

use prio::codec::{Encode, ParameterizedDecode};
use prio::vdaf::prio3::{
    Prio3InputShare, Prio3PublicShare, Prio3VerifierMessage, Prio3VerifierShare, Prio3VerifyState,
};
use prio::vdaf::{Aggregator as _, Vdaf as _, VerifyTransition};

use super::batch::{Batch, Origin, VerifiedOutput};
use super::binding::{BatchName, ChecksumKey, ReportChecksum, TaskDigest};
use super::context::{Context, VerifyKey};
use super::message::{ReportShare, VerifierMessage, VerifierShare};
use super::rejection::{Rejection, Stage};
use super::releases::{MemoryReleases, ReleaseStore};
use super::replay::SeenNonces;
use crate::Error;
use crate::error::within;
use crate::policy::{AggregatorPolicy, FieldOf};
use crate::vdaf::SEED_SIZE;

/// One aggregator of a task: the policy, its number, the verification key, the context, and the
/// nonces that it has seen.
///
/// Threads may share it, each with its own [`Batch`]. Clones share the seen nonces.
///
/// # Replayed reports
///
/// A nonce is spent when the verification of a readable report under it begins; a second report
/// of the same nonce is rejected at stage [`Replay`](Stage::Replay), whatever it holds, into
/// whichever batch it would have gone, and whether the first was valid or not. An aggregator
/// therefore has at most one output share for each nonce. Looking up and spending are one step
/// under a lock, so that this holds for racing threads also. If two reports of one nonce reach two
/// aggregators in different orders, each verifies the one that came first: the verifier shares do
/// not fit together and neither report counts, or they do, and both aggregators count it once.
/// Whoever learns a nonce before its report arrives can spend it: nonces have 128 random bits.
///
/// A seen nonce takes 19 to 39 bytes, up to 58 while the set grows. It is remembered as long as an
/// aggregator or a clone of it lives, not beyond: a new aggregator with the same key, as after a
/// restart, begins with none.
#[derive(Clone, Debug)]
pub struct Aggregator<P> {
    policy: Arc<P>,
    id: u8,
    verify_key: VerifyKey,
    context: Context,
    task: TaskDigest,
    checksums: ChecksumKey,
    /// `None`: the caller refuses repeated nonces.
    seen: Option<SeenNonces>,
    releases: Arc<dyn ReleaseStore>,
}

/// An aggregator's state between its verifier share and the verifier message of one report.
///
/// It holds a share of the measurement. Prio's states cannot be wiped; this one is dropped.
#[derive(Debug)]
pub struct Pending<P: AggregatorPolicy> {
    state: Prio3VerifyState<FieldOf<P>, SEED_SIZE>,
    checksum: ReportChecksum,
}

impl<P: AggregatorPolicy> Aggregator<P> {
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
        Ok(Self {
            policy,
            id,
            checksums: ChecksumKey::new(&task, &verify_key),
            verify_key,
            context,
            task,
            seen: Some(SeenNonces::default()),
            releases: Arc::new(MemoryReleases::default()),
        })
    }

    /// The same without a memory of nonces, for a caller that refuses repeated ones itself, as by
    /// a database that survives a restart, or that makes all the reports.
    ///
    /// Every guarantee assumes that somebody does.
    #[must_use]
    pub fn without_replay_defence(self) -> Self {
        Self { seen: None, ..self }
    }

    /// The same, with what is released kept in `releases`: one that survives a restart.
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
            task: self.task,
            aggregator: self.id,
            name: name.clone(),
            releases: Arc::clone(&self.releases),
        };
        Batch::new(Arc::clone(&self.policy), origin)
    }

    /// Reads a report share, spends its nonce, and computes the verifier share for the other
    /// aggregators.
    ///
    /// # Errors
    ///
    /// A rejection at stage [`Upload`](Stage::Upload), when the nonce is not spent,
    /// [`Replay`](Stage::Replay) or [`Initialization`](Stage::Initialization).
    pub fn verify_init(
        &self,
        report: &ReportShare,
    ) -> Result<(Pending<P>, VerifierShare), Rejection> {
        let vdaf = self.policy.vdaf();
        let id = usize::from(self.id);
        let upload = |error| Rejection::new(Stage::Upload, error);
        let public_share =
            Prio3PublicShare::get_decoded_with_param(vdaf, &report.public_share).map_err(upload)?;
        let input_share = Prio3InputShare::get_decoded_with_param(&(vdaf, id), &report.input_share)
            .map_err(upload)?;
        if let Some(seen) = &self.seen {
            seen.spend(&report.nonce)?;
        }

        let (state, share) = vdaf
            .verify_init(
                self.verify_key.bytes(),
                self.context.bytes(),
                id,
                &(),
                &report.nonce,
                &public_share,
                &input_share,
            )
            .map_err(|error| Rejection::new(Stage::Initialization, error))?;
        let bytes = share
            .get_encoded()
            .map_err(|error| Rejection::new(Stage::Initialization, error))?;
        let checksum = self.checksums.of(&report.nonce);
        Ok((Pending { state, checksum }, VerifierShare(bytes)))
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
                format_args!(
                    "{} verifier shares from {expected} aggregators",
                    shares.len()
                ),
            ));
        }
        let shares = shares
            .iter()
            .map(|share| Prio3VerifierShare::get_decoded_with_param(&pending.state, &share.0))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Rejection::new(Stage::VerifierShares, error))?;

        vdaf.verifier_shares_to_message(self.context.bytes(), &(), shares)
            .map_err(|error| Rejection::new(Stage::Proof, error))?
            .get_encoded()
            .map(VerifierMessage)
            .map_err(|error| Rejection::new(Stage::Proof, error))
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
        let Pending { state, checksum } = pending;
        let message = Prio3VerifierMessage::get_decoded_with_param(&state, &message.0)
            .map_err(|error| Rejection::new(Stage::VerifierMessage, error))?;
        let transition = self
            .policy
            .vdaf()
            .verify_next(self.context.bytes(), state, message)
            .map_err(|error| Rejection::new(Stage::Confirmation, error))?;
        match transition {
            VerifyTransition::Finish(share) => Ok(VerifiedOutput {
                aggregator: self.id,
                checksum,
                share,
            }),
            VerifyTransition::Continue(..) => Err(Rejection::new(
                Stage::Confirmation,
                "Prio3 has one round of verification",
            )),
        }
    }
}
