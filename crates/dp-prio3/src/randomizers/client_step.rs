//! What a client does with its own measurement, and what its ledger records of that.

use dp_exact::ParameterError;
use dp_rappor::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::Rappor;
use crate::Error;
use crate::error::admits;
use crate::measurement::{Owned, weight};

/// The client's step of a randomizer.
pub(crate) trait ClientStep {
    /// Randomizes a checked measurement.
    ///
    /// # Errors
    /// [`Error::Dropped`] if the randomized measurement is not valid.
    fn randomize(&self, measurement: Owned, rng: &mut dyn CryptoRng) -> Result<Owned, Error>;

    /// The randomizer with exact parameters, as a ledger records it.
    fn recorded(&self) -> dp_ledger::Randomizer;
}

impl ClientStep for RandomizedResponse {
    fn randomize(&self, measurement: Owned, rng: &mut dyn CryptoRng) -> Result<Owned, Error> {
        match measurement {
            Owned::Bit(bit) => Ok(Owned::Bit(Self::randomize(self, rng, bit))),
            other => Err(other_kind(other)),
        }
    }

    fn recorded(&self) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::RandomizedResponse { epsilon: self.epsilon().clone() }
    }
}

impl ClientStep for CoinFlip {
    fn randomize(&self, measurement: Owned, rng: &mut dyn CryptoRng) -> Result<Owned, Error> {
        match measurement {
            Owned::Bit(bit) => Ok(Owned::Bit(Self::randomize(*self, rng, bit))),
            other => Err(other_kind(other)),
        }
    }

    fn recorded(&self) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::CoinFlip {}
    }
}

impl ClientStep for KaryRandomizedResponse {
    fn randomize(&self, measurement: Owned, rng: &mut dyn CryptoRng) -> Result<Owned, Error> {
        let Owned::Bucket(bucket) = measurement else {
            return Err(other_kind(measurement));
        };
        let own = u32::try_from(bucket).expect("a checked bucket is below 2^24");
        let reported = Self::randomize(self, rng, own)?;
        Ok(Owned::Bucket(usize::try_from(reported).expect("a bucket is below 2^24")))
    }

    fn recorded(&self) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::KaryRandomizedResponse {
            answers: self.answers().into(),
            epsilon: self.epsilon().clone(),
        }
    }
}

impl ClientStep for Rappor {
    fn randomize(&self, measurement: Owned, rng: &mut dyn CryptoRng) -> Result<Owned, Error> {
        let Owned::Bits(bits) = measurement else {
            return Err(other_kind(measurement));
        };
        // Wiped also where the report is dropped.
        let mut bits = Zeroizing::new(bits);
        let lightest = usize::from(self.is_one_hot());
        admits("measurement weight", &weight(&bits), lightest..=self.input_weight())?;
        self.bits().randomize(rng, &mut bits);
        let max_weight = self.max_weight();
        if weight(&bits) > max_weight {
            return Err(Error::Dropped { max_weight });
        }
        Ok(Owned::Bits(std::mem::take(&mut *bits)))
    }

    fn recorded(&self) -> dp_ledger::Randomizer {
        dp_ledger::Randomizer::SymmetricRappor {
            epsilon0: self.bits().epsilon0().clone(),
            length: self.length() as u64,
            input_weight: self.input_weight() as u64,
            is_one_hot: self.is_one_hot(),
            sent_weight: self.max_weight() as u64,
        }
    }
}

/// The error that a measurement is not of the randomizer's kind.
fn other_kind(measurement: Owned) -> Error {
    drop(Zeroizing::new(measurement));
    ParameterError::new("measurement", "of another kind", "one of the policy's kind").into()
}
