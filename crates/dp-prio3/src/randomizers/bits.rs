//! One bit on Prio3Count: binary randomized response, by which a client flips its bit with p =
//! 1/(e^ε + 1), and the coin-flip survey, the truth with probability 1/2, else yes or no with 1/4
//! each.
//!
//! The sum over honest clients is one coordinate of aggregated RAPPOR
//! (`dp_amplification::aggregated_rappor`). The survey is randomized response at ε = ln 3, which is no
//! rational number; guarantees are for the next larger number of 25 digits, by a further flip.

use dp_calibration::{Adjacency, NoiseDistribution, local};
use dp_exact::{Epsilon, elementary};
use dp_rappor::{CoinFlip, RandomizedResponse};
use rand_core::CryptoRng;

use super::bit_sums::epsilon_of_counts;
use super::{LocalRandomizer, Sharded};
use crate::Error;
use crate::Estimate;
use crate::guarantees::{Circumstances, EpsilonDelta, LocalReleases};
use crate::types::Count;

impl LocalRandomizer<Count> for RandomizedResponse {
    const NAME: &'static str = "randomized response";

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        _: &Count,
        measurement: &bool,
        rng: &mut R,
    ) -> Result<Sharded<Count>, Error> {
        Ok(Self::randomize(self, rng, *measurement))
    }

    fn estimate(&self, total: i128, reports: u64) -> Estimate {
        Self::estimate(self, total, reports)
    }

    fn report_probabilities(&self) -> [f64; 2] {
        bit_probabilities(self.epsilon())
    }

    fn local_releases(&self, _: &Count, _: Adjacency) -> Result<LocalReleases, Error> {
        LocalReleases::bits(self.epsilon().clone(), 1)
    }

    fn aggregated_guarantee(
        &self,
        _: &Count,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        one_bit(self.epsilon(), noise, circumstances)
    }

    #[cfg(feature = "parties")]
    fn recorded(&self, _: &Count) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::RandomizedResponse { epsilon: self.epsilon().clone() }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("epsilon", self.epsilon().to_string())]
    }
}

impl LocalRandomizer<Count> for CoinFlip {
    const NAME: &'static str = "the coin-flip survey";

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        _: &Count,
        measurement: &bool,
        rng: &mut R,
    ) -> Result<Sharded<Count>, Error> {
        Ok(Self::randomize(*self, rng, *measurement))
    }

    fn estimate(&self, total: i128, reports: u64) -> Estimate {
        Self::estimate(*self, total, reports)
    }

    fn report_probabilities(&self) -> [f64; 2] {
        [0.75, 0.25]
    }

    /// ε = ln 3, rounded up to 25 digits.
    fn local_releases(&self, _: &Count, _: Adjacency) -> Result<LocalReleases, Error> {
        LocalReleases::bits(local::coin_flip()?, 1)
    }

    fn aggregated_guarantee(
        &self,
        count: &Count,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        one_bit(&self.local_epsilon(count)?, noise, circumstances)
    }

    #[cfg(feature = "parties")]
    fn recorded(&self, _: &Count) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::CoinFlip {}
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("ratio", Self::RATIO.to_string())]
    }
}

/// The probabilities, rounded, that a randomized bit is 1: first for a true bit of 1, then for a
/// true bit of 0.
pub(super) fn bit_probabilities(epsilon: &Epsilon) -> [f64; 2] {
    let odds = elementary::exp(-epsilon.value().to_f64());
    [(1.0 + odds).recip(), odds / (1.0 + odds)]
}

/// Upper bound on the (ε, δ) of a randomized bit in the sum of all honest clients' bits, with
/// aggregator noise if there is `noise`. `None` where nothing is proved, such as for several
/// reports of one person.
fn one_bit(
    epsilon: &Epsilon,
    noise: Option<(&NoiseDistribution, u32)>,
    circumstances: &Circumstances,
) -> Result<Option<EpsilonDelta>, Error> {
    if circumstances.reports_per_client > 1 {
        return Ok(None);
    }
    let (clients, delta) = (circumstances.honest_clients, &circumstances.delta);
    // One bit changes in each release.
    let epsilon = epsilon_of_counts(epsilon, clients, noise, delta, circumstances.releases.into())?;
    epsilon.map(|epsilon| EpsilonDelta::new(epsilon, delta.clone())).transpose()
}
