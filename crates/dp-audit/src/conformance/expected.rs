//! What a deployment should release: the exact law of every total, and the estimate that is made of it.

use dp_calibration::{NoiseLaw, Query};
use dp_exact::{Epsilon, Interval, ParameterError, Rational};
use dp_ledger::{Mechanism, Randomizer};
use dp_prio3::{DpPolicy, PolicyDescription};
use dp_task::{Measured, PolicyVisitor, Task};

use super::pmf::{Pmf, signed};
use crate::Error;
use crate::confidence::float;

/// Bits of the probabilities' enclosures.
const PRECISION: u32 = 64;

/// The law of what a deployment releases, as it follows from the mechanism alone.
///
/// A total of n reports, T of which have the bit or value in question, is
///
/// ```text
/// Bin(T, a) + Bin(n − T, b) + Σ_aggregators N, or T + Σ_aggregators N without randomization at the clients,
/// ```
///
/// and its estimate is (total − b·n)/(a − b), which is divided by n for a mean.
#[derive(Clone, Debug)]
pub struct Expected {
    pub(super) aggregators: u32,
    pub(super) noise: Option<NoiseLaw>,
    pub(super) clients: Option<Flips>,
    pub(super) is_mean: bool,
    /// Whether the coordinates of a collection are independent of each other.
    pub(super) is_independent: bool,
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
    pub(super) truth: i64,
}

impl Expected {
    /// Of a policy.
    ///
    /// # Errors
    /// If its mechanism is not one of those whose law is known here: a law of `dp-calibration` at aggregators, a
    /// randomizer that a ledger has a name for, or both. Reports that are dropped for their weight are taken to be none.
    pub fn of(policy: &(impl PolicyDescription + ?Sized)) -> Result<Self, Error> {
        let aggregators = policy.aggregators();
        let aggregators = u32::try_from(aggregators)
            .map_err(|_| ParameterError::new("aggregators", aggregators, "at most 254"))?;
        let (noise, clients) = match policy.recorded_mechanism() {
            Mechanism::Aggregators(noise) => (Some(noise.law), None),
            Mechanism::Clients(clients) => (None, Some(clients)),
            Mechanism::Both {
                clients,
                aggregators,
            } => (Some(aggregators.law), Some(clients)),
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
        let is_answer = matches!(clients, Some(Randomizer::KaryRandomizedResponse { .. }));
        Ok(Self {
            aggregators,
            noise,
            clients: clients.map(|clients| Flips::of(&clients)).transpose()?,
            is_mean: matches!(policy.query(), Query::Average { .. }),
            is_independent: !is_answer,
        })
    }

    /// Of the policy of a task.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_task(task: &Task) -> Result<Self, Error> {
        task.with_policy(OfPolicy)
    }

    /// The law of a total that clients randomize like this and to which this noise is added.
    pub(super) fn law(
        &self,
        total: Total,
        clients: Option<Flips>,
        noise: Option<&Pmf>,
    ) -> Result<Pmf, Error> {
        let randomized = match clients {
            None => Pmf::point(total.truth),
            Some(flips) => {
                let ones = u64::try_from(total.truth).ok();
                let zeros = ones.and_then(|ones| total.reports.checked_sub(ones));
                let (Some(ones), Some(zeros)) = (ones, zeros) else {
                    let accepted = "a count of at most the reports, where clients randomize bits";
                    return Err(ParameterError::new("truth", total.truth, accepted).into());
                };
                let kept = Pmf::binomial(ones, flips.kept);
                kept.plus(&Pmf::binomial(zeros, flips.gained))?
            }
        };
        match noise {
            None => Ok(randomized),
            Some(noise) if clients.is_none() => Ok(noise.clone().shifted(total.truth)),
            Some(noise) => randomized.plus(noise),
        }
    }

    /// The estimate of a total.
    pub(super) fn estimate(&self, of: Total, total: i64) -> f64 {
        let divisor = if self.is_mean {
            float(of.reports.max(1))
        } else {
            1.0
        };
        let flips = self.clients.unwrap_or(Flips::NONE);
        (signed(total) - flips.gained * float(of.reports)) / (flips.kept - flips.gained) / divisor
    }

    /// The total of an estimate: near an integer, if it is one.
    pub(super) fn total(&self, of: Total, estimate: f64) -> f64 {
        let divisor = if self.is_mean {
            float(of.reports.max(1))
        } else {
            1.0
        };
        let flips = self.clients.unwrap_or(Flips::NONE);
        estimate * divisor * (flips.kept - flips.gained) + flips.gained * float(of.reports)
    }
}

struct OfPolicy;

impl PolicyVisitor for OfPolicy {
    type Output = Result<Expected, Error>;

    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: Measured> + 'static,
    {
        Expected::of(&policy)
    }
}

impl Flips {
    /// Bits that stay as they are.
    pub(super) const NONE: Self = Self {
        kept: 1.0,
        gained: 0.0,
    };

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
                Err(ParameterError::new(
                    "randomizer",
                    "of another kind",
                    accepted,
                ))
            }
        }
    }

    pub(super) const fn symmetric(flipped: f64) -> Self {
        Self {
            kept: 1.0 - flipped,
            gained: flipped,
        }
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
