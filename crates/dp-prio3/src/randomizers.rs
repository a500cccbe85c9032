//! The randomness that a client adds to its own measurement before it shares it.
//!
//! `Randomizer` has the estimates and the proved guarantees of each randomizer, `client_step`
//! randomizes a measurement.
//!
//! One bit on Prio3Count has binary randomized response, by which a client flips its bit with p =
//! 1/(e^ε + 1), and the coin-flip survey, the truth with probability 1/2, else yes or no with 1/4
//! each. The survey is randomized response at ε = ln 3, which is no rational number; guarantees are
//! for the next larger number of 25 digits, by a further flip.

#[cfg(feature = "parties")]
mod client_step;
mod kary;
mod rappor;

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::utility::{Answers, NoisyTotal};
use dp_calibration::{Adjacency, NoiseDistribution, local};
use dp_exact::{Delta, Epsilon, Rational, elementary};
use dp_rappor::{CoinFlip, KaryRandomizedResponse, SymmetricRappor};

use crate::guarantees::{Circumstances, LocalReleases};
use crate::{Error, Estimate};

pub use rappor::Rappor;

/// A randomizer of measurements, whose outputs are again valid measurements.
#[derive(Debug)]
pub(crate) enum Randomizer {
    RandomizedResponse(SymmetricRappor),
    CoinFlip(CoinFlip),
    Kary(KaryRandomizedResponse),
    Rappor(Rappor),
}

impl Randomizer {
    /// The mechanism, for people.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::RandomizedResponse(_) => "randomized response",
            Self::CoinFlip(_) => "the coin-flip survey",
            Self::Kary(_) => "k-ary randomized response",
            Self::Rappor(_) => "symmetric RAPPOR",
        }
    }

    /// RAPPOR; `None` for randomizers of other measurements than vectors of bits.
    pub(crate) const fn rappor(&self) -> Option<&Rappor> {
        if let Self::Rappor(rappor) = self { Some(rappor) } else { None }
    }

    /// The estimate of a true count from the randomized one over `reports` reports and `made_up`
    /// further ones of randomized zeros. It is linear in `total`, and unbiased but for
    /// [`Rappor::bias_bound`].
    pub(crate) fn estimate(&self, total: i128, reports: u64, made_up: u64) -> Estimate {
        let all = reports + made_up;
        match self {
            Self::RandomizedResponse(response) => response.estimate(total, all),
            Self::CoinFlip(survey) => survey.estimate(total, all),
            Self::Kary(response) => response.estimate(total, all),
            Self::Rappor(rappor) => rappor.estimate(total, reports, made_up),
        }
    }

    /// The distribution of a total over `reports` reports and `made_up` randomized zeros, without
    /// the noise of aggregators.
    pub(crate) fn noisy_total(&self, reports: u64, made_up: u64) -> NoisyTotal {
        let [held, other] = self.report_probabilities();
        match self {
            Self::Rappor(rappor) => rappor.noisy_total(reports, made_up),
            _ => NoisyTotal::of_clients(Answers { reports: reports + made_up, held, other }),
        }
    }

    /// The probabilities that a report adds one to a total, before any is dropped for its weight:
    /// if the client's measurement does, and if it does not.
    pub(crate) fn report_probabilities(&self) -> [f64; 2] {
        match self {
            Self::RandomizedResponse(response) => probabilities(response.epsilon0()),
            Self::CoinFlip(_) => [0.75, 0.25],
            Self::Kary(response) => kary::probabilities(response),
            Self::Rappor(rappor) => probabilities(rappor.bits.epsilon0()),
        }
    }

    /// The slope of [`Self::estimate`] in the total, which multiplies noise in the total.
    pub(crate) fn slope(&self) -> f64 {
        self.estimate(1, 0, 0).value - self.estimate(0, 0, 0).value
    }

    /// The ε of one report against every adversary. `Err` if it is larger than an [`Epsilon`] may
    /// be, or the adjacency means nothing for these measurements.
    pub(crate) fn local_epsilon(&self, adjacency: Adjacency) -> Result<Epsilon, Error> {
        let releases = self.local_releases(adjacency)?;
        Ok(Epsilon::new(releases.epsilon.value() * &Rational::from(releases.count))?)
    }

    /// A report as equal independent releases, for the guarantee of several reports against every
    /// adversary. The coin-flip survey counts with ε = ln 3, rounded up to 25 digits. `Err` if the
    /// adjacency means nothing for these measurements.
    pub(crate) fn local_releases(&self, adjacency: Adjacency) -> Result<LocalReleases, Error> {
        match self {
            Self::RandomizedResponse(response) => {
                Ok(LocalReleases::bits(response.epsilon0().clone(), 1))
            }
            Self::CoinFlip(_) => Ok(LocalReleases::bits(local::coin_flip(), 1)),
            Self::Kary(response) => kary::local_releases(response, adjacency),
            Self::Rappor(rappor) if rappor.is_one_hot && adjacency == Adjacency::OneCoordinate => {
                Err(Error::no_single_coordinate("one-hot vectors"))
            }
            Self::Rappor(rappor) => {
                let changed = rappor.input().changed(adjacency);
                Ok(LocalReleases::bits(rappor.bits.epsilon0().clone(), changed))
            }
        }
    }

    /// Upper bound on ε of all reports of one person in the sums over all honest clients, at the δ
    /// of the circumstances. `None` where nothing better than the client's own randomness is
    /// proved, such as for several reports of one person in a release.
    ///
    /// `noise` is the distribution of one honest aggregator's noise in these sums, and the number
    /// of honest aggregators. `Err` if the parameters are beyond the calibration's reach.
    pub(crate) fn aggregated_epsilon(
        &self,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        if circumstances.reports_per_client > 1 {
            return Ok(None);
        }
        // One bit changes in each release.
        let one_bit = |epsilon0: &Epsilon| {
            let Circumstances { honest_clients, delta, releases, .. } = circumstances;
            epsilon_of_counts(epsilon0, *honest_clients, noise, delta, (*releases).into())
        };
        match self {
            Self::RandomizedResponse(response) => one_bit(response.epsilon0()),
            Self::CoinFlip(_) => one_bit(&local::coin_flip()),
            Self::Kary(response) => kary::aggregated_epsilon(response, noise, circumstances),
            Self::Rappor(rappor) => rappor.aggregated_epsilon(noise, circumstances),
        }
    }
}

/// The probabilities, rounded, that a randomized bit is 1: first for a true bit of 1, then for a
/// true bit of 0.
fn probabilities(epsilon: &Epsilon) -> [f64; 2] {
    let odds = elementary::exp(-epsilon.value().to_f64());
    [(1.0 + odds).recip(), odds / (1.0 + odds)]
}

/// Upper bound on ε at `delta` of the sums over `clients` honest clients, who flip each bit with
/// probability 1/(e^ε₀ + 1), where `counts` counts change in all releases together. `noise` has the
/// distribution of one honest aggregator's noise, and the number of honest aggregators. `None`
/// where nothing is proved.
fn epsilon_of_counts(
    epsilon0: &Epsilon,
    clients: u64,
    noise: Option<(&NoiseDistribution, u32)>,
    delta: &Delta,
    counts: u64,
) -> Result<Option<Rational>, Error> {
    let sum = AggregatedRappor::new(epsilon0.clone(), clients)?.with_noise(noise)?;
    Ok(sum.epsilon_of_counts(delta, counts)?)
}
