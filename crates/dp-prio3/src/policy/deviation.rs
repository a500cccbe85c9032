//! Parties that deviate from their policy, **for tests of audits**, and single steps of the
//! parties, for audits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dp_exact::ParameterError;
use rand_core::CryptoRng;

use super::Policy;
use crate::circuit::wire::{Share, on_share};
use crate::measurement::{Measurement, Owned};
use crate::strategy_matrix::multiply_share;
use crate::{Error, Estimate};

/// Alters the noise of each total in place, after a number of earlier draws.
type AlterNoise = dyn Fn(u64, &mut [i128]) + Send + Sync;

/// The altered estimate, from a total, the number of reports and the sound estimate.
type AlterEstimate = dyn Fn(i128, u64, f64) -> f64 + Send + Sync;

/// What parties do in place of what their policy says, for [`Policy::that_deviates`].
///
/// ```
/// use dp_prio3::{AggregatorNoise, Budget, Deviation, Policy, Vdaf};
///
/// let histogram = Vdaf::Histogram { aggregators: 2, length: 4, chunk_length: None };
/// let budget = Budget::Pure { epsilon: "1".parse()? };
/// let policy = Policy::with_noise(histogram, AggregatorNoise::DiscreteLaplace { budget })?;
/// // An aggregator with this policy adds no noise.
/// let silent = policy.that_deviates(Deviation::default().of_noise(|_, noise| noise.fill(0)));
/// assert_eq!(silent, policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Deviation {
    /// The policy by which clients randomize, if it is another.
    pub(super) clients: Option<Policy>,
    aggregators: Option<Policy>,
    collector: Option<Policy>,
    noise: Option<Arc<AlterNoise>>,
    estimate: Option<Arc<AlterEstimate>>,
    /// The number of times at which noise was drawn so far.
    draws: Arc<AtomicU64>,
}

impl Deviation {
    /// Clients randomize by another policy.
    #[must_use]
    pub fn of_clients(self, policy: Policy) -> Self {
        Self { clients: Some(policy), ..self }
    }

    /// Aggregators draw the noise of another policy.
    #[must_use]
    pub fn of_aggregators(self, policy: Policy) -> Self {
        Self { aggregators: Some(policy), ..self }
    }

    /// The collector estimates by another policy.
    #[must_use]
    pub fn of_collector(self, policy: Policy) -> Self {
        Self { collector: Some(policy), ..self }
    }

    /// Aggregators alter their noise. The function gets the number of earlier draws and the noise
    /// of each total.
    #[must_use]
    pub fn of_noise(self, noise: impl Fn(u64, &mut [i128]) + Send + Sync + 'static) -> Self {
        Self { noise: Some(Arc::new(noise)), ..self }
    }

    /// The collector alters its estimates, from the total, the number of reports and the estimate.
    #[must_use]
    pub fn of_estimates(
        self,
        estimate: impl Fn(i128, u64, f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self { estimate: Some(Arc::new(estimate)), ..self }
    }

    /// Multiplies an aggregator's share by the strategy matrix, if there is one, and adds noise,
    /// altered as the deviation says: both by the deviation's policy, or by `sound` if it has none.
    /// `Err` if that noise has another length or field than the share.
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
        let draws = self.draws.fetch_add(1, Ordering::Relaxed);
        if let Some(alter) = &self.noise {
            alter(draws, &mut noise);
        }
        if let Some(strategy) = policy.checked.added.strategy() {
            on_share!(share, elements => multiply_share(&strategy.matrix, elements))?;
        }
        let noise = policy.circuit().share_of(&noise)?;
        if share.add(&noise) {
            return Ok(());
        }
        let accepted = "noise of as many totals as the policy has, over its field";
        Err(ParameterError::new("deviation", policy.name(), accepted).into())
    }

    /// The collector's estimates by the deviation's policy, or by `sound` if it has none, with each
    /// value, but no standard error, altered as the deviation says.
    pub(super) fn estimate(&self, sound: &Policy, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let policy = self.collector.as_ref().unwrap_or(sound).clone();
        let policy = Policy { raw_totals: sound.raw_totals, ..policy };
        let mut estimates = policy.estimate(totals, reports);
        if let Some(alter) = &self.estimate {
            for (estimate, total) in estimates.iter_mut().zip(totals) {
                estimate.value = alter(*total, reports, estimate.value);
            }
        }
        estimates
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
