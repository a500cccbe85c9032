//! What a deployment should release: the exact law of every total, and the estimate that is made of it.

use dp_calibration::{Mechanism, NoiseDistribution, Query, Randomizer};
use dp_exact::{Epsilon, Interval, ParameterError, Rational};
use dp_prio3::{ClientRandomization, DpPolicy, PolicyDescription};
use dp_task::{FromMeasurement, PolicyVisitor, Task};

use super::Collected;
use super::dropping::{Dropping, hypergeometric, ln_sent};
use super::pmf::{Pmf, signed};
use crate::Error;
use crate::confidence::float;

/// Bits of the probabilities' enclosures.
const PRECISION: u32 = 64;

/// The most randomized bits of a total, whose law has as many outcomes.
const MOST_BITS: u64 = 1 << 22;

/// The largest number of measurements and the largest true total: those whose doubles, and their sums with noise, are exact.
const MOST: u64 = 1_000_000_000_000_000;

/// The law of what a deployment releases, as it follows from the mechanism alone.
///
/// A total of n reports, T of which have the bit or value in question, is
///
/// ```text
/// Bin(T, a) + Bin(n − T, b) + Σ_aggregators N, or T + Σ_aggregators N without randomization at the clients,
/// ```
///
/// and its estimate is (total − b·n)/(a − b), which is divided by n for a mean. Where aggregators make up for missing
/// clients, N is the sum of as many randomized zeros, which the estimate corrects for as well.
#[derive(Clone, Debug)]
pub struct ExpectedRelease {
    /// Of what the totals are.
    pub(super) query: Query,
    pub(super) aggregators: u32,
    pub(super) noise: Option<Noise>,
    pub(super) clients: Option<Flips>,
    pub(super) is_mean: bool,
    /// Whether the coordinates of a collection are independent of each other.
    pub(super) is_independent: bool,
    /// What aggregators add to make up for missing clients depends on the number of reports: of which this is.
    pub(super) compensation: Option<Compensated>,
    /// Which randomized vectors are sent, if not all are.
    pub(super) dropping: Option<Dropping>,
}

/// Noise of one aggregator.
#[derive(Clone, Debug)]
pub(super) enum Noise {
    /// A law that is symmetric about 0.
    Law(NoiseDistribution),
    /// The ones of so many randomized zeros: compensation.
    Binomial { trials: u64, probability: f64 },
}

/// A batch whose missing clients are made up for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compensated {
    /// Its reports.
    pub(super) reports: u64,
    /// The zeros that each aggregator adds.
    pub(super) zeros: u64,
}

/// A bit of a report is one with probability `kept` if it was, and `gained` if it was not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flips {
    pub(super) kept: f64,
    pub(super) gained: f64,
}

/// Which total it is: of so many reports, and the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Total {
    pub(super) reports: u64,
    pub(super) submitted: u64,
    pub(super) truth: i64,
}

impl ExpectedRelease {
    /// Of a policy.
    ///
    /// # Errors
    /// If its mechanism is not one of those whose law is known here: a law of `dp-calibration` at aggregators, a
    /// randomizer that a ledger has a name for, or both. Where reports are dropped for their weight, every measurement has
    /// as many ones as the policy admits; fewer dropped reports than 10^−9 are taken to be none.
    pub fn of(policy: &(impl PolicyDescription + ?Sized)) -> Result<Self, Error> {
        let (noise, clients) = match policy.recorded_mechanism() {
            Mechanism::Aggregators(noise) => (Some(Noise::Law(noise.distribution)), None),
            Mechanism::Clients(clients) => (None, Some(clients)),
            Mechanism::Both { clients, aggregators } => {
                (Some(Noise::Law(aggregators.distribution)), Some(clients))
            }
            other => {
                let accepted =
                    "noise of aggregators or randomization of clients whose law is known";
                let other = match other {
                    Mechanism::Other(name) => name,
                    _ => "of another kind".to_owned(),
                };
                return Err(ParameterError::new("mechanism", other, accepted).into());
            }
        };
        Self::with(policy, noise, clients.as_ref())
    }

    /// With this noise, and clients that randomize like this.
    fn with(
        policy: &(impl PolicyDescription + ?Sized),
        noise: Option<Noise>,
        clients: Option<&Randomizer>,
    ) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let is_answer = matches!(clients, Some(Randomizer::KaryRandomizedResponse { .. }));
        let flips = clients.map(Flips::of).transpose()?;
        let dropping = clients.and_then(Dropping::of).zip(flips);
        let dropping = dropping.map(|(dropping, flips)| dropping.unless_negligible(flips));
        let dropping = dropping.transpose()?.flatten();
        Ok(Self {
            query: policy.query(),
            aggregators,
            noise,
            clients: flips,
            is_mean: matches!(policy.query(), Query::Average { .. }),
            is_independent: !is_answer && dropping.is_none(),
            compensation: None,
            dropping,
        })
    }

    /// Of batches of so many reports whose missing clients the aggregators make up for. Other batches are refused then.
    ///
    /// # Errors
    /// If the policy does not make up for any, or for too many; if the law of its clients is not known.
    pub fn of_compensated(
        policy: &(impl PolicyDescription + ?Sized),
        reports: u64,
    ) -> Result<Self, Error> {
        let (Some(wanted), ClientRandomization::Randomizer(clients)) =
            (wanted(policy), policy.client_randomization())
        else {
            let accepted = "one whose aggregators make up for missing clients";
            return Err(ParameterError::new("policy", policy.name(), accepted).into());
        };
        // M = max(0, H − (n − f))
        let zeros = wanted.saturating_sub(reports.saturating_sub(policy.assumed_malicious()));
        if zeros > MOST_BITS {
            let accepted = format!("a batch that lacks at most {MOST_BITS} clients");
            return Err(ParameterError::new("reports", reports, accepted).into());
        }
        let noise = Noise::Binomial { trials: zeros, probability: Flips::of(&clients)?.gained };
        let noise = (zeros > 0).then_some(noise);
        Ok(Self {
            compensation: Some(Compensated { reports, zeros }),
            ..Self::with(policy, noise, Some(&clients))?
        })
    }

    /// Of the policy of a task, and batches of so many reports, on which compensation depends.
    ///
    /// # Errors
    /// As [`Self::of`] and [`Self::of_compensated`].
    pub fn of_task(task: &Task, reports: u64) -> Result<Self, Error> {
        task.with_policy(OfPolicy { reports })
    }

    /// That a collection is one of a batch with this law: of as many totals as the query has, each of which so many
    /// measurements can have.
    pub(super) fn admits(&self, collected: &Collected) -> Result<(), ParameterError> {
        let Collected { reports, submitted, ref truths, ref released, .. } = *collected;
        if submitted > MOST {
            let accepted = format!("at most {MOST} measurements");
            return Err(ParameterError::new("submitted", submitted, accepted));
        }
        if let Some(compensation) = self.compensation.filter(|batch| batch.reports != reports) {
            let accepted = format!("{}, on which compensation depends", compensation.reports);
            return Err(ParameterError::new("reports", reports, accepted));
        }
        if reports > submitted || self.dropping.is_none() && reports != submitted {
            let most = self.dropping.map_or("", |_| "at most ");
            let accepted = format!("{most}{submitted}, as many as there are measurements");
            return Err(ParameterError::new("reports", reports, accepted));
        }
        let (totals, of_entry) = match self.query {
            Query::Count => (1, 1),
            Query::Sum { max_measurement } | Query::Average { max_measurement } => {
                (1, max_measurement)
            }
            Query::Histogram { length } | Query::MultihotCountVec { length, .. } => (length, 1),
            Query::SumVec { length, max_measurement }
            | Query::L1BoundSum { length, max_measurement } => (length, max_measurement),
        };
        if truths.len() != totals {
            let accepted = format!("{totals}, as many as the aggregate has");
            return Err(ParameterError::new("totals", truths.len(), accepted));
        }
        let most = of_entry.saturating_mul(submitted.into()).min(MOST.into());
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

    /// The law of a total that clients randomize like this, which send vectors with so many more ones than they should,
    /// and to which this noise is added.
    pub(super) fn law(
        &self,
        total: Total,
        clients: Option<Flips>,
        heavier: i64,
        noise: Option<&Pmf>,
    ) -> Result<Pmf, Error> {
        let of_reports = match clients {
            // Nothing is dropped.
            None => Pmf::point(total.truth),
            Some(flips) => self.randomized(total, flips, heavier)?,
        };
        match noise {
            None => Ok(of_reports),
            Some(noise) if clients.is_none() => Ok(noise.clone().shifted(total.truth)),
            Some(noise) => of_reports.plus(noise),
        }
    }

    /// The law of the randomized bits of the reports.
    fn randomized(&self, total: Total, flips: Flips, heavier: i64) -> Result<Pmf, Error> {
        if total.submitted > MOST_BITS {
            let accepted = format!("at most {MOST_BITS}, where clients randomize bits");
            return Err(ParameterError::new("reports", total.submitted, accepted).into());
        }
        let ones = u64::try_from(total.truth).ok();
        let ones = ones.filter(|ones| *ones <= total.submitted);
        let ones = ones.ok_or_else(|| {
            let accepted = "a count of at most the measurements, where clients randomize bits";
            ParameterError::new("truth", total.truth, accepted)
        })?;
        let flips = match self.dropping {
            Some(dropping) => dropping.heavier(heavier).of_sent(flips)?,
            None => flips,
        };
        let of_ones = |ones: u64| {
            let zeros = total.reports.saturating_sub(ones);
            Pmf::binomial(ones, flips.kept).plus(&Pmf::binomial(zeros, flips.gained))
        };
        let sent = hypergeometric(total.reports, ones, total.submitted);
        let laws = sent.into_iter().map(|(ones, probability)| Ok((probability, of_ones(ones)?)));
        Ok(Pmf::mixture(laws.collect::<Result<_, Error>>()?))
    }

    /// The log of the probability that so many of the submitted measurements are reported.
    pub(super) fn ln_reported(
        &self,
        of: Total,
        clients: Option<Flips>,
        heavier: i64,
    ) -> Result<f64, Error> {
        match (self.dropping, clients) {
            (Some(dropping), Some(flips)) => {
                let rate = dropping.heavier(heavier).rate(flips)?;
                Ok(ln_sent(of.reports, of.submitted, rate))
            }
            _ => Ok(0.0),
        }
    }

    /// How many randomized bits there are in a total.
    fn bits(&self, of: Total) -> u64 {
        let added = self.compensation.map_or(0, |compensation| compensation.zeros);
        of.reports + u64::from(self.aggregators) * added
    }

    fn divisor(&self, of: Total) -> f64 {
        if self.is_mean { float(of.reports.max(1)) } else { 1.0 }
    }

    /// The estimate of a total.
    pub(super) fn estimate(&self, of: Total, total: i64) -> f64 {
        let flips = self.clients.unwrap_or(Flips::NONE);
        let ones = signed(total) - flips.gained * float(self.bits(of));
        ones / (flips.kept - flips.gained) / self.divisor(of)
    }

    /// The total of an estimate that was corrected for so many bits more than there are: near an integer, if it is one.
    pub(super) fn total(&self, of: Total, estimate: f64, more: i64) -> f64 {
        let flips = self.clients.unwrap_or(Flips::NONE);
        let gained = flips.gained * (float(self.bits(of)) + signed(more));
        estimate * self.divisor(of) * (flips.kept - flips.gained) + gained
    }
}

impl Noise {
    /// One draw.
    pub(super) fn pmf(&self) -> Result<Pmf, Error> {
        match self {
            Self::Law(law) => Pmf::noise(law),
            Self::Binomial { trials, probability } => Ok(Pmf::binomial(*trials, *probability)),
        }
    }
}

struct OfPolicy {
    reports: u64,
}

impl PolicyVisitor for OfPolicy {
    type Output = Result<ExpectedRelease, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static,
    {
        match wanted(&policy) {
            Some(_) => ExpectedRelease::of_compensated(&policy, self.reports),
            None => ExpectedRelease::of(&policy),
        }
    }
}

/// To how many honest clients aggregators fill up a batch, if they do.
fn wanted(policy: &(impl PolicyDescription + ?Sized)) -> Option<u64> {
    let mut parameters = policy.parameters().into_iter();
    let (_, wanted) = parameters.find(|(name, _)| *name == "wanted_honest_clients")?;
    wanted.parse().ok()
}

impl Flips {
    /// Bits that stay as they are.
    pub(super) const NONE: Self = Self { kept: 1.0, gained: 0.0 };

    /// Of a randomizer.
    fn of(randomizer: &Randomizer) -> Result<Self, ParameterError> {
        match randomizer {
            Randomizer::CoinFlip {} => Ok(Self::symmetric(0.25)),
            Randomizer::RandomizedResponse { epsilon } => Ok(Self::symmetric(odds(epsilon, 1))),
            Randomizer::SymmetricRappor { epsilon0, .. } => Ok(Self::symmetric(odds(epsilon0, 1))),
            Randomizer::KaryRandomizedResponse { answers, epsilon } => {
                let gained = odds(epsilon, answers.saturating_sub(1));
                let kept = 1.0 - float(answers.saturating_sub(1)) * gained;
                Ok(Self { kept, gained })
            }
            _ => {
                let accepted = "one whose law is known";
                Err(ParameterError::new("randomizer", "of another kind", accepted))
            }
        }
    }

    pub(super) const fn symmetric(flipped: f64) -> Self {
        Self { kept: 1.0 - flipped, gained: flipped }
    }
}

/// 1/(e^ε + k), the middle of an enclosure.
fn odds(epsilon: &Epsilon, others: u64) -> f64 {
    let value: &Rational = epsilon.value();
    let one = Interval::integer(1, PRECISION);
    let power = Interval::rational(value, PRECISION).exp();
    let odds =
        power.and_then(|power| one.checked_div(&(&power + &Interval::integer(others, PRECISION))));
    odds.map_or(0.0, |odds| odds.midpoint())
}
