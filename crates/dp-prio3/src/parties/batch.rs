//! A batch: one aggregator's sum of verified shares, which leaves it once, with noise.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use prio::codec::Encode;
use rand_core::CryptoRng;

use super::message::EncodedAggregateShare;
use super::rejection::{Rejection, Stage};
use super::releases::{ReleaseKey, ReleaseStore, decode_released};
use super::replay::{SeenReports, StoreError};
use super::report_id::ReportChecksum;
use super::task::{BatchName, TaskDigest};
use crate::Error;
use crate::circuit::wire::Share;
#[cfg(feature = "simulation")]
use crate::error::within;
use crate::policy::Policy;

/// One aggregator's share of one verified measurement.
pub struct VerifiedOutput {
    pub(crate) verifier: Verifier,
    /// The checksum of one report.
    pub(crate) checksum: ReportChecksum,
    /// Prio's output share of the report, one field element for each total.
    pub(crate) share: Share,
}

opaque_debug!(VerifiedOutput);

/// The reason why a batch is not merged or released.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The noise cannot be drawn.
    #[error(transparent)]
    Policy(#[from] Error),
    /// Two batches to merge are not of one aggregator, or not of one name.
    #[error("batches of different aggregators, policies or names cannot be merged")]
    ForeignBatch,
    /// A batch is too small to be released.
    #[error("batch {batch} has {reports} reports: the policy releases none below {min_reports}")]
    TooFewReports {
        /// The batch.
        batch: BatchName,
        /// The number of its reports.
        reports: u64,
        /// The policy's bound.
        min_reports: u64,
    },
    /// A batch of this name was released before, with other reports.
    #[error(
        "batch {batch} was released before, with other reports: each batch needs a name of its own"
    )]
    AlreadyReleased {
        /// The batch.
        batch: BatchName,
    },
    /// A store failed to keep the share or its reports, so it is not released.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Two batches to merge hold more reports than the policy allows.
    #[error("{reports} reports in one batch: the policy allows {max_reports}")]
    BatchFull {
        /// The number of reports.
        reports: u64,
        /// The policy's bound.
        max_reports: u64,
    },
}

/// The aggregator that verified a report, and the store of its spent reports.
#[derive(Clone, Debug)]
pub(crate) struct Verifier {
    pub(crate) task: TaskDigest,
    /// The number of the aggregator, from 0.
    pub(crate) aggregator: u8,
    /// The store of spent reports; `None` if the caller refuses repeated reports.
    pub(crate) seen: Option<Arc<dyn SeenReports>>,
}

impl Verifier {
    /// Whether both have the same task, aggregator number and store of spent reports, or both no
    /// store. A batch makes one store durable before its share leaves.
    fn is(&self, other: &Self) -> bool {
        let same_store = match (&self.seen, &other.seen) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        same_store && self.task == other.task && self.aggregator == other.aggregator
    }
}

/// The reports of one batch at one aggregator: the sum of its shares, their number, and the number
/// of those rejected.
///
/// The sum is overwritten with zeros when the batch is dropped or finished; prio's own copies of
/// output shares are not.
pub struct Batch {
    policy: Policy,
    verifier: Verifier,
    name: BatchName,
    releases: Arc<dyn ReleaseStore>,
    /// The sum of the output shares, without noise: one field element for each total.
    sum: Share,
    /// The number of reports in the sum.
    reports: u64,
    /// The checksum of the reports in the sum.
    checksum: ReportChecksum,
    rejections: BTreeMap<Stage, u64>,
}

impl Batch {
    /// A batch with this name and no reports yet.
    pub(crate) fn new(
        policy: Policy,
        verifier: Verifier,
        name: BatchName,
        releases: Arc<dyn ReleaseStore>,
    ) -> Self {
        let sum = policy.circuit().zero();
        Self {
            policy,
            verifier,
            name,
            releases,
            sum,
            reports: 0,
            checksum: ReportChecksum::default(),
            rejections: BTreeMap::new(),
        }
    }

    /// Adds this aggregator's share of a verified measurement.
    ///
    /// # Errors
    /// A rejection at stage [`BatchFull`](Stage::BatchFull), or at stage
    /// [`Confirmation`](Stage::Confirmation) if the share is another aggregator's or task's, or was
    /// spent in another store; the batch is then unchanged but for the count of rejections.
    pub fn accumulate(&mut self, output: VerifiedOutput) -> Result<(), Rejection> {
        let is_own = output.verifier.is(&self.verifier);
        let is_full = self.reports >= self.policy.max_reports();
        if !is_own || is_full || !self.sum.add(&output.share) {
            let rejection = if is_own && is_full {
                let most = self.policy.max_reports();
                Rejection::new(Stage::BatchFull, format_args!("the policy allows {most} reports"))
            } else {
                let reason = "an output share of another aggregator, task or store of seen reports";
                Rejection::new(Stage::Confirmation, reason)
            };
            self.reject(&rejection);
            return Err(rejection);
        }
        self.reports += 1;
        self.checksum.add(&output.checksum);
        Ok(())
    }

    /// Counts a report that was rejected before it reached the batch.
    pub fn reject(&mut self, rejection: &Rejection) {
        *self.rejections.entry(rejection.stage).or_default() += 1;
    }

    /// Adds another batch of the same aggregator, as when several threads each verified a part.
    ///
    /// # Errors
    /// [`BatchError::ForeignBatch`] if the other does not come from the same aggregator under the
    /// same name, and [`BatchError::BatchFull`] if both together hold too many reports. This batch
    /// is then unchanged.
    pub fn merge(&mut self, other: Self) -> Result<(), BatchError> {
        let is_foreign = !self.verifier.is(&other.verifier)
            || self.name != other.name
            || other.policy != self.policy;
        if is_foreign {
            return Err(BatchError::ForeignBatch);
        }
        let Some(reports) = self.reports.checked_add(other.reports) else {
            let max_reports = self.policy.max_reports();
            return Err(BatchError::BatchFull { reports: u64::MAX, max_reports });
        };
        self.check_reports(reports)?;
        if !self.sum.add(&other.sum) {
            return Err(BatchError::ForeignBatch);
        }
        self.reports = reports;
        self.checksum.add(&other.checksum);
        for (stage, count) in &other.rejections {
            *self.rejections.entry(*stage).or_default() += count;
        }
        Ok(())
    }

    /// `Err` if `reports` is more than the policy allows in a batch.
    fn check_reports(&self, reports: u64) -> Result<(), BatchError> {
        let max_reports = self.policy.max_reports();
        if reports > max_reports {
            return Err(BatchError::BatchFull { reports, max_reports });
        }
        Ok(())
    }

    /// The number of reports in the batch.
    pub const fn reports(&self) -> u64 {
        self.reports
    }

    /// The number of reports rejected at each stage where there are any.
    pub const fn rejections(&self) -> &BTreeMap<Stage, u64> {
        &self.rejections
    }

    /// Adds this aggregator's noise, encodes the share, makes durable which reports were spent
    /// ([`SeenReports::sync`]), keeps the share in the aggregator's [`ReleaseStore`] and forgets
    /// the rest. The operating system seeds a generator for this noise, which is wiped afterwards.
    ///
    /// A batch is released once: the noise of a second release would average out. If a batch of
    /// this name with the same reports was released before, this returns its share, with its noise.
    ///
    /// ```compile_fail,E0382
    /// # use dp_prio3::Batch;
    /// # fn release(batch: Batch) -> Result<(), dp_prio3::BatchError> {
    /// let once = batch.finish()?;
    /// let twice = batch.finish()?; // moved above
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`BatchError::TooFewReports`] below the policy's least number of reports,
    /// [`BatchError::AlreadyReleased`] if a batch of this name held other reports,
    /// [`BatchError::Store`] if the share or what was spent cannot be kept, [`BatchError::Policy`]
    /// if the noise cannot be drawn. Nothing is released then, and the batch is gone: its reports
    /// are spent.
    pub fn finish(self) -> Result<EncodedAggregateShare, BatchError> {
        self.finish_from(&mut dp_samplers::os_rng().map_err(Error::from)?)
    }

    /// Adds the noise from `rng` to the sum, and returns the share that [`Self::keep`] kept. `Err`
    /// if the batch has fewer reports than the policy demands, or no report.
    fn finish_from(mut self, rng: &mut dyn CryptoRng) -> Result<EncodedAggregateShare, BatchError> {
        let min_reports = self.policy.min_reports().max(1);
        if self.reports < min_reports {
            return Err(BatchError::TooFewReports {
                batch: self.name.clone(),
                reports: self.reports,
                min_reports,
            });
        }
        self.policy.add_noise(&mut self.sum, self.reports, rng)?;
        let share = self.sum.encode().map_err(|error| Error::prio("encode", error))?;
        self.keep(EncodedAggregateShare {
            task: self.verifier.task,
            batch: self.name.clone(),
            aggregator: self.verifier.aggregator,
            reports: self.reports,
            checksum: self.checksum,
            share,
        })
    }

    /// Keeps the share in the store, and returns the kept one: `share`, or the share kept before
    /// for the same reports. `Err` if a share of other reports was kept. The spent reports become
    /// durable first, lest a crash leave a share whose reports may be verified once more.
    fn keep(&self, share: EncodedAggregateShare) -> Result<EncodedAggregateShare, BatchError> {
        let (verifier, name) = (&self.verifier, &self.name);
        if let Some(seen) = &verifier.seen {
            seen.sync()?;
        }
        let key = ReleaseKey::new(&verifier.task, verifier.aggregator, name);
        let bytes = share.get_encoded().map_err(|error| Error::prio("encode", error))?;
        let Some(known) = self.releases.keep(&key, &bytes)? else {
            return Ok(share);
        };
        let known = decode_released(&known)?;
        // All but the noise has to agree.
        match known == (EncodedAggregateShare { share: known.share.clone(), ..share }) {
            true => Ok(known),
            false => Err(BatchError::AlreadyReleased { batch: name.clone() }),
        }
    }
}

/// For simulations only: seeded noise protects nobody.
#[cfg(feature = "simulation")]
impl Batch {
    /// [`Batch::finish`] with the noise from `rng`.
    ///
    /// # Errors
    /// As [`Batch::finish`].
    pub fn finish_seeded(
        self,
        rng: &mut dyn CryptoRng,
    ) -> Result<EncodedAggregateShare, BatchError> {
        self.finish_from(rng)
    }

    /// The batch after `reports` verified reports whose output shares add up to `share`, without
    /// any proof. Such batches of different aggregators agree, as they hold no report that could
    /// differ.
    ///
    /// # Errors
    /// If the number of entries is not the output's, an entry does not fit the field, or there are
    /// more reports than the policy allows in a batch.
    pub fn holding(mut self, share: &[i128], reports: u64) -> Result<Self, BatchError> {
        let length = self.policy.query().totals();
        within("share length", share.len(), length..=length).map_err(Error::from)?;
        self.check_reports(reports)?;
        self.sum = self.policy.circuit().share_of(share).map_err(Error::from)?;
        self.reports = reports;
        Ok(self)
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("name", &self.name)
            .field("aggregator", &self.verifier.aggregator)
            .field("reports", &self.reports)
            .field("rejections", &self.rejections)
            .finish_non_exhaustive()
    }
}
