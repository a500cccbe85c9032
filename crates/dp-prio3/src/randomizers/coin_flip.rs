//! The coin-flip survey on Prio3Count: the truth with probability 1/2, else yes or no with 1/4
//! each.
//!
//! The ratio of the probabilities is exactly 3. So the survey is randomized response at ε = ln 3,
//! which is no rational number: guarantees are those of the next larger one of 25 digits. They hold,
//! because the survey is that mechanism followed by a further flip.

use dp_calibration::{Adjacency, NoiseLaw, local};
use dp_exact::Epsilon;
use dp_rappor::CoinFlip;
use rand_core::CryptoRng;

use super::randomized_response::{one_bit, one_bit_with_noise};
use super::{LocalRandomizer, Sharded};
use crate::Error;
use crate::estimate::Estimate;
use crate::guarantees::{Circumstances, Loss, OwnNoise};
use crate::types::Count;

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

    fn ones(&self) -> Option<[f64; 2]> {
        Some([0.75, 0.25])
    }

    fn slope(&self) -> f64 {
        2.0
    }

    /// ln 3, rounded up to 25 digits.
    fn local_epsilon(&self, _: &Count) -> Result<Epsilon, Error> {
        Ok(local::coin_flip().guarantee()?)
    }

    fn own_noise(&self, count: &Count, _: Adjacency) -> Result<OwnNoise, Error> {
        OwnNoise::bits(self.local_epsilon(count)?, 1)
    }

    fn in_a_crowd(
        &self,
        count: &Count,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        one_bit(&self.local_epsilon(count)?, circumstances)
    }

    fn with_noise(
        &self,
        count: &Count,
        noise: &NoiseLaw,
        aggregators: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<Loss>, Error> {
        one_bit_with_noise(
            &self.local_epsilon(count)?,
            noise,
            aggregators,
            circumstances,
        )
    }

    #[cfg(feature = "parties")]
    fn recorded(&self, _: &Count) -> Option<dp_ledger::Randomizer> {
        Some(dp_ledger::Randomizer::CoinFlip {})
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("ratio", Self::RATIO.to_string())]
    }
}
