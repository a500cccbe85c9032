//! The collector: exactly one noisy share of each aggregator in, signed totals and estimates out.

use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::utility::Intervals;
use prio::codec::ParameterizedDecode;
use prio::field::FieldElement;
use prio::vdaf::{AggregateShare, Vdaf as _};

use super::message::EncodedAggregateShare;
use super::task::{BatchName, Context, TaskDigest};
use crate::field::SignedField;
use crate::policy::{DpPolicy, FieldOf};
use crate::{Error, Estimate, as_float};

/// The collector of a task. It holds no key and no report.
#[derive(Clone, Debug)]
pub struct Collector<P> {
    policy: Arc<P>,
    task: TaskDigest,
    /// The confidence intervals of totals for the last number of reports. Clones share them.
    last_intervals: Arc<Mutex<LastIntervals>>,
}

/// A number of reports, and the intervals of totals over that number of reports. The inner `None`
/// stands for a policy without such intervals.
type LastIntervals = Option<(u64, Option<Arc<Intervals>>)>;

/// The result of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// The noisy totals, from (−p/2, p/2): they may be negative.
    pub totals: Vec<i128>,
    /// The estimates, one for each total.
    pub estimates: Vec<Estimate>,
    /// Half the width of the 95 % interval around each estimate, which holds the truth at least
    /// that often.
    ///
    /// An integer where aggregators alone add noise and the estimate is a total. Where the
    /// distribution of the noise is not known, √20 standard errors, which suffices for any noise
    /// (Chebyshev).
    pub margins_95: Vec<f64>,
    /// The number of reports in the batch.
    pub reports: u64,
    /// The name of the batch.
    pub batch: BatchName,
}

/// The reason why the collector refuses a set of aggregate shares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// Not one share of each aggregator, all of this task and of the same reports of one batch.
    #[error("{reason}")]
    NoSet {
        /// The shares that are missing, doubled, too many, foreign or different.
        reason: String,
    },
    /// The task does not have this number of reports or of totals.
    #[error("{reason}")]
    Number {
        /// The number, and the accepted range.
        reason: String,
    },
    /// A share that cannot be decoded.
    #[error("the aggregate share of aggregator {aggregator} cannot be decoded: {reason}")]
    Malformed {
        /// Its number.
        aggregator: u8,
        /// The reason.
        reason: String,
    },
    /// A total that measurements and noise reach with probability at most 2^−64: the shares
    /// are altered, or not of the same reports.
    #[error(
        "total {index} is {total}, outside {lowest} to {highest}: \
         the aggregate shares do not belong together"
    )]
    OutOfRange {
        /// The number of the total, from 0.
        index: usize,
        /// Its value.
        total: i128,
        /// The lowest plausible.
        lowest: i128,
        /// The highest plausible.
        highest: i128,
    },
}

impl<P: DpPolicy> Collector<P> {
    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &Arc<P> {
        &self.policy
    }

    /// The collector of the task that `policy` and `context` describe.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the context is longer than prio takes.
    pub fn new(policy: Arc<P>, context: &[u8]) -> Result<Self, Error> {
        let task = TaskDigest::new(&*policy, &Context::new(context)?);
        Ok(Self { policy, task, last_intervals: Arc::default() })
    }

    /// The digest of the task, which shares must carry.
    #[must_use]
    pub const fn task(&self) -> &TaskDigest {
        &self.task
    }

    /// The 95 % intervals of totals over `reports` reports; `None` where the distribution of the
    /// noise is not known.
    #[must_use]
    pub fn intervals(&self, reports: u64) -> Option<Arc<Intervals>> {
        let mut last = self.last_intervals.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, intervals)) = last.as_ref().filter(|(of, _)| *of == reports) {
            return intervals.clone();
        }
        let total = self.policy.noisy_total(reports);
        let intervals = total.and_then(|total| Intervals::new(total).ok()).map(Arc::new);
        *last = Some((reports, intervals.clone()));
        intervals
    }

    /// Half the width of the 95 % interval around each estimate over `reports` reports, in units of
    /// the estimate; see [`Collection::margins_95`].
    fn margins_95(&self, reports: u64, totals: &[i128], estimates: &[Estimate]) -> Vec<f64> {
        let Some(intervals) = self.intervals(reports) else {
            let chebyshev = |estimate: &Estimate| 20_f64.sqrt() * estimate.standard_error;
            return estimates.iter().map(chebyshev).collect();
        };
        let divisor = self.policy.divisor(reports);
        let margin = |(total, estimate): (&i128, &Estimate)| {
            let margin = intervals.margin(*total);
            if divisor == 1 {
                return margin;
            }
            let margin = margin / as_float(divisor);
            // Above the rounding of quotients.
            margin + 4.0 * f64::EPSILON * (estimate.value.abs() + margin)
        };
        totals.iter().zip(estimates).map(margin).collect()
    }

    /// Adds up the aggregate shares and estimates. Their order does not matter.
    ///
    /// Prio's own `unshard` does not count: a missing or doubled share would give a wrong result
    /// without an error.
    ///
    /// # Errors
    /// Every case of [`CollectError`].
    pub fn collect(&self, shares: &[EncodedAggregateShare]) -> Result<Collection, CollectError> {
        let first = self.check_set(shares)?;
        let reports = first.reports;
        let totals = self.add_up(shares)?;
        let (estimates, margins_95) = self.estimates(&totals, reports)?;
        Ok(Collection { totals, estimates, margins_95, reports, batch: first.batch.clone() })
    }

    /// The estimates and the [`Collection::margins_95`] of signed noisy totals over `reports`
    /// reports, which another collector has added up.
    ///
    /// # Errors
    /// If the number of totals or of reports is not one of this task, or a total is out of range.
    pub fn estimates(
        &self,
        totals: &[i128],
        reports: u64,
    ) -> Result<(Vec<Estimate>, Vec<f64>), CollectError> {
        let (found, expected) = (totals.len(), self.policy.vdaf().output_len());
        if found != expected {
            return Err(CollectError::Number {
                reason: format!(
                    "{found} totals: expected {expected}, one for each entry of the output"
                ),
            });
        }
        self.check_reports(reports)?;
        self.check_range(totals, reports)?;
        let estimates = self.policy.estimate(totals, reports);
        let margins_95 = self.margins_95(reports, totals, &estimates);
        Ok((estimates, margins_95))
    }

    /// Checks that there is one share of each aggregator, all about the same reports of this task.
    /// Returns the share of aggregator 0.
    pub(crate) fn check_set<'a>(
        &self,
        shares: &'a [EncodedAggregateShare],
    ) -> Result<&'a EncodedAggregateShare, CollectError> {
        let aggregators = self.policy.vdaf().num_aggregators();
        let refused = |reason| CollectError::NoSet { reason };
        let received = shares.len();
        let wrong_number = format!(
            "{received} aggregate shares: expected one of each of the {aggregators} aggregators"
        );
        if received != aggregators {
            return Err(refused(wrong_number));
        }
        for (index, share) in shares.iter().enumerate() {
            let (number, last) = (share.aggregator, aggregators - 1);
            if usize::from(number) > last {
                return Err(refused(format!(
                    "an aggregate share of aggregator {number}: they are numbered 0 to {last}"
                )));
            }
            if shares[..index].iter().any(|other| other.aggregator == number) {
                return Err(refused(format!(
                    "two aggregate shares of aggregator {number}: expected one of each"
                )));
            }
        }
        let first = shares.iter().find(|share| share.aggregator == 0);
        let first = first.ok_or_else(|| refused(wrong_number))?;
        for share in shares {
            self.check_agreement(share, first)?;
        }
        self.check_reports(first.reports)?;
        Ok(first)
    }

    /// `Err` if the policy does not allow a batch of `reports` reports, such as 0.
    fn check_reports(&self, reports: u64) -> Result<(), CollectError> {
        let (least, most) = (self.policy.min_reports().max(1), self.policy.max_reports());
        let reason = if reports < least {
            format!("{reports} reports: the policy wants at least {least}")
        } else if reports > most {
            format!("{reports} reports: the policy allows {most}")
        } else {
            return Ok(());
        };
        Err(CollectError::Number { reason })
    }

    /// Checks that a share has this task, and the batch, number and checksum of the share of
    /// aggregator 0.
    fn check_agreement(
        &self,
        share: &EncodedAggregateShare,
        first: &EncodedAggregateShare,
    ) -> Result<(), CollectError> {
        let reason = if share.task != self.task {
            format!("sends a share of task {}: this is task {}", share.task, self.task)
        } else if share.batch != first.batch {
            let (batch, first) = (&share.batch, &first.batch);
            format!("sends batch {batch}, where aggregator 0 sends batch {first}")
        } else if share.reports != first.reports {
            let (reports, first) = (share.reports, first.reports);
            format!("counts {reports} reports, where aggregator 0 counts {first}")
        } else if share.checksum != first.checksum {
            "adds up other reports than aggregator 0".to_owned()
        } else {
            return Ok(());
        };
        Err(CollectError::NoSet { reason: format!("aggregator {} {reason}", share.aggregator) })
    }

    /// The signed totals, in (−p/2, p/2): for each entry, the sum of all shares modulo p. `Err` if
    /// a share cannot be decoded.
    fn add_up(&self, shares: &[EncodedAggregateShare]) -> Result<Vec<i128>, CollectError> {
        let vdaf = self.policy.vdaf();
        let mut sum = vec![FieldOf::<P>::zero(); vdaf.output_len()];
        for share in shares {
            let decoded = AggregateShare::get_decoded_with_param(&(vdaf, &()), &share.share)
                .map_err(|error| CollectError::Malformed {
                    aggregator: share.aggregator,
                    reason: error.to_string(),
                })?;
            for (sum, entry) in sum.iter_mut().zip(decoded.as_ref()) {
                *sum += *entry;
            }
        }
        Ok(sum.into_iter().map(SignedField::to_signed).collect())
    }

    /// `Err` if a total is outside the range of the policy's noisy totals over `reports` reports.
    fn check_range(&self, totals: &[i128], reports: u64) -> Result<(), CollectError> {
        let range = self.policy.total_range(reports);
        match totals.iter().position(|total| !range.contains(total)) {
            None => Ok(()),
            Some(index) => Err(CollectError::OutOfRange {
                index,
                total: totals[index],
                lowest: *range.start(),
                highest: *range.end(),
            }),
        }
    }
}
