//! What a client does with its own measurement, and what its ledger records of that.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{Randomizer, Rappor};
use crate::Error;
use crate::measurement::{Owned, weight};

impl Randomizer {
    /// Randomizes a measurement that the policy admits. RAPPOR gives [`Error::Dropped`] if more
    /// bits are set after the flips than are sent.
    pub(crate) fn randomize(
        &self,
        measurement: Owned,
        rng: &mut dyn CryptoRng,
    ) -> Result<Owned, Error> {
        match (self, measurement) {
            (Self::RandomizedResponse(response), Owned::Bit(bit)) => {
                Ok(Owned::Bit(response.randomize_bit(rng, bit)))
            }
            (Self::CoinFlip(survey), Owned::Bit(bit)) => Ok(Owned::Bit(survey.randomize(rng, bit))),
            (Self::Kary(response), Owned::Bucket(bucket)) => {
                let own = u32::try_from(bucket).expect("a checked bucket is below 2^24");
                let reported = response.randomize(rng, own)?;
                Ok(Owned::Bucket(usize::try_from(reported).expect("a bucket is below 2^24")))
            }
            (Self::Rappor(rappor), Owned::Bits(bits)) => rappor.randomize(bits, rng),
            _ => unreachable!("a policy has a randomizer of the measurements of its query"),
        }
    }

    /// The randomizer with exact parameters, as a ledger records it.
    pub(crate) fn recorded(&self) -> dp_ledger::Randomizer {
        use dp_ledger::Randomizer as Recorded;
        match self {
            Self::RandomizedResponse(response) => {
                Recorded::RandomizedResponse { epsilon: response.epsilon0().clone() }
            }
            Self::CoinFlip(_) => Recorded::CoinFlip {},
            Self::Kary(response) => Recorded::KaryRandomizedResponse {
                answers: response.answers().into(),
                epsilon: response.epsilon().clone(),
            },
            Self::Rappor(rappor) => Recorded::SymmetricRappor {
                epsilon0: rappor.bits.epsilon0().clone(),
                length: rappor.length as u64,
                input_weight: rappor.input_weight as u64,
                is_one_hot: rappor.is_one_hot,
                sent_weight: rappor.max_weight() as u64,
            },
        }
    }
}

impl Rappor {
    /// Flips each bit of a measurement with the probability of RAPPOR. [`Error::Dropped`] if more
    /// bits are set than are sent.
    fn randomize(&self, bits: Vec<bool>, rng: &mut dyn CryptoRng) -> Result<Owned, Error> {
        // Wiped also where the report is dropped.
        let mut bits = Zeroizing::new(bits);
        self.bits.randomize(rng, &mut bits);
        let max_weight = self.max_weight();
        if weight(&bits) > max_weight {
            return Err(Error::Dropped { max_weight });
        }
        Ok(Owned::Bits(std::mem::take(&mut *bits)))
    }
}
