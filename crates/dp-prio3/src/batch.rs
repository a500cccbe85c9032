//! A batch: one aggregator's sum of verified shares, which leaves it once, with noise.

use std::fmt;
use std::sync::Arc;

use prio::codec::{Decode as _, Encode};
use prio::field::FieldElement;
use prio::vdaf::OutputShare;
use rand_core::CryptoRng;

use crate::Error;
use crate::binding::{BatchName, ReportChecksum, TaskDigest};
use crate::field::wipe;
use crate::message::EncodedAggregateShare;
use crate::policy::{DpPolicy, FieldOf};
use crate::rejection::{Rejection, Rejections, Stage};
use crate::releases::{ReleaseKey, ReleaseStore, StoreError};

/// One aggregator's share of one verified measurement.
#[derive(Debug)]
pub struct VerifiedOutput<P: DpPolicy> {
    pub(crate) aggregator: u8,
    pub(crate) checksum: ReportChecksum,
    pub(crate) share: OutputShare<FieldOf<P>>,
}

/// Of which aggregator a batch is, under which name, and where its release is kept.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) task: TaskDigest,
    pub(crate) aggregator: u8,
    pub(crate) name: BatchName,
    pub(crate) releases: Arc<dyn ReleaseStore>,
}

/// The reports of one batch at one aggregator: the sum of its shares, their number, and the number
/// of those rejected.
///
/// The sum is overwritten with zeros when the batch is dropped or finished. Copies on prio's side
/// (the output share of a report, before it is added here) are not.
pub struct Batch<P: DpPolicy> {
    policy: Arc<P>,
    origin: Origin,
    sum: Vec<FieldOf<P>>,
    reports: u64,
    checksum: ReportChecksum,
    rejections: Rejections,
}

impl<P: DpPolicy> Batch<P> {
    pub(crate) fn new(policy: Arc<P>, origin: Origin) -> Self {
        let sum = vec![FieldOf::<P>::zero(); policy.vdaf().output_len()];
        Self {
            policy,
            origin,
            sum,
            reports: 0,
            checksum: ReportChecksum::default(),
            rejections: Rejections::default(),
        }
    }

    /// Adds this aggregator's share of a verified measurement.
    ///
    /// # Errors
    ///
    /// A rejection at stage [`BatchFull`](Stage::BatchFull), or at stage
    /// [`Confirmation`](Stage::Confirmation) if the share is another aggregator's; the batch is
    /// then unchanged but for the count of rejections.
    pub fn accumulate(&mut self, output: VerifiedOutput<P>) -> Result<(), Rejection> {
        let share = output.share.as_ref();
        let rejection =
            if output.aggregator != self.origin.aggregator || share.len() != self.sum.len() {
                Some(Rejection::new(
                    Stage::Confirmation,
                    "an output share of another aggregator",
                ))
            } else if self.reports >= self.policy.max_reports() {
                Some(Rejection::new(
                    Stage::BatchFull,
                    format_args!("the policy allows {} reports", self.policy.max_reports()),
                ))
            } else {
                None
            };
        if let Some(rejection) = rejection {
            self.reject(&rejection);
            return Err(rejection);
        }

        for (sum, entry) in self.sum.iter_mut().zip(share) {
            *sum += *entry;
        }
        self.reports += 1;
        self.checksum.add(&output.checksum);
        Ok(())
    }

    /// Counts a report that was rejected before it reached the batch.
    pub const fn reject(&mut self, rejection: &Rejection) {
        self.rejections.add(rejection.stage());
    }

    /// Adds another batch of the same aggregator, as when several threads each verified a part.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignBatch`] if the other does not come from the same [`Aggregator`] under the
    /// same name, and [`Error::BatchFull`] if both together hold too many reports. This batch is
    /// then unchanged.
    ///
    /// [`Aggregator`]: crate::Aggregator
    pub fn merge(&mut self, other: Self) -> Result<(), Error> {
        let (own, others) = (&self.origin, &other.origin);
        let is_foreign = own.aggregator != others.aggregator
            || own.task != others.task
            || own.name != others.name
            || !Arc::ptr_eq(&other.policy, &self.policy);
        if is_foreign {
            return Err(Error::ForeignBatch);
        }
        let reports = self.reports.saturating_add(other.reports);
        let max_reports = self.policy.max_reports();
        if reports > max_reports {
            return Err(Error::BatchFull {
                reports,
                max_reports,
            });
        }
        for (sum, entry) in self.sum.iter_mut().zip(&other.sum) {
            *sum += *entry;
        }
        self.reports = reports;
        self.checksum.add(&other.checksum);
        self.rejections.merge(&other.rejections);
        Ok(())
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &BatchName {
        &self.origin.name
    }

    /// How many reports are in the batch.
    #[must_use]
    pub const fn reports(&self) -> u64 {
        self.reports
    }

    /// How many reports were rejected, by stage.
    #[must_use]
    pub const fn rejections(&self) -> &Rejections {
        &self.rejections
    }

    /// Adds this aggregator's noise, encodes the share, keeps it in the aggregator's
    /// [`ReleaseStore`] and forgets the rest.
    ///
    /// The noise comes from a generator of its own, seeded by the operating system for this release
    /// and wiped afterwards: who reads this process's memory later, or forks it before, learns
    /// nothing of it.
    ///
    /// A batch is released once: the noise of a second release would average out. So a batch has a
    /// name of its own. Where one of the same name and with the same reports was released before,
    /// this gives the share of that time, the noise included.
    ///
    /// ```compile_fail,E0382
    /// # use dp_prio3::{Batch, HistogramLaplace};
    /// # fn release(batch: Batch<HistogramLaplace>) -> Result<(), dp_prio3::Error> {
    /// let once = batch.finish()?;
    /// let twice = batch.finish()?; // moved above
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooFewReports`] below the policy's least number of reports,
    /// [`Error::AlreadyReleased`] if a batch of this name held other reports, [`Error::Store`] if
    /// the share cannot be kept, [`Error::Sampler`] if the noise cannot be drawn. Nothing is
    /// released then.
    pub fn finish(self) -> Result<EncodedAggregateShare, Error> {
        self.finish_from(&mut dp_samplers::os_rng()?)
    }

    pub(crate) fn finish_from<R: CryptoRng + ?Sized>(
        mut self,
        rng: &mut R,
    ) -> Result<EncodedAggregateShare, Error> {
        let min_reports = self.policy.min_reports().max(1);
        if self.reports < min_reports {
            return Err(Error::TooFewReports {
                batch: self.origin.name.clone(),
                reports: self.reports,
                min_reports,
            });
        }
        let policy = Arc::clone(&self.policy);
        policy.add_noise(&mut self.sum, self.reports, rng)?;
        self.keep(self.encoded()?)
    }

    fn encoded(&self) -> Result<EncodedAggregateShare, Error> {
        let mut share = Vec::with_capacity(self.sum.len() * FieldOf::<P>::ENCODED_SIZE);
        for element in &self.sum {
            element
                .encode(&mut share)
                .map_err(|error| Error::prio("encode", error))?;
        }
        Ok(EncodedAggregateShare {
            task: self.origin.task,
            batch: self.origin.name.clone(),
            aggregator: self.origin.aggregator,
            reports: self.reports,
            checksum: self.checksum,
            share,
        })
    }

    /// The share, once it is kept; or the one that was kept before.
    fn keep(&self, share: EncodedAggregateShare) -> Result<EncodedAggregateShare, Error> {
        let coding = |error| Error::prio("encode", error);
        let Origin {
            task,
            aggregator,
            name,
            releases,
        } = &self.origin;
        let key = ReleaseKey::new(task, *aggregator, name);
        let bytes = share.get_encoded().map_err(coding)?;
        let Some(known) = releases.keep(&key, &bytes)? else {
            return Ok(share);
        };
        let known = EncodedAggregateShare::get_decoded(&known)
            .map_err(|error| Error::Store(StoreError::new(error)))?;
        if known.is_of_the_same_reports(&share) {
            Ok(known)
        } else {
            let batch = name.clone();
            Err(Error::AlreadyReleased { batch })
        }
    }
}

impl<P: DpPolicy> Drop for Batch<P> {
    fn drop(&mut self) {
        wipe(&mut self.sum);
    }
}

impl<P: DpPolicy> fmt::Debug for Batch<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("name", &self.origin.name)
            .field("aggregator", &self.origin.aggregator)
            .field("reports", &self.reports)
            .field("rejections", &self.rejections)
            .finish_non_exhaustive()
    }
}
