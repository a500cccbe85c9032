//! What a sound deployment releases: the exact distribution of every total, and its estimate.

use dp_calibration::{Mechanism, NoiseDistribution, Query, Randomizer};
use dp_exact::{Epsilon, Interval, ParameterError};
use dp_prio3::PolicyDescription;

use super::Collected;
use super::pmf::{Pmf, signed};
use crate::Error;
use crate::confidence::float;

/// Bits of precision of the enclosures of probabilities.
const PRECISION: u32 = 64;

/// Largest number of randomized bits in a total: the table of the total has as many outcomes.
const MAX_BITS: u64 = 1 << 22;

/// The largest probability of a dropped report that is taken to be 0.
const NEGLIGIBLE: f64 = 1e-9;

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
/// and its estimate is (total − b·n)/(a − b), divided by n for a mean.
#[derive(Clone, Debug)]
pub struct ExpectedRelease {
    pub(super) query: Query,
    pub(super) aggregators: u32,
    /// The noise that one aggregator adds to a total; it is symmetric about 0.
    pub(super) noise: Option<NoiseDistribution>,
    pub(super) clients: Option<FlipProbabilities>,
    /// Whether the totals of a collection are independent of each other.
    pub(super) is_independent: bool,
}

/// The probabilities that a bit of a report is 1: `kept` if the measured bit is 1, `gained` if the
/// measured bit is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlipProbabilities {
    pub(super) kept: f64,
    pub(super) gained: f64,
}

/// The inputs of a total's distribution: the reports and their total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct TotalInput {
    pub(super) reports: u64,
    pub(super) truth: i64,
}

impl ExpectedRelease {
    /// The releases of a policy.
    ///
    /// # Errors
    /// If the distribution of its mechanism is not known here, as with compensation or behind a strategy matrix, or clients drop
    /// more than one heavy report in 10^9.
    pub fn of(policy: &(impl PolicyDescription + ?Sized)) -> Result<Self, Error> {
        match policy.recorded_mechanism() {
            Mechanism::Aggregators(noise) => Self::with(policy, Some(noise.distribution), None),
            Mechanism::Clients(clients) => Self::with(policy, None, Some(&clients)),
            Mechanism::Both { clients, aggregators } => {
                Self::with(policy, Some(aggregators.distribution), Some(&clients))
            }
            _ => {
                let accepted =
                    "one with noise of aggregators or clients whose distribution is known";
                Err(ParameterError::new("policy", policy.name(), accepted).into())
            }
        }
    }

    fn with(
        policy: &(impl PolicyDescription + ?Sized),
        noise: Option<NoiseDistribution>,
        clients: Option<&Randomizer>,
    ) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let is_answer = matches!(clients, Some(Randomizer::KaryRandomizedResponse { .. }));
        let flips = clients.map(FlipProbabilities::of).transpose()?;
        if let (Some(clients), Some(flips)) = (clients, flips) {
            check_drops(clients, flips)?;
        }
        Ok(Self {
            query: policy.query(),
            aggregators,
            noise,
            clients: flips,
            is_independent: !is_answer,
        })
    }

    /// Checks that a collection has the totals of the query, and that its measurements can have
    /// them.
    pub(super) fn check(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected { reports, ref truths, ref released, .. } = *collected;
        if reports > MAX_TOTAL {
            let accepted = format!("at most {MAX_TOTAL} measurements");
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
            let accepted = format!("a total from 0 to {most}, of {reports} measurements");
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
    /// flip bits with the probabilities `clients`.
    pub(super) fn distribution(
        &self,
        input: TotalInput,
        clients: Option<FlipProbabilities>,
        noise: Option<&Pmf>,
    ) -> Result<Pmf, Error> {
        let reports = match clients {
            None => Pmf::point(input.truth),
            Some(flips) => randomized(input, flips)?,
        };
        match noise {
            None => Ok(reports),
            Some(noise) if clients.is_none() => Ok(noise.clone().shifted(input.truth)),
            Some(noise) => reports.plus(noise),
        }
    }

    pub(super) fn is_mean(&self) -> bool {
        matches!(self.query, Query::Average { .. })
    }

    fn divisor(&self, input: TotalInput) -> f64 {
        if self.is_mean() { float(input.reports.max(1)) } else { 1.0 }
    }

    /// The estimate for a total: corrected for flipped bits, and divided by the reports for a mean.
    pub(super) fn estimate(&self, input: TotalInput, total: i64) -> f64 {
        let flips = self.clients.unwrap_or(FlipProbabilities::NONE);
        let ones = signed(total) - flips.gained * float(input.reports);
        ones / (flips.kept - flips.gained) / self.divisor(input)
    }

    /// The total whose estimate is `estimate`, if that was corrected for `more` bits more than
    /// there are. The total is close to an integer if the estimate was made in this way.
    pub(super) fn total(&self, input: TotalInput, estimate: f64, more: i64) -> f64 {
        let flips = self.clients.unwrap_or(FlipProbabilities::NONE);
        let gained = flips.gained * (float(input.reports) + signed(more));
        estimate * self.divisor(input) * (flips.kept - flips.gained) + gained
    }
}

/// The distribution of the sum of the reports' randomized bits.
fn randomized(input: TotalInput, flips: FlipProbabilities) -> Result<Pmf, Error> {
    let TotalInput { reports, truth, .. } = input;
    if reports > MAX_BITS {
        let accepted = format!("at most {MAX_BITS}, where clients randomize bits");
        return Err(ParameterError::new("reports", reports, accepted).into());
    }
    let ones = u64::try_from(truth).ok().filter(|ones| *ones <= reports);
    let ones = ones.ok_or_else(|| {
        let accepted = "a count of at most the measurements, where clients randomize bits";
        ParameterError::new("truth", truth, accepted)
    })?;
    Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(reports - ones, flips.gained))
}

/// Refuses clients that drop a report, because its randomized vector has too many ones, with a
/// probability that shows.
fn check_drops(clients: &Randomizer, flips: FlipProbabilities) -> Result<(), Error> {
    let Randomizer::SymmetricRappor { length, input_weight, sent_weight, .. } = *clients else {
        return Ok(());
    };
    let zeros = length.saturating_sub(input_weight);
    let weight =
        Pmf::binomial(input_weight, flips.kept).plus(&Pmf::binomial(zeros, flips.gained))?;
    let heavy = weight.outcomes().filter(|(weight, _)| weight.cast_unsigned() > sent_weight);
    let dropped: f64 = heavy.map(|(_, probability)| probability).sum();
    if dropped <= NEGLIGIBLE {
        return Ok(());
    }
    let accepted = "one so small that clients drop at most one report in 10^9";
    Err(ParameterError::new("false_positive_rate", dropped, accepted).into())
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
