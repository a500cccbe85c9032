//! Noise of clients in the sum of all honest ones: what it promises where most clients are honest.

use dp_accounting::kov15;
use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot, WeightLimit};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::Adjacency;
use dp_exact::{Delta, Epsilon, Rational, Refusal, Rounding, directed, elementary, work};

use crate::Error;
use crate::client::Local;

/// What a single question about a crowd may cost, in units of work.
const QUESTION: u64 = 1_200_000_000;

/// Clients up to whom it is worth its work that one dataset is the same for both counts.
const FEW: u64 = 20_000;

/// What the promise of a single release may cost beside it.
const PAIR: u64 = 250_000_000;

/// The honest clients of a release, and how their reports are bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) honest: u64,
    pub(crate) adjacency: Adjacency,
    /// Of vectors of several ones, what they are; `None` if one bit is set, or none.
    pub(crate) several: Option<MultiHot>,
    /// The most ones of a report, if heavier ones are dropped.
    pub(crate) limit: Option<WeightLimit>,
}

impl Crowd {
    /// An ε at δ of one client's reports in so many releases; no less than nothing is known if it costs
    /// too much.
    pub(crate) fn epsilon(
        &self,
        local: &Local,
        releases: u32,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        if delta.value().is_zero() {
            return Ok(local.pure(releases.into()));
        }
        work::limited(QUESTION, || match local {
            Local::Bits { epsilon0, changed } => self.of_bits(epsilon0, *changed, releases, delta),
            Local::Answers { epsilon, answers } => {
                self.of_answers(epsilon, *answers, releases, delta)
            }
        })
    }

    /// Whether releases are composed by what each of their counts promises, not as pairs (ε, δ).
    pub(crate) const fn is_composed(local: &Local, releases: u32) -> bool {
        matches!(local, Local::Bits { .. }) || releases == 1
    }

    fn of_bits(
        &self,
        epsilon0: &Epsilon,
        changed: u64,
        releases: u32,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        let sum = AggregatedRappor::new(epsilon0.clone(), self.honest)?;
        if let (Some(input), 1) = (self.several, releases) {
            return Ok(sum.epsilon_multi_hot(delta, self.adjacency, input)?);
        }
        let (sum, left) = self.hiding(sum, releases, delta)?;
        if releases == 1 && self.several.is_none() && self.honest <= FEW {
            let counts = match changed {
                1 => Adjacency::Deletion,
                _ => Adjacency::Replacement,
            };
            return Ok(sum.epsilon(&left, counts)?.upper);
        }
        Ok(sum.epsilon_of_counts(&left, changed.saturating_mul(releases.into()))?)
    }

    /// The clients that hide each other although heavy reports are dropped, and what that leaves of δ.
    fn hiding(
        &self,
        sum: AggregatedRappor,
        releases: u32,
        delta: &Delta,
    ) -> Result<(AggregatedRappor, Delta), Error> {
        let Some(limit) = self.limit.filter(|limit| limit.max_weight < limit.length) else {
            return Ok((sum, delta.clone()));
        };
        let times = Rational::from(u64::from(releases));
        let each = delta.value().checked_div(&times).ok_or_else(costly)?;
        let each = Delta::new(each.round_to_digits(12, Rounding::Down))?;
        let hiding = sum.hiding_despite_drops(&each, self.adjacency, limit)?;
        let lost = (&hiding.delta_of_others + &hiding.critical) * &times;
        let left = Delta::new((delta.value() - &lost).round_to_digits(12, Rounding::Down))?;
        let sum = AggregatedRappor::new(sum.epsilon0().clone(), hiding.clients)?;
        Ok((sum, left))
    }

    /// The same by what each release promises at an equal share of δ, composed as any pairs (ε, δ) are:
    /// looser, and quick.
    pub(crate) fn by_pairs(
        &self,
        local: &Local,
        releases: u32,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        let shares = Rational::from(2 * u64::from(releases));
        let each = delta.value().checked_div(&shares).ok_or_else(costly)?;
        let each = Delta::new(each.round_to_digits(12, Rounding::Down))?;
        let single = work::limited(PAIR, || self.epsilon(local, 1, &each))?;
        Ok(kov15::epsilon(
            &Epsilon::new(single)?,
            &each,
            releases,
            delta,
        )?)
    }

    fn of_answers(
        &self,
        epsilon: &Epsilon,
        answers: u64,
        releases: u32,
        delta: &Delta,
    ) -> Result<Rational, Error> {
        let sum = AggregatedResponse::new(epsilon.clone(), answers, self.honest)?;
        match releases {
            1 => Ok(sum.epsilon(delta)?.upper),
            _ => Err(costly()),
        }
    }

    /// The counts that one report changes, as noise in a sum sees it.
    pub(crate) const fn changed(local: &Local) -> u64 {
        match local {
            Local::Bits { changed, .. } => *changed,
            Local::Answers { .. } => 2,
        }
    }

    /// The parameter with which the randomness of so many honest clients is as much as Gaussian noise of
    /// this variance.
    pub(crate) fn about(local: &Local, honest: u64, variance: f64) -> f64 {
        let honest = directed::count(honest);
        match local {
            Local::Bits { .. } => 2.0 * elementary::asinh(honest.sqrt() / (2.0 * variance.sqrt())),
            // (p − q)²/(nq) = 1/σ², with x = e^ε − 1.
            Local::Answers { answers, .. } => {
                let values = directed::count(*answers);
                let root = (honest * honest + 4.0 * variance * honest * values).sqrt();
                elementary::ln_1p((honest + root) / (2.0 * variance))
            }
        }
    }
}

fn costly() -> Error {
    let what = "the composition of this many counts takes too long";
    Refusal::too_costly(what, "take fewer releases").into()
}
