//! What a sound deployment releases: the exact distribution of every total, and its estimate.

use dp_calibration::strategy_matrix::StrategyMatrix;
use dp_calibration::{Mechanism, NoiseDistribution, Query, Randomizer};
use dp_exact::{Epsilon, Interval, ParameterError, Rational};
use dp_prio3::PolicyDescription;

use super::Collected;
use super::dropped_reports::{Dropping, hypergeometric, ln_sent};
use super::matrix_coordinates::{Coordinate, MatrixCoordinates};
use super::pmf::{Pmf, signed};
use crate::Error;
use crate::confidence::float;

/// Bits of precision of the enclosures of probabilities.
const PRECISION: u32 = 64;

/// Largest number of randomized bits in a total: the table of the total has as many outcomes.
const MAX_BITS: u64 = 1 << 22;

/// Largest number of measurements and largest true total. Doubles of such numbers, and of their
/// sums with noise, are exact.
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
    pub(super) noise: Option<AggregatorDraw>,
    pub(super) clients: Option<FlipProbabilities>,
    /// Whether the totals of a collection are independent of each other.
    pub(super) is_independent: bool,
    pub(super) compensation: Option<CompensatedBatch>,
    pub(super) dropping: Option<Dropping>,
    /// The map to independent coordinates of a histogram behind a strategy matrix; `None` without a
    /// matrix.
    pub(super) matrix: Option<MatrixCoordinates>,
}

/// The noise that one aggregator adds to a total.
#[derive(Clone, Debug)]
pub(super) enum AggregatorDraw {
    /// Noise that is symmetric about 0.
    Symmetric(NoiseDistribution),
    /// The number of ones among `trials` randomized zeros, each 1 with this probability:
    /// compensation.
    Binomial { trials: u64, probability: f64 },
}

/// A batch that compensation fills up with randomized zeros. Only batches of `reports` reports have
/// the computed distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct CompensatedBatch {
    pub(super) reports: u64,
    /// Number of zeros that each aggregator adds.
    pub(super) zeros: u64,
}

/// The probabilities that a bit of a report is 1: `kept` if the measured bit is 1, `gained` if the
/// measured bit is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlipProbabilities {
    pub(super) kept: f64,
    pub(super) gained: f64,
}

/// The inputs of a total's distribution: the reports, the submitted measurements and their total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TotalInput {
    pub(super) reports: u64,
    pub(super) submitted: u64,
    pub(super) truth: i64,
    /// The number of draws of each aggregator that the total adds up: 1 except behind a strategy
    /// matrix.
    pub(super) draws: u32,
}

impl ExpectedRelease {
    /// The releases of a policy for batches of `reports` reports, on which only compensation
    /// depends: batches of another size are refused then.
    ///
    /// # Errors
    /// If the distribution of its mechanism is not known here, or a batch lacks too many clients
    /// for tables. Where reports are dropped for their weight, every measurement has the largest
    /// weight that the policy admits; a probability of drops below 10^−9 is taken to be 0.
    pub fn of(policy: &(impl PolicyDescription + ?Sized), reports: u64) -> Result<Self, Error> {
        if let (Some(honest), Some(clients)) =
            (target_honest_clients(policy), policy.client_randomization())
        {
            return Self::compensated(policy, reports, honest, &clients);
        }
        let (noise, clients) = match policy.recorded_mechanism() {
            Mechanism::Aggregators(noise) => (Some(noise.distribution), None),
            Mechanism::Clients(clients) => (None, Some(clients)),
            Mechanism::Both { clients, aggregators } => {
                (Some(aggregators.distribution), Some(clients))
            }
            other => {
                if let Some(expected) = Self::behind_matrix(policy)? {
                    return Ok(expected);
                }
                let accepted =
                    "noise of aggregators or randomization of clients whose distribution is known";
                let other = match other {
                    Mechanism::Other(name) => name,
                    _ => "of another kind".to_owned(),
                };
                return Err(ParameterError::new("mechanism", other, accepted).into());
            }
        };
        Self::with(policy, noise.map(AggregatorDraw::Symmetric), clients.as_ref())
    }

    /// The releases of a policy with a strategy matrix; `None` without one.
    fn behind_matrix(policy: &(impl PolicyDescription + ?Sized)) -> Result<Option<Self>, Error> {
        let Some((matrix, noise)) = noise_behind_matrix(policy)? else {
            return Ok(None);
        };
        let expected = Self::with(policy, None, None)?;
        let (matrix, noise) = MatrixCoordinates::new(matrix, noise, expected.aggregators)?;
        let noise = Some(AggregatorDraw::Symmetric(noise));
        Ok(Some(Self { noise, matrix: Some(matrix), ..expected }))
    }

    /// The coordinates of a collection that are tested: its totals, except behind a strategy matrix.
    pub(super) fn coordinates(&self, collected: &Collected) -> Vec<Coordinate> {
        if let Some(matrix) = &self.matrix {
            return matrix.of(collected);
        }
        let totals = collected.truths.iter().zip(&collected.released);
        totals.map(|(&truth, &released)| Coordinate { truth, released, draws: 1 }).collect()
    }

    fn with(
        policy: &(impl PolicyDescription + ?Sized),
        noise: Option<AggregatorDraw>,
        clients: Option<&Randomizer>,
    ) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let is_answer = matches!(clients, Some(Randomizer::KaryRandomizedResponse { .. }));
        let flips = clients.map(FlipProbabilities::of).transpose()?;
        let dropping = match (clients.and_then(Dropping::of), flips) {
            (Some(dropping), Some(flips)) => dropping.unless_negligible(flips)?,
            _ => None,
        };
        Ok(Self {
            query: policy.query(),
            aggregators,
            noise,
            clients: flips,
            is_independent: !is_answer && dropping.is_none(),
            compensation: None,
            dropping,
            matrix: None,
        })
    }

    /// The releases of a policy whose aggregators fill batches up to `honest` honest clients.
    fn compensated(
        policy: &(impl PolicyDescription + ?Sized),
        reports: u64,
        honest: u64,
        clients: &Randomizer,
    ) -> Result<Self, Error> {
        // max(0, H − (n − f))
        let zeros = honest.saturating_sub(reports.saturating_sub(policy.assumed_malicious()));
        if zeros > MAX_BITS {
            let accepted = format!("a batch that lacks at most {MAX_BITS} clients");
            return Err(ParameterError::new("reports", reports, accepted).into());
        }
        let probability = FlipProbabilities::of(clients)?.gained;
        let noise = (zeros > 0).then_some(AggregatorDraw::Binomial { trials: zeros, probability });
        Ok(Self {
            compensation: Some(CompensatedBatch { reports, zeros }),
            ..Self::with(policy, noise, Some(clients))?
        })
    }

    /// Checks that a collection has the totals of the query, and that its measurements can have
    /// them.
    pub(super) fn check(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected { reports, submitted, ref truths, ref released, .. } = *collected;
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
        if released.len() != totals {
            let accepted = format!("{totals} values, as many as there are truths");
            return Err(ParameterError::new("released", released.len(), accepted));
        }
        match released.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(ParameterError::new("released", value, "numbers")),
            None => Ok(()),
        }
    }

    /// The distribution of a total with the `noise` of all aggregators; `None` is no noise. Clients
    /// flip bits with the probabilities `clients`, and send vectors with up to `heavier` more ones
    /// than they should.
    pub(super) fn distribution(
        &self,
        input: TotalInput,
        clients: Option<FlipProbabilities>,
        heavier: i64,
        noise: Option<&Pmf>,
    ) -> Result<Pmf, Error> {
        let reports = match clients {
            None => Pmf::point(input.truth),
            Some(flips) => self.randomized(input, flips, heavier)?,
        };
        match noise {
            None => Ok(reports),
            Some(noise) if clients.is_none() => Ok(noise.clone().shifted(input.truth)),
            Some(noise) => reports.plus(noise),
        }
    }

    /// The distribution of the sum of the reports' randomized bits.
    fn randomized(
        &self,
        input: TotalInput,
        flips: FlipProbabilities,
        heavier: i64,
    ) -> Result<Pmf, Error> {
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
        let flips = match self.dropping {
            Some(dropping) => dropping.heavier(heavier).flips_of_sent(flips)?,
            None => flips,
        };
        let with_ones = |ones: u64| {
            let zeros = reports.saturating_sub(ones);
            Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(zeros, flips.gained))
        };
        let sent = hypergeometric(reports, ones, submitted);
        let parts = sent.into_iter().map(|(ones, probability)| Ok((probability, with_ones(ones)?)));
        Ok(Pmf::mixture(parts.collect::<Result<_, Error>>()?))
    }

    /// The natural logarithm of the probability that `input.reports` of the submitted measurements
    /// are reported; 0 where no report is dropped.
    pub(super) fn ln_reported(
        &self,
        input: TotalInput,
        clients: Option<FlipProbabilities>,
        heavier: i64,
    ) -> Result<f64, Error> {
        match (self.dropping, clients) {
            (Some(dropping), Some(flips)) => {
                let rate = dropping.heavier(heavier).rate(flips)?;
                Ok(ln_sent(input.reports, input.submitted, rate))
            }
            _ => Ok(0.0),
        }
    }

    pub(super) fn is_mean(&self) -> bool {
        matches!(self.query, Query::Average { .. })
    }

    /// Number of randomized bits in a total.
    fn bits(&self, input: TotalInput) -> u64 {
        let added = self.compensation.map_or(0, |batch| batch.zeros);
        input.reports + u64::from(self.aggregators) * added
    }

    fn divisor(&self, input: TotalInput) -> f64 {
        if self.is_mean() { float(input.reports.max(1)) } else { 1.0 }
    }

    /// The estimate for a total: corrected for flipped bits, and divided by the reports for a mean.
    pub(super) fn estimate(&self, input: TotalInput, total: i64) -> f64 {
        let flips = self.clients.unwrap_or(FlipProbabilities::NONE);
        let ones = signed(total) - flips.gained * float(self.bits(input));
        ones / (flips.kept - flips.gained) / self.divisor(input)
    }

    /// The total whose estimate is `estimate`, if that was corrected for `more` bits more than
    /// there are. The total is close to an integer if the estimate was made in this way.
    pub(super) fn total(&self, input: TotalInput, estimate: f64, more: i64) -> f64 {
        let flips = self.clients.unwrap_or(FlipProbabilities::NONE);
        let gained = flips.gained * (float(self.bits(input)) + signed(more));
        estimate * self.divisor(input) * (flips.kept - flips.gained) + gained
    }
}

impl AggregatorDraw {
    pub(super) fn pmf(&self) -> Result<Pmf, Error> {
        match self {
            Self::Symmetric(noise) => Pmf::noise(noise),
            Self::Binomial { trials, probability } => Ok(Pmf::binomial(*trials, *probability)),
        }
    }
}

/// The strategy matrix of a policy with the noise of one aggregator, from the policy's parameters; `None` without a matrix.
pub(crate) fn noise_behind_matrix(
    policy: &(impl PolicyDescription + ?Sized),
) -> Result<Option<(StrategyMatrix, NoiseDistribution)>, Error> {
    let Some(matrix) = policy.query().strategy_matrix() else {
        return Ok(None);
    };
    let parameters = policy.parameters();
    let parameter = |of: &str| {
        let found = parameters.iter().find(|(name, _)| *name == of);
        found.map(|(_, value)| value.parse::<Rational>()).transpose()
    };
    let noise = match (parameter("scale")?, parameter("variance")?) {
        (Some(scale), None) => NoiseDistribution::DiscreteLaplace { scale },
        (None, Some(variance)) => NoiseDistribution::DiscreteGaussian { variance },
        _ => {
            let accepted = "one with a scale or a variance";
            return Err(ParameterError::new("policy", policy.name(), accepted).into());
        }
    };
    Ok(Some((matrix, noise)))
}

/// The number of honest clients up to which compensation fills a batch; `None` without
/// compensation.
fn target_honest_clients(policy: &(impl PolicyDescription + ?Sized)) -> Option<u64> {
    let mut parameters = policy.parameters().into_iter();
    let (_, honest) = parameters.find(|(name, _)| *name == "target_honest_clients")?;
    honest.parse().ok()
}

impl FlipProbabilities {
    /// The probabilities of bits that are never flipped.
    pub(super) const NONE: Self = Self { kept: 1.0, gained: 0.0 };

    fn of(randomizer: &Randomizer) -> Result<Self, ParameterError> {
        match randomizer {
            Randomizer::CoinFlip {} => Ok(Self::symmetric(0.25)),
            Randomizer::RandomizedResponse { epsilon }
            | Randomizer::SymmetricRappor { epsilon0: epsilon, .. } => {
                Ok(Self::symmetric(odds(epsilon, 1)))
            }
            Randomizer::KaryRandomizedResponse { answers, epsilon } => {
                let gained = odds(epsilon, answers.saturating_sub(1));
                let kept = 1.0 - float(answers.saturating_sub(1)) * gained;
                Ok(Self { kept, gained })
            }
            _ => {
                let accepted = "one whose distribution is known";
                Err(ParameterError::new("randomizer", "of another kind", accepted))
            }
        }
    }

    pub(super) const fn symmetric(flipped: f64) -> Self {
        Self { kept: 1.0 - flipped, gained: flipped }
    }
}

/// 1/(e^ε + k) for k = `others`, as the middle of an enclosure: no bound.
fn odds(epsilon: &Epsilon, others: u64) -> f64 {
    let one = Interval::integer(1, PRECISION);
    let power = Interval::rational(epsilon.value(), PRECISION).exp();
    let odds =
        power.and_then(|power| one.checked_div(&(&power + &Interval::integer(others, PRECISION))));
    odds.map_or(0.0, |odds| odds.midpoint())
}
