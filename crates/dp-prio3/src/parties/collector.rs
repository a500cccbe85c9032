//! The collector: exactly one noisy share of each aggregator in, signed totals and estimates out.

use std::fmt::Display;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dp_calibration::utility::Intervals;
use dp_exact::ParameterError;

use super::message::EncodedAggregateShare;
use super::task::{BatchName, TaskDigest, check_context};
use crate::error::within;
use crate::policy::Policy;
use crate::{Error, Estimate, as_float};

/// The collector of a task. It holds no key and no report.
#[derive(Clone, Debug)]
pub struct Collector {
    policy: Policy,
    task: TaskDigest,
    /// The confidence intervals of totals for the last number of reports. Clones share them.
    last_intervals: Arc<Mutex<Option<LastIntervals>>>,
    /// [`Policy::sum_reach`]
    sum_reach: OnceLock<Option<i128>>,
}

/// A number of reports, and the intervals of totals over that number of reports; `None` for a
/// policy without such intervals.
type LastIntervals = (u64, Option<Arc<Intervals>>);

/// The result of a batch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Collection {
    /// The noisy totals as released, from (−p/2, p/2): they may be negative.
    pub totals: Vec<i128>,
    /// The estimates, one for each total.
    pub estimates: Vec<Estimate>,
    /// Half the width of the 95 % interval around each estimate, which holds the truth at least
    /// that often, or behind a strategy matrix about that often.
    ///
    /// An integer where aggregators alone add noise and the estimate is a total, or for d buckets
    /// that add up to the reports a multiple of 1/d and room for rounding. Behind a strategy
    /// matrix the error is taken for nearly normal, and where the distribution of the noise is not
    /// known it is √20 standard errors, which suffices for any noise (Chebyshev).
    /// [`Policy::bias_bound`] is part of them.
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
    /// The shares are not one of each aggregator.
    #[error(
        "aggregate shares of the aggregators {present:?}: expected one of each from 0 to {last}"
    )]
    NotOneOfEach {
        /// The numbers of the aggregators whose shares there are, in order.
        present: Vec<u8>,
        /// The largest number of an aggregator.
        last: usize,
    },
    /// The task does not have this number of reports or of totals, or a share is of another task,
    /// batch, number of reports or set of reports than the share of aggregator 0.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A share that cannot be decoded.
    #[error("the aggregate share of aggregator {aggregator} cannot be decoded: {reason}")]
    Malformed {
        /// The aggregator of the share.
        aggregator: u8,
        /// Prio's error.
        reason: String,
    },
    /// A total that measurements and noise reach with probability at most 2^−64: the shares
    /// are altered, or not of the same reports.
    #[error(
        "total {index} is {total}, outside {lowest} to {highest}: another task, another number of reports, \
         or aggregate shares that do not belong together"
    )]
    OutOfRange {
        /// The number of the total, from 0.
        index: usize,
        /// The total.
        total: i128,
        /// The lowest total of the policy's noise and that number of reports.
        lowest: i128,
        /// The highest one.
        highest: i128,
    },
    /// A sum of the totals of a histogram that the number of reports and noise reach with
    /// probability at most 2^−64: the totals are of another batch, or of another policy.
    #[error(
        "the totals add up to {sum}, which is more than {reach} away from the {reports} reports, \
         and noise reaches no farther: another task, another number of reports, or totals of another batch"
    )]
    SumOutOfRange {
        /// The sum of the totals.
        sum: i128,
        /// The number of reports.
        reports: u64,
        /// The greatest distance of the two.
        reach: i128,
    },
}

impl CollectError {
    /// The error that prio does not read or write the share of this aggregator.
    pub(super) fn malformed(aggregator: u8, error: impl Display) -> Self {
        Self::Malformed { aggregator, reason: error.to_string() }
    }
}

impl Collector {
    /// The collector of the task that `policy` and `context` describe.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the context is longer than prio takes.
    pub fn new(policy: Policy, context: &[u8]) -> Result<Self, Error> {
        let task = TaskDigest::new(&policy, &check_context(context)?);
        Ok(Self { policy, task, last_intervals: Arc::default(), sum_reach: OnceLock::new() })
    }

    /// The policy.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The digest of the task, which shares must carry.
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
        // Noise out of the calibration's range is taken for noise of an unknown distribution.
        let intervals = total.and_then(|total| Intervals::new(total).ok()).map(Arc::new);
        *last = Some((reports, intervals.clone()));
        intervals
    }

    /// Half the width of the 95 % interval around each estimate over `reports` reports, in units of
    /// the estimate, with the bound on its bias.
    fn margins_95(&self, reports: u64, totals: &[i128], estimates: &[Estimate]) -> Vec<f64> {
        // Added to every margin: where it is 0, the margin keeps its last digit.
        let bias = self.policy.bias_bound(reports);
        let Some(intervals) = self.intervals(reports) else {
            let factor = self.policy.standard_errors_of_95();
            let margin = |estimate: &Estimate| factor * estimate.standard_error + bias;
            return estimates.iter().map(margin).collect();
        };
        let divisor = self.policy.divisor(reports);
        let (corrected, buckets) = self.policy.corrected_totals(totals, reports);
        let margin = |(total, estimate): (&i128, &Estimate)| {
            let margin = intervals.margin(*total) + bias;
            if divisor == 1 && buckets == 1 {
                return margin;
            }
            let margin = margin / as_float(divisor);
            // Above the rounding of quotients.
            margin + 4.0 * f64::EPSILON * (estimate.value.abs() + margin)
        };
        corrected.iter().zip(estimates).map(margin).collect()
    }

    /// Adds up the aggregate shares, in any order, and estimates. Prio's own `unshard` gives a
    /// wrong result without an error if a share is missing or doubled.
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
    /// reports.
    ///
    /// # Errors
    /// If the number of totals or of reports is not one of this task, or a total is out of range.
    pub fn estimates(
        &self,
        totals: &[i128],
        reports: u64,
    ) -> Result<(Vec<Estimate>, Vec<f64>), CollectError> {
        let expected = self.policy.query().totals();
        within("number of totals", totals.len(), expected..=expected)?;
        self.check_reports(reports)?;
        self.check_range(totals, reports)?;
        let estimates = self.policy.estimate(totals, reports);
        let margins_95 = self.margins_95(reports, totals, &estimates);
        Ok((estimates, margins_95))
    }

    /// Checks that there is one share of each aggregator, all about the same reports of this task,
    /// and that the policy allows a batch of that size. Returns the share of aggregator 0.
    pub(crate) fn check_set<'a>(
        &self,
        shares: &'a [EncodedAggregateShare],
    ) -> Result<&'a EncodedAggregateShare, CollectError> {
        let last = self.policy.aggregators() - 1;
        let mut present: Vec<u8> = shares.iter().map(|share| share.aggregator).collect();
        present.sort_unstable();
        let is_one_of_each = present.iter().copied().map(usize::from).eq(0..=last);
        let first = shares.iter().find(|share| share.aggregator == 0);
        let Some(first) = first.filter(|_| is_one_of_each) else {
            return Err(CollectError::NotOneOfEach { present, last });
        };
        let as_first = |value: &dyn Display| format!("{value}, as of aggregator 0");
        for share in shares {
            let check = |name: &str, is_same: bool, found: &dyn Display, accepted: String| {
                let name = format!("{name} of aggregator {}", share.aggregator);
                if is_same { Ok(()) } else { Err(ParameterError::new(name, found, accepted)) }
            };
            check("task", share.task == self.task, &share.task, self.task.to_string())?;
            check("batch", share.batch == first.batch, &share.batch, as_first(&first.batch))?;
            let reports = as_first(&first.reports);
            check("reports", share.reports == first.reports, &share.reports, reports)?;
            let checksum = as_first(&first.checksum);
            check("checksum", share.checksum == first.checksum, &share.checksum, checksum)?;
        }
        self.check_reports(first.reports)?;
        Ok(first)
    }

    /// `Err` if the policy does not allow a batch of `reports` reports, such as 0.
    fn check_reports(&self, reports: u64) -> Result<(), CollectError> {
        let accepted = self.policy.min_reports().max(1)..=self.policy.max_reports();
        within("reports", reports, accepted)?;
        Ok(())
    }

    /// The signed totals, in (−p/2, p/2): for each entry, the sum of all shares modulo p. `Err` if
    /// a share cannot be decoded.
    fn add_up(&self, shares: &[EncodedAggregateShare]) -> Result<Vec<i128>, CollectError> {
        let circuit = self.policy.circuit();
        let mut sum = circuit.zero();
        for share in shares {
            let malformed = |error| CollectError::malformed(share.aggregator, error);
            let is_added = sum.add(&circuit.decode_share(&share.share).map_err(malformed)?);
            assert!(is_added, "a circuit decodes shares of its own length and field alone");
        }
        Ok(sum.signed())
    }

    /// `Err` if a total is outside the range of the policy's noisy totals over `reports` reports,
    /// or their sum too far from the number of reports that it is without noise.
    fn check_range(&self, totals: &[i128], reports: u64) -> Result<(), CollectError> {
        let range = self.policy.total_range(reports);
        let mut numbered = totals.iter().copied().enumerate();
        if let Some((index, total)) = numbered.find(|(_, total)| !range.contains(total)) {
            let (lowest, highest) = range.into_inner();
            return Err(CollectError::OutOfRange { index, total, lowest, highest });
        }
        let sum = totals.iter().fold(0_i128, |sum, total| sum.saturating_add(*total));
        match *self.sum_reach.get_or_init(|| self.policy.sum_reach()) {
            Some(reach) if sum.abs_diff(reports.into()) > reach.unsigned_abs() => {
                Err(CollectError::SumOutOfRange { sum, reports, reach })
            }
            _ => Ok(()),
        }
    }
}
