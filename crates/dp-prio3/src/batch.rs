//! A batch: one aggregator's sum of verified shares, which leaves it once, with noise.

use std::fmt;
use std::sync::Arc;

use prio::codec::Encode;
use prio::field::FieldElement;
use prio::vdaf::OutputShare;
use rand_core::CryptoRng;

use crate::Error;
use crate::field::wipe;
use crate::message::EncodedAggregateShare;
use crate::policy::{DpPolicy, FieldOf};
use crate::rejection::{Rejection, Rejections, Stage};

/// One aggregator's share of one verified measurement.
#[derive(Debug)]
pub struct VerifiedOutput<P: DpPolicy> {
    pub(crate) aggregator: u8,
    pub(crate) share: OutputShare<FieldOf<P>>,
}

/// The reports of one batch at one aggregator: the sum of its shares, their number, and the number
/// of those rejected.
///
/// The sum is overwritten with zeros when the batch is dropped or finished. Copies on prio's side
/// (the output share of a report, before it is added here) are not.
pub struct Batch<P: DpPolicy> {
    policy: Arc<P>,
    aggregator: u8,
    sum: Vec<FieldOf<P>>,
    reports: u64,
    rejections: Rejections,
}

impl<P: DpPolicy> Batch<P> {
    pub(crate) fn new(policy: Arc<P>, aggregator: u8) -> Self {
        let sum = vec![FieldOf::<P>::zero(); policy.vdaf().output_len()];
        Self {
            policy,
            aggregator,
            sum,
            reports: 0,
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
        let rejection = if output.aggregator != self.aggregator || share.len() != self.sum.len() {
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
    /// [`Error::ForeignBatch`] if the other does not come from the same [`Aggregator`], and
    /// [`Error::BatchFull`] if both together hold too many reports. This batch is then unchanged.
    ///
    /// [`Aggregator`]: crate::Aggregator
    pub fn merge(&mut self, other: Self) -> Result<(), Error> {
        if other.aggregator != self.aggregator || !Arc::ptr_eq(&other.policy, &self.policy) {
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
        self.rejections.merge(&other.rejections);
        Ok(())
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

    /// Adds this aggregator's noise, encodes the share and forgets it.
    ///
    /// A batch is released once: the noise of a second release would average out.
    ///
    /// ```compile_fail,E0382
    /// # use dp_prio3::{Batch, HistogramLaplace};
    /// # fn release(batch: Batch<HistogramLaplace>) -> Result<(), dp_prio3::Error> {
    /// # let mut rng = dp_samplers::os_rng()?;
    /// let once = batch.finish(&mut rng)?;
    /// let twice = batch.finish(&mut rng)?; // moved above
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the noise cannot be drawn. Nothing is released then.
    pub fn finish<R: CryptoRng + ?Sized>(
        mut self,
        rng: &mut R,
    ) -> Result<EncodedAggregateShare, Error> {
        let policy = Arc::clone(&self.policy);
        policy.add_noise(&mut self.sum, self.reports, rng)?;

        let mut share = Vec::with_capacity(self.sum.len() * FieldOf::<P>::ENCODED_SIZE);
        for element in &self.sum {
            element
                .encode(&mut share)
                .map_err(|error| Error::prio("encode", error))?;
        }
        Ok(EncodedAggregateShare {
            aggregator: self.aggregator,
            reports: self.reports,
            share,
        })
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
            .field("aggregator", &self.aggregator)
            .field("reports", &self.reports)
            .field("rejections", &self.rejections)
            .finish_non_exhaustive()
    }
}
