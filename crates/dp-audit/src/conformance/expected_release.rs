//! The exact distribution of every total that a sound deployment releases, and its estimate.

use dp_calibration::strategy_matrix::StrategyMatrix;
use dp_calibration::{NoiseDistribution, Query, VectorNoise};
use dp_exact::{ParameterError, Rational};
use dp_prio3::{AggregatorNoise, ClientNoise, Policy};
use dp_task::Task;

use super::Collected;
use super::k_norm::KNorm;
use super::pmf::Pmf;
use super::task_terms::AdmittedTerms;
use crate::Error;
use crate::binomial::{float, nearest_integer, signed};
use crate::error::untestable;

/// Largest rate of dropped reports: it does not show in any number of collections.
const NEGLIGIBLE: f64 = 1e-9;

/// The standard deviation of one aggregator's wide noise, in steps to which totals are rounded.
const STEPS: u32 = 64;

/// Least parameter σ² of discrete Gaussian noise behind a strategy matrix whose totals are rounded.
const WIDE: i64 = 1 << 20;

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
/// and its estimate is (total − b·n)/(a − b), divided by n for a mean.
#[derive(Clone, Debug)]
pub struct ExpectedRelease {
    pub(super) query: Query,
    pub(super) aggregators: u32,
    /// The distribution of one aggregator's noise.
    pub(super) noise: Option<NoiseDistribution>,
    /// The noise of one aggregator in all totals, if that is K-norm noise.
    pub(super) k_norm: Option<KNorm>,
    pub(super) clients: Option<FlipProbabilities>,
    /// Whether the totals of a collection are independent of each other.
    pub(super) is_independent: bool,
    /// The strategy matrix of a histogram, and the step to whose multiples the noise of its totals
    /// is rounded: `noise` is in these steps.
    pub(super) matrix: Option<(StrategyMatrix, f64)>,
    /// The fields of the policy or of its task that a deployment has to keep.
    pub(super) terms: AdmittedTerms,
}

/// The probabilities that a bit of a report is 1 if the measured bit is 1, and if it is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlipProbabilities {
    pub(super) kept: f64,
    pub(super) gained: f64,
}

/// The probabilities of bits that are never flipped.
const NEVER_FLIPPED: FlipProbabilities = FlipProbabilities { kept: 1.0, gained: 0.0 };

/// What decides a total's distribution: numbers of reports and of draws, and the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TotalInput {
    pub(super) reports: u64,
    pub(super) truth: i64,
    /// Number of draws of each aggregator that the total adds up: more than 1 for a sum of totals.
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
        let input = TotalInput { reports: 0, truth: 0, draws };
        Self { input, value: self.value.and_then(|value| value.checked_sub(truth)), ..self }
    }
}

impl ExpectedRelease {
    /// The releases of a policy. A probability of drops up to 10^−9 is taken to be 0.
    ///
    /// # Errors
    /// If the policy has no noise at all, K-norm noise of more than two aggregators, or
    /// compensation; if clients drop reports.
    pub fn of(policy: &Policy) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let refused = |accepted| Err(untestable("policy", policy.name(), accepted));
        let parts = policy.parts();
        if let Some(
            ClientNoise::SymmetricRappor { false_positive_rate: rate, .. }
            | ClientNoise::OneHotRappor { false_positive_rate: rate, .. }
            | ClientNoise::BasicRappor { false_positive_rate: rate, .. },
        ) = &parts.client_noise
            && policy.max_weight() < policy.query().totals()
            && rate.to_f64() > NEGLIGIBLE
        {
            return refused(
                "one whose clients send every report: a false_positive_rate up to 1e-9",
            );
        }
        if let Some(AggregatorNoise::Compensation { .. }) = parts.aggregator_noise {
            return refused("one whose noise does not depend on the number of reports");
        }
        let (noise, k_norm) = match policy.mechanism().map(|noise| noise.distribution()) {
            None => (None, None),
            Some(VectorNoise::Independent(distribution)) => (Some(distribution.clone()), None),
            Some(VectorNoise::DiscreteKNorm { .. }) if aggregators != 2 => {
                return refused(
                    "K-norm noise of two aggregators, as by a task that has two of them",
                );
            }
            Some(VectorNoise::DiscreteKNorm { scale, length }) => {
                (None, Some(KNorm { scale: scale.clone(), length: *length }))
            }
        };
        let total = policy.noisy_total(1);
        let answers = total.as_ref().and_then(|total| total.answers());
        let clients = answers.map(|one| FlipProbabilities { kept: one.held, gained: one.other });
        if clients.is_none() && noise.is_none() && k_norm.is_none() {
            let accepted = "one whose clients or aggregators add noise";
            return Err(ParameterError::new("policy", policy.name(), accepted).into());
        }
        let is_answer =
            matches!(parts.client_noise, Some(ClientNoise::KaryRandomizedResponse { .. }));
        let matrix = policy.query().strategy_matrix();
        let (step, noise) = match noise {
            Some(noise) if matrix.is_some() => in_steps(noise, aggregators)?,
            noise => (1.0, noise),
        };
        Ok(Self {
            query: policy.query().clone(),
            aggregators,
            noise,
            clients,
            is_independent: k_norm.is_none() && !is_answer,
            k_norm,
            matrix: matrix.map(|matrix| (matrix, step)),
            terms: AdmittedTerms::of(policy),
        })
    }

    /// The releases of a task's policy, as of [`Self::of`], by parties who keep the fields of the
    /// task on which its guarantees rest.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_task(task: &Task) -> Result<Self, Error> {
        Ok(Self { terms: AdmittedTerms::of_task(task), ..Self::of(task.policy())? })
    }

    /// The numbers of a collection that are tested: its totals or, behind a strategy matrix, the
    /// noise of its totals in steps.
    pub(super) fn totals(&self, collected: &Collected) -> Vec<ReleasedTotal> {
        let total = |truth, released| {
            let input = TotalInput { reports: collected.reports, truth, draws: 1 };
            let value = nearest_integer(self.total(input, released, 0));
            ReleasedTotal { input, released, value }
        };
        if let Some((matrix, step)) = &self.matrix {
            let truths: Vec<i128> = collected.truths.iter().copied().map(i128::from).collect();
            let totals = matrix.multiply(&truths).into_iter().zip(&collected.released);
            let noise = totals.map(|(truth, released)| {
                let truth = i64::try_from(truth).map_or(f64::INFINITY, signed);
                ((released - truth) / step).round()
            });
            return noise.map(|noise| total(0, noise)).collect();
        }
        let totals = collected.truths.iter().zip(&collected.released);
        totals.map(|(truth, released)| total(*truth, *released)).collect()
    }

    /// Checks that a collection can be of the query and its measurements.
    pub(super) fn check(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected { reports, ref truths, ref released, ref stated, .. } = *collected;
        if stated.reports_of_a_person == Some(0) {
            let accepted = "at least 1, or nothing where it is not known";
            return Err(ParameterError::new("reports_of_a_person", 0, accepted));
        }
        if let Some(digest) = &stated.digest
            && (digest.len() != 64 || !digest.bytes().all(|digit| digit.is_ascii_hexdigit()))
        {
            return Err(ParameterError::new("digest", digest, "64 hexadecimal digits"));
        }
        if reports > MAX_TOTAL {
            let accepted = format!("at most {MAX_TOTAL}");
            return Err(ParameterError::new("reports", reports, accepted));
        }
        let totals = self.query.totals();
        if truths.len() != totals {
            let accepted = format!("{totals}, as many as the aggregate has");
            return Err(ParameterError::new("totals", truths.len(), accepted));
        }
        let most = self.query.max_entry().saturating_mul(reports.into()).min(MAX_TOTAL.into());
        let is_within = |truth: &i64| u128::try_from(*truth).is_ok_and(|truth| truth <= most);
        if let Some(truth) = truths.iter().find(|truth| !is_within(truth)) {
            let accepted = format!("a total from 0 to {most}, as reports is {reports}");
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
            [least_of_one, most_of_one].map(|one: u128| one.saturating_mul(reports.into()));
        if !u128::try_from(sum).is_ok_and(|sum| (least_sum..=most_sum).contains(&sum)) {
            let accepted = match least_sum == most_sum {
                true => format!("{most_sum}, one of each measurement"),
                false => format!("at most {most_sum}, as reports is {reports}"),
            };
            return Err(ParameterError::new("sum of the truths", sum, accepted));
        }
        if released.len() != totals {
            let accepted = format!("{totals}, one for each truth");
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
            Some(flips) => randomized(input, flips)?,
        };
        noise.map_or(Ok(reports.clone()), |noise| reports.plus(&noise.times(input.draws)?))
    }

    /// The distribution of what one aggregator adds to a total; `None` for nothing.
    pub(super) fn draw(&self) -> Result<Option<Pmf>, Error> {
        match &self.k_norm {
            Some(k_norm) => k_norm.total(&Rational::from(1_u64)).map(Some),
            None => self.noise.as_ref().map(Pmf::noise).transpose(),
        }
    }

    /// Whether estimates are means of measurements, not totals.
    pub(super) fn is_mean(&self) -> bool {
        matches!(self.query, Query::Average { .. })
    }

    /// What a corrected total is divided by: the number of reports, at least 1, for a mean; else 1.
    fn divisor(&self, input: TotalInput) -> f64 {
        if self.is_mean() { float(input.reports.max(1)) } else { 1.0 }
    }

    /// The estimate for a total: corrected for flipped bits, and divided by the reports for a mean.
    pub(super) fn estimate(&self, input: TotalInput, total: i64) -> f64 {
        let flips = self.clients.unwrap_or(NEVER_FLIPPED);
        let ones = signed(total) - flips.gained * float(input.reports);
        ones / (flips.kept - flips.gained) / self.divisor(input)
    }

    /// The total whose estimate is `estimate`, if that was corrected for `more` bits more than
    /// there are: close to an integer if the estimate was made in this way.
    pub(super) fn total(&self, input: TotalInput, estimate: f64, more: i64) -> f64 {
        let flips = self.clients.unwrap_or(NEVER_FLIPPED);
        let gained = flips.gained * (float(input.reports) + signed(more));
        estimate * self.divisor(input) * (flips.kept - flips.gained) + gained
    }
}

/// The step to whose multiples noise of all aggregators is rounded, 1 but for wide Gaussian noise,
/// and the noise of one aggregator in these steps.
///
/// A step is an odd integer s, so that each multiple takes s integers. The sum of k draws of
/// variance σ², rounded, has the variance (kσ² + (s² − 1)/12)/s², and the probabilities of discrete
/// Gaussian noise of this variance to within 10⁻⁷ of them, as the fourth cumulant of what rounding
/// adds is −s⁴/120.
fn in_steps(
    noise: NoiseDistribution,
    aggregators: u32,
) -> Result<(f64, Option<NoiseDistribution>), Error> {
    let variance = match &noise {
        NoiseDistribution::DiscreteGaussian { variance } if *variance >= WIDE => variance,
        _ => return Ok((1.0, Some(noise))),
    };
    let half = (variance.to_f64().sqrt() / f64::from(2 * STEPS)).floor();
    let step = 2.0 * half + 1.0;
    let shrunk = Rational::from_f64(step * step)?.reciprocal().expect("a step is at least 1");
    let rounding = &(&Rational::one() - &shrunk) * &Rational::new(1, 12 * aggregators)?;
    let variance = variance * &shrunk + rounding;
    Ok((step, Some(NoiseDistribution::DiscreteGaussian { variance })))
}

/// The distribution of the sum of randomized bits over all reports. `Err` if `input` has too many
/// reports, or more ones than reports.
fn randomized(input: TotalInput, flips: FlipProbabilities) -> Result<Pmf, Error> {
    let TotalInput { reports, truth, .. } = input;
    if reports > MAX_BITS {
        let accepted = format!("at most {MAX_BITS}, where clients randomize bits");
        return Err(ParameterError::new("reports", reports, accepted).into());
    }
    let ones = u64::try_from(truth).ok().filter(|ones| *ones <= reports);
    let ones = ones.ok_or_else(|| {
        let accepted = "a count of at most the reports, where clients randomize bits";
        ParameterError::new("truth", truth, accepted)
    })?;
    Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(reports - ones, flips.gained))
}
