//! Parties that deviate from their policy, **for tests of audits**, and single steps of the
//! parties, for audits.

use std::fmt;
use std::sync::Arc;

use rand_core::CryptoRng;

use super::Policy;
use crate::circuit::wire::{Share, on_share};
use crate::measurement::{Measurement, Owned};
use crate::strategy_matrix::multiply_share;
use crate::{Error, Estimate};

/// Alters the noise of each total in place.
pub type AlterNoise = dyn Fn(&mut [i128]) + Send + Sync;

/// Estimates from the policy without its deviation, the totals and the number of reports.
pub type OtherEstimates = dyn Fn(&Policy, &[i128], u64) -> Vec<Estimate> + Send + Sync;

/// What parties do in place of what their policy says, for [`Policy::that_deviates`].
///
/// ```
/// use std::sync::Arc;
///
/// use dp_prio3::{AggregatorNoise, AlterNoise, Budget, Deviation, Policy, Vdaf};
///
/// let histogram = Vdaf::Histogram { aggregators: 2, length: 4, chunk_length: None };
/// let budget = Budget::Pure { epsilon: "1".parse()? };
/// let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget })?;
/// // An aggregator with this policy adds no noise.
/// let noise: Arc<AlterNoise> = Arc::new(|noise| noise.fill(0));
/// let silent = policy.that_deviates(Deviation { noise: Some(noise), ..Deviation::default() });
/// assert_eq!(silent, policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Deviation {
    /// The policy by which clients randomize, if it is another.
    pub clients: Option<Policy>,
    /// The policy whose noise aggregators draw, if it is another.
    pub aggregators: Option<Policy>,
    /// What aggregators do with their noise.
    pub noise: Option<Arc<AlterNoise>>,
    /// What the collector estimates.
    pub estimates: Option<Arc<OtherEstimates>>,
}

impl Deviation {
    /// Multiplies an aggregator's share by the strategy matrix, if there is one, and adds noise,
    /// altered as the deviation says: both by the deviation's policy, which has as many totals over
    /// the same field, or by `sound` if it has none.
    pub(super) fn add_noise(
        &self,
        sound: &Policy,
        share: &mut Share,
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        let policy = self.aggregators.as_ref().unwrap_or(sound);
        let mut noise = policy.circuit().zero();
        policy.add_noise(&mut noise, reports, rng)?;
        let mut noise = noise.signed();
        if let Some(alter) = &self.noise {
            alter(&mut noise);
        }
        if let Some(strategy) = policy.checked.added.strategy() {
            on_share!(share, elements => multiply_share(&strategy.matrix, elements))?;
        }
        let noise = policy.circuit().share_of(&noise)?;
        assert!(share.add(&noise), "noise of as many totals as the policy has, over its field");
        Ok(())
    }
}

impl fmt::Debug for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deviation(..)")
    }
}

impl Policy {
    /// A policy with the digest and the guarantees of this one, whose parties do something else:
    /// none of its guarantees holds. **For tests of audits and deployments.** Its collector accepts
    /// all totals. The deviation takes the place of an earlier one as a whole.
    #[must_use]
    pub fn that_deviates(&self, deviation: Deviation) -> Self {
        Self { deviation: Some(Arc::new(deviation)), ..self.clone() }
    }

    /// The policy without its deviation.
    pub(super) fn sound(&self) -> Self {
        Self { deviation: None, ..self.clone() }
    }

    /// What the report of a client adds to each total, **for audits**: the randomized measurement,
    /// as a vector of one 1 for a bucket. The generator reveals the measurement.
    ///
    /// # Errors
    /// As [`Client::report`](crate::Client::report).
    pub fn randomized_entries(
        &self,
        measurement: Measurement<'_>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Vec<i128>, Error> {
        Ok(match self.randomize(measurement, rng)? {
            Owned::Bit(bit) => vec![bit.into()],
            Owned::Integer(integer) => vec![signed(integer)],
            Owned::Bucket(own) => {
                (0..self.query().totals()).map(|bucket| (bucket == own).into()).collect()
            }
            Owned::Bits(bits) => bits.into_iter().map(i128::from).collect(),
            Owned::Integers(integers) => integers.into_iter().map(signed).collect(),
        })
    }

    /// The noise of one aggregator in each total over `reports` reports, **for audits**: the
    /// generator reveals it.
    ///
    /// # Errors
    /// As [`Batch::finish_seeded`](crate::Batch::finish_seeded), for a draw that does not fit the
    /// field.
    pub fn noise(&self, reports: u64, rng: &mut dyn CryptoRng) -> Result<Vec<i128>, Error> {
        let mut share = self.circuit().zero();
        self.add_noise(&mut share, reports, rng)?;
        Ok(share.signed())
    }
}

/// The entry of a checked measurement as a signed integer, which it always fits.
fn signed(entry: u128) -> i128 {
    i128::try_from(entry).expect("an entry is below half of the field's modulus")
}
