//! The exact distribution of every total that a sound deployment releases, and its estimate.

use dp_calibration::{NoiseDistribution, Query, VectorNoise};
use dp_exact::{ParameterError, Rational};
use dp_prio3::{AggregatorNoise, ClientNoise, Policy};
use dp_task::Task;

use super::Collected;
use super::dropped_reports::{Dropping, FlipProbabilities, hypergeometric};
use super::k_norm::KNorm;
use super::matrix_coordinates::MatrixCoordinates;
use super::pmf::Pmf;
use super::task_terms::AdmittedTerms;
use crate::Error;
use crate::binomial::{float, ln_probability, nearest_integer, signed};
use crate::error::untestable;

/// A probability of drops that does not show in any number of collections.
const NEGLIGIBLE: f64 = 1e-9;

/// Largest number of randomized bits in a total.
const MAX_BITS: u64 = 1 << 22;

/// Largest number of measurements and largest true total: doubles of their sums are exact.
const MAX_TOTAL: u64 = 1_000_000_000_000_000;

/// The distribution of the released values, which follows from the policy's mechanism alone.
///
/// A total of n reports, where T reports have the bit or value in question, is
///
/// ```text
/// Bin(T, a) + Bin(n − T, b) + Σ_aggregators N, or T + Σ_aggregators N without client noise,
/// ```
///
/// and its estimate is (total − b·n)/(a − b), divided by n for a mean. With compensation N is the
/// sum of as many randomized zeros, which the estimate corrects for as well.
#[derive(Clone, Debug)]
pub struct ExpectedRelease {
    pub(super) query: Query,
    pub(super) aggregators: u32,
    /// The distribution of one aggregator's noise, other than compensation.
    pub(super) noise: Option<NoiseDistribution>,
    /// The noise of one aggregator in all totals, if that is K-norm noise.
    pub(super) k_norm: Option<KNorm>,
    pub(super) clients: Option<FlipProbabilities>,
    /// The probabilities of the bits of sent reports, by which the collector estimates.
    estimated_by: FlipProbabilities,
    /// Whether the totals of a collection are independent of each other.
    pub(super) is_independent: bool,
    pub(super) compensation: Option<CompensatedBatch>,
    pub(super) dropping: Option<Dropping>,
    /// The map to independent coordinates of a histogram behind a strategy matrix.
    pub(super) matrix: Option<MatrixCoordinates>,
    /// The fields of the policy or of its task that a deployment has to keep.
    pub(super) terms: AdmittedTerms,
}

/// A batch of `reports` reports that compensation fills up with randomized zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompensatedBatch {
    pub(super) reports: u64,
    /// Number of zeros that each aggregator adds.
    pub(super) zeros: u64,
}

/// The probabilities of bits that are never flipped.
const NEVER_FLIPPED: FlipProbabilities = FlipProbabilities { kept: 1.0, gained: 0.0 };

/// What decides a total's distribution: numbers of reports, measurements and draws, and the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TotalInput {
    pub(super) reports: u64,
    pub(super) submitted: u64,
    pub(super) truth: i64,
    /// Number of draws of each aggregator that the total adds up: 1 except behind a matrix.
    pub(super) draws: u32,
}

/// A released total.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReleasedTotal {
    pub(super) input: TotalInput,
    /// The released estimate.
    pub(super) released: f64,
    /// The total whose estimate was released; `None` if it is no integer.
    pub(super) value: Option<i64>,
}

impl ReleasedTotal {
    /// The sum of this total and another one, which is like a total of all their reports; `None` if
    /// a number is too large. The estimate is 0: a sum has none.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        let (one, two) = (self.input, other.input);
        let input = TotalInput {
            reports: one.reports.checked_add(two.reports)?,
            submitted: one.submitted.checked_add(two.submitted)?,
            truth: one.truth.checked_add(two.truth)?,
            draws: one.draws.checked_add(two.draws)?,
        };
        let value = self.value?.checked_add(other.value?)?;
        Some(Self { input, released: 0.0, value: Some(value) })
    }

    /// The noise of this total where clients do not randomize, as a total of no reports: then
    /// totals with different truths have one distribution. Otherwise the total.
    pub(super) fn without_truth(self, expected: &ExpectedRelease) -> Self {
        if expected.clients.is_some() {
            return self;
        }
        let TotalInput { truth, draws, .. } = self.input;
        let input = TotalInput { reports: 0, submitted: 0, truth: 0, draws };
        Self { input, value: self.value.and_then(|value| value.checked_sub(truth)), ..self }
    }
}

impl ExpectedRelease {
    /// The releases of a policy for batches of `reports` reports, on which only compensation
    /// depends: batches of another size are refused then. Where reports are dropped for their
    /// weight, every measurement has the largest weight that the policy admits; a probability of
    /// drops below 10^−9 is taken to be 0.
    ///
    /// # Errors
    /// If the policy has no noise at all, or K-norm noise of more than two aggregators; if
    /// coordinates behind its strategy matrix are dependent, or a batch lacks too many clients.
    pub fn of(policy: &Policy, reports: u64) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let refused = |accepted| ParameterError::new("policy", policy.name(), accepted);
        let mut k_norm = None;
        let noise = match policy.mechanism().map(|noise| noise.distribution()) {
            None => None,
            Some(VectorNoise::Independent(distribution)) => Some(distribution.clone()),
            Some(VectorNoise::DiscreteKNorm { .. }) if aggregators != 2 => {
                let accepted = "K-norm noise of two aggregators, as by a task that has two of them";
                return Err(untestable("policy", policy.name(), accepted));
            }
            Some(VectorNoise::DiscreteKNorm { scale, length }) => {
                k_norm = Some(KNorm { scale: scale.clone(), length: *length });
                None
            }
        };
        let mut expected = Self {
            query: policy.query().clone(),
            aggregators,
            noise,
            clients: None,
            estimated_by: NEVER_FLIPPED,
            is_independent: k_norm.is_none(),
            k_norm,
            compensation: None,
            dropping: None,
            matrix: None,
            terms: AdmittedTerms::of(policy),
        };
        if let (Some(matrix), Some(noise)) = (policy.query().strategy_matrix(), &expected.noise) {
            let (matrix, noise) = MatrixCoordinates::new(matrix, noise.clone(), aggregators)?;
            (expected.matrix, expected.noise) = (Some(matrix), Some(noise));
        }
        let total = policy.noisy_total(reports);
        let found = total.and_then(|total| Some((*total.answers()?, total.zeros())));
        let Some((answers, (added, one))) = found else {
            if expected.noise.is_none() && expected.k_norm.is_none() {
                return Err(refused("one whose clients or aggregators add noise").into());
            }
            return Ok(expected);
        };
        // All randomized bits of a total, whose mean the estimate subtracts: answers of clients
        // that hold nothing, and zeros that aggregators add.
        let bits = answers.reports + added;
        let moved = float(added) / float(bits.max(1)) * (one - answers.other);
        expected.estimated_by =
            FlipProbabilities { kept: answers.held + moved, gained: answers.other + moved };
        let before_drops = policy.report_probabilities();
        let flips =
            before_drops.map_or(NEVER_FLIPPED, |[kept, gained]| FlipProbabilities { kept, gained });
        expected.clients = Some(flips);
        if let Some(dropping) = Dropping::of(policy.query(), policy.max_weight())
            && 1.0 - dropping.rate(flips)? > NEGLIGIBLE
        {
            expected.dropping = Some(dropping);
        }
        let parts = policy.parts();
        let is_answer =
            matches!(parts.client_noise, Some(ClientNoise::KaryRandomizedResponse { .. }));
        expected.is_independent = !is_answer && expected.dropping.is_none();
        if let Some(AggregatorNoise::Compensation { .. }) = parts.aggregator_noise {
            let zeros = (bits - reports) / u64::from(aggregators);
            if zeros > MAX_BITS {
                let accepted = format!("a batch that lacks at most {MAX_BITS} clients");
                return Err(ParameterError::new("reports", reports, accepted).into());
            }
            expected.compensation = Some(CompensatedBatch { reports, zeros });
        }
        Ok(expected)
    }

    /// The releases of a task's policy for batches of `reports` reports, as of [`Self::of`], by
    /// parties who keep the fields of the task on which its guarantees rest.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_task(task: &Task, reports: u64) -> Result<Self, Error> {
        Ok(Self { terms: AdmittedTerms::of_task(task), ..Self::of(task.policy(), reports)? })
    }

    /// The numbers of a collection that are tested: its totals or, behind a strategy matrix, the
    /// coordinates whose noise is independent.
    pub(super) fn totals(&self, collected: &Collected) -> Vec<ReleasedTotal> {
        let total = |truth, (released, draws)| {
            let Collected { reports, submitted, .. } = *collected;
            let input = TotalInput { reports, submitted, truth, draws };
            let value = nearest_integer(self.total(input, released, 0));
            ReleasedTotal { input, released, value }
        };
        if let Some(matrix) = &self.matrix {
            return matrix.of(collected).into_iter().map(|one| total(0, one)).collect();
        }
        let totals = collected.truths.iter().zip(&collected.released);
        totals.map(|(truth, released)| total(*truth, (*released, 1))).collect()
    }

    /// Checks that a collection can be of the query and its measurements.
    pub(super) fn check(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected { reports, submitted, ref truths, ref released, ref stated, .. } = *collected;
        if stated.reports_of_a_person == Some(0) {
            let accepted = "at least 1, or nothing where it is not known";
            return Err(ParameterError::new("reports_of_a_person", 0, accepted));
        }
        if let Some(digest) = &stated.digest
            && (digest.len() != 64 || !digest.bytes().all(|digit| digit.is_ascii_hexdigit()))
        {
            return Err(ParameterError::new("digest", digest, "64 hexadecimal digits"));
        }
        if submitted > MAX_TOTAL {
            let accepted = format!("at most {MAX_TOTAL} measurements");
            return Err(ParameterError::new("submitted", submitted, accepted));
        }
        if let Some(batch) = self.compensation.filter(|batch| batch.reports != reports) {
            let accepted = format!("{}, on which compensation depends", batch.reports);
            return Err(ParameterError::new("reports", reports, accepted));
        }
        if reports > submitted || self.dropping.is_none() && reports != submitted {
            let most = self.dropping.map_or("", |_| "at most ");
            let accepted = format!("{most}{submitted}, as many as there are measurements");
            return Err(ParameterError::new("reports", reports, accepted));
        }
        let totals = self.query.totals();
        if truths.len() != totals {
            let accepted = format!("{totals}, as many as the aggregate has");
            return Err(ParameterError::new("totals", truths.len(), accepted));
        }
        let most = self.query.max_entry().saturating_mul(submitted.into()).min(MAX_TOTAL.into());
        let is_within = |truth: &i64| u128::try_from(*truth).is_ok_and(|truth| truth <= most);
        if let Some(truth) = truths.iter().find(|truth| !is_within(truth)) {
            let accepted = format!("a total from 0 to {most}, of {submitted} measurements");
            return Err(ParameterError::new("truth", truth, accepted));
        }
        let sum: i128 = truths.iter().map(|truth| i128::from(*truth)).sum();
        // What one measurement adds to all totals, at least and at most.
        let (least_of_one, most_of_one) = match self.query {
            Query::Histogram { .. } | Query::HistogramRanges { .. } => (1, 1),
            Query::MultihotCountVec { max_weight, .. } => (0, max_weight as u128),
            Query::L1BoundSum { max_measurement, .. } => (0, max_measurement),
            _ => (0, u128::MAX),
        };
        let [least_sum, most_sum] =
            [least_of_one, most_of_one].map(|one: u128| one.saturating_mul(submitted.into()));
        if !u128::try_from(sum).is_ok_and(|sum| (least_sum..=most_sum).contains(&sum)) {
            let accepted = match least_sum == most_sum {
                true => format!("{most_sum}, one of each measurement"),
                false => format!("at most {most_sum}, of {submitted} measurements"),
            };
            return Err(ParameterError::new("sum of the truths", sum, accepted));
        }
        if released.len() != totals {
            let accepted = format!("{totals} values, as many as there are truths");
            return Err(ParameterError::new("released", released.len(), accepted));
        }
        match released.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(ParameterError::new("released", value, "numbers")),
            None => Ok(()),
        }
    }

    /// The distribution of a total in which each draw of all aggregators together is `noise`;
    /// `None` is no noise.
    pub(super) fn distribution(
        &self,
        input: TotalInput,
        noise: Option<&Pmf>,
    ) -> Result<Pmf, Error> {
        let reports = match self.clients {
            None => Pmf::point(input.truth),
            Some(flips) => self.randomized(input, flips)?,
        };
        noise.map_or(Ok(reports.clone()), |noise| reports.plus(&noise.times(input.draws)?))
    }

    /// The distribution of the sum of randomized bits over the reports that are sent, given their
    /// number; without what aggregators add. `Err` if `input` has too many bits, or more ones than
    /// measurements.
    fn randomized(&self, input: TotalInput, flips: FlipProbabilities) -> Result<Pmf, Error> {
        let TotalInput { reports, submitted, truth, .. } = input;
        if submitted > MAX_BITS {
            let accepted = format!("at most {MAX_BITS}, where clients randomize bits");
            return Err(ParameterError::new("reports", submitted, accepted).into());
        }
        let ones = u64::try_from(truth).ok().filter(|ones| *ones <= submitted);
        let ones = ones.ok_or_else(|| {
            let accepted = "a count of at most the measurements, where clients randomize bits";
            ParameterError::new("truth", truth, accepted)
        })?;
        let of_sent = self.dropping.map(|dropping| dropping.flips_of_sent(flips)).transpose()?;
        let flips = of_sent.unwrap_or(flips);
        let with_ones = |ones: u64| {
            Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(reports - ones, flips.gained))
        };
        let sent = hypergeometric(reports, ones, submitted);
        let parts = sent.into_iter().map(|(ones, probability)| Ok((probability, with_ones(ones)?)));
        Ok(Pmf::mixture(&parts.collect::<Result<Vec<_>, Error>>()?))
    }

    /// ln of the probability that `input.reports` of the submitted measurements are reported; 0
    /// where no report is dropped.
    pub(super) fn ln_reported(&self, input: TotalInput) -> Result<f64, Error> {
        let (Some(dropping), Some(flips)) = (self.dropping, self.clients) else {
            return Ok(0.0);
        };
        Ok(ln_probability(input.reports, input.submitted, dropping.rate(flips)?))
    }

    /// The distribution of what one aggregator adds to a total; `None` for nothing.
    pub(super) fn draw(&self) -> Result<Option<Pmf>, Error> {
        match (self.compensation, self.clients) {
            (Some(batch), Some(flips)) => {
                Ok((batch.zeros > 0).then(|| Pmf::binomial(batch.zeros, flips.gained)))
            }
            _ => match (&self.k_norm, &self.noise) {
                (Some(k_norm), _) => k_norm.total(&Rational::from(1_u64)).map(Some),
                (None, noise) => noise.as_ref().map(Pmf::noise).transpose(),
            },
        }
    }

    /// Whether estimates are means of measurements, not totals.
    pub(super) fn is_mean(&self) -> bool {
        matches!(self.query, Query::Average { .. })
    }

    /// Number of randomized bits in a total: one of each report, and the zeros that all aggregators
    /// add.
    fn bits(&self, input: TotalInput) -> u64 {
        let added = self.compensation.map_or(0, |batch| batch.zeros);
        input.reports + u64::from(self.aggregators) * added
    }

    /// What a corrected total is divided by: the number of reports, at least 1, for a mean; else 1.
    fn divisor(&self, input: TotalInput) -> f64 {
        if self.is_mean() { float(input.reports.max(1)) } else { 1.0 }
    }

    /// The estimate for a total: corrected for flipped bits, and divided by the reports for a mean.
    pub(super) fn estimate(&self, input: TotalInput, total: i64) -> f64 {
        let flips = self.estimated_by;
        let ones = signed(total) - flips.gained * float(self.bits(input));
        ones / (flips.kept - flips.gained) / self.divisor(input)
    }

    /// The total whose estimate is `estimate`, if that was corrected for `more` bits more than
    /// there are: close to an integer if the estimate was made in this way.
    pub(super) fn total(&self, input: TotalInput, estimate: f64, more: i64) -> f64 {
        let flips = self.estimated_by;
        let gained = flips.gained * (float(self.bits(input)) + signed(more));
        estimate * self.divisor(input) * (flips.kept - flips.gained) + gained
    }
}
