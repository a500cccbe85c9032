//! Percentiles and ranges of a histogram: of each trial the estimates beside the truth.

use std::fmt::Display;
use std::ops::Range;

use dp_calibration::strategy_matrix::{CumulativeEstimate, Percentile};
use dp_exact::{ParameterError, Rational};
use dp_prio3::{Policy, VdafType};
use dp_task::PolicyName;

use crate::outcome::{Coordinate, DistributionEstimate, PercentileEstimate, as_f64};

/// The probability with which each interval holds the truth at least.
const CONFIDENCE: f64 = 0.95;

/// The most percentiles, and the most ranges.
const MAX_LIST: usize = 1000;

/// The percentiles and ranges of a histogram that a run estimates beside its distribution function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PercentilesAndRanges {
    /// Percentiles in percent, between 0 and 100 exclusive.
    pub percentiles: Vec<Rational>,
    /// Ranges of buckets, counted from 0.
    pub ranges: Vec<Range<usize>>,
}

impl PercentilesAndRanges {
    /// The percentiles of a list such as `5,50,99.5`, in ascending order.
    ///
    /// # Errors
    /// If one is no number between 0 and 100 exclusive, or is there twice, or there are more than
    /// 1000.
    pub fn of(list: &str) -> Result<Self, ParameterError> {
        let numbers = list.split(',').map(|text| text.trim().parse::<Rational>());
        let percentiles = numbers.collect::<Result<Vec<_>, _>>();
        let mut percentiles = percentiles.map_err(|_| refused_percentiles(list))?;
        percentiles.sort();
        let question = Self { percentiles, ranges: Vec::new() };
        question.check_percentiles()?;
        Ok(question)
    }

    /// Checks that clients report a bucket, and aggregators alone add noise.
    ///
    /// # Errors
    /// If the policy is another one: it estimates no percentiles and ranges.
    pub fn check_policy(policy: &PolicyName) -> Result<(), ParameterError> {
        let is_known = policy.vdaf == VdafType::Histogram && policy.client_noise.is_none();
        if is_known { Ok(()) } else { Err(refused_policy(policy.name)) }
    }

    /// Refuses percentiles that do not ascend strictly, are not between 0 and 100 or are over 1000.
    fn check_percentiles(&self) -> Result<(), ParameterError> {
        let (zero, all) = (Rational::zero(), Rational::integer(100));
        let is_inside = |percentile: &Rational| *percentile > zero && *percentile < all;
        let ascend = self.percentiles.windows(2).all(|pair| pair[0] < pair[1]);
        if ascend && self.percentiles.iter().all(is_inside) && self.percentiles.len() <= MAX_LIST {
            return Ok(());
        }
        let all: Vec<String> = self.percentiles.iter().map(Rational::to_string).collect();
        Err(refused_percentiles(&all.join(",")))
    }

    /// Refuses percentiles and ranges that `buckets` buckets do not have.
    fn check(&self, buckets: usize) -> Result<(), ParameterError> {
        self.check_percentiles()?;
        if self.ranges.len() > MAX_LIST {
            let accepted = format!("at most {MAX_LIST} ranges");
            return Err(ParameterError::new("between", self.ranges.len(), accepted));
        }
        let is_range = |range: &Range<usize>| range.start < range.end && range.end <= buckets;
        self.ranges.iter().find(|range| !is_range(range)).map_or(Ok(()), |range| {
            let accepted = format!("a part of the buckets 0..{buckets}");
            Err(ParameterError::new("between", format!("{range:?}"), accepted))
        })
    }
}

/// The refusal of a policy that estimates no percentiles and ranges.
fn refused_policy(name: impl Display) -> ParameterError {
    let accepted = "for percentiles and ranges a histogram to which aggregators alone add noise, such \
                    as histogram-laplace or histogram-percentiles-gaussian: where clients add noise, \
                    the errors of sums of buckets are not known";
    ParameterError::new("policy", name, accepted)
}

/// The refusal of a list of percentiles.
fn refused_percentiles(list: &str) -> ParameterError {
    let accepted =
        format!("at most {MAX_LIST} different numbers between 0 and 100, such as 5,25,50,75,95");
    ParameterError::new("percentiles", list, accepted)
}

/// The percentiles and ranges to estimate, and the margins of cumulative counts and ranges, which
/// do not depend on the totals: aggregators alone add noise.
#[derive(Debug)]
pub(crate) struct DistributionMargins {
    pub(crate) question: PercentilesAndRanges,
    /// Half the width of the interval of each cumulative count.
    counts: Vec<f64>,
    /// The standard error of each range, and half the width of its interval.
    ranges: Vec<(f64, f64)>,
}

impl DistributionMargins {
    /// The margins of the estimates of `question` under a policy's noise. Errors as of
    /// [`Simulation::percentiles_and_ranges`](crate::Simulation::percentiles_and_ranges).
    pub(crate) fn new(
        policy: &Policy,
        question: PercentilesAndRanges,
    ) -> Result<Self, ParameterError> {
        let buckets = policy.query().totals();
        let estimate = policy.cumulative(&vec![0; buckets], 0);
        let estimate = estimate.ok_or_else(|| refused_policy(policy.name()))?;
        if buckets < 2 {
            let accepted = "at least 2 buckets, for percentiles and ranges";
            return Err(ParameterError::new("length", buckets, accepted));
        }
        question.check(buckets)?;
        let ranges = question.ranges.iter().filter_map(|range| policy.range_error(range.clone()));
        Ok(Self {
            counts: estimate.margins(CONFIDENCE),
            ranges: ranges
                .map(|error| (error.standard_error(), error.margin(CONFIDENCE)))
                .collect(),
            question,
        })
    }

    /// The answers from the estimated distribution function, beside the answers from the true
    /// `histogram`; with `is_consistent` ranges and counts also from the nearest function that
    /// never falls and stays in its range.
    pub(crate) fn answer(
        &self,
        estimate: &CumulativeEstimate,
        histogram: &[i128],
        is_consistent: bool,
    ) -> DistributionEstimate {
        let mut truth = histogram.to_vec();
        let mut sum = 0_i128;
        for count in &mut truth {
            sum = sum.saturating_add(*count);
            *count = sum;
        }
        let counts: Vec<f64> = truth.iter().map(|count| as_f64(*count)).collect();
        let monotone = is_consistent.then(|| estimate.monotone());
        let percentiles = self.question.percentiles.iter().map(|percent| {
            let level = percent.to_f64() / 100.0;
            let Percentile { bucket, lowest, highest } = estimate.percentile(level, &self.counts);
            let truth = true_percentile(percent, &truth);
            PercentileEstimate { truth, estimate: bucket, interval: lowest..=highest }
        });
        // The reports of a range of buckets.
        let row = |range: &Range<usize>, standard_error, margin_95| Coordinate {
            truth: range_value(range, &counts),
            estimate: range_value(range, &estimate.values),
            standard_error,
            margin_95,
            consistent: monotone.as_ref().map(|monotone| range_value(range, monotone)),
        };
        let ranges = self.question.ranges.iter().zip(&self.ranges);
        let ranges = ranges.map(|(range, (error, margin))| row(range, *error, *margin));
        let prefixes = (1..truth.len()).zip(&estimate.errors).zip(&self.counts);
        let prefixes =
            prefixes.map(|((end, error), margin)| row(&(0..end), error.standard_error(), *margin));
        DistributionEstimate {
            percentiles: percentiles.collect(),
            ranges: ranges.collect(),
            counts: prefixes.collect(),
        }
    }
}

/// The first bucket up to which the buckets, it included, hold at least `percent` percent of all
/// reports; `cumulative` has the reports of the first 1, 2, … buckets.
fn true_percentile(percent: &Rational, cumulative: &[i128]) -> usize {
    let all = Rational::integer(cumulative.last().copied().unwrap_or(0));
    let target = percent * &all;
    let hundred = Rational::integer(100);
    cumulative.partition_point(|count| &Rational::integer(*count) * &hundred < target)
}

/// The value of a range of buckets from the values of the first 1, 2, … buckets.
#[must_use]
pub fn range_value(range: &Range<usize>, cumulative: &[f64]) -> f64 {
    let first = |buckets: usize| {
        buckets.checked_sub(1).and_then(|last| cumulative.get(last)).copied().unwrap_or(0.0)
    };
    first(range.end) - first(range.start)
}
