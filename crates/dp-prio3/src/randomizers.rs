//! The randomness that a client adds to its own measurement before it shares it.
//!
//! One file for each randomizer: which measurements it takes, what it guarantees by itself, what it
//! guarantees in a crowd, how its bias is removed. A further randomizer is one further file and one
//! line here. [`LocalRandomizer`] says for which Prio3 types a randomizer gives measurements that
//! verify: a pair without one does not compile.

use std::fmt;

use dp_calibration::{Adjacency, NoiseDistribution, Query};
use dp_exact::{Epsilon, Rational};
use prio::flp;
use rand_core::CryptoRng;

use crate::Error;
use crate::Estimate;
use crate::guarantees::{Circumstances, EpsilonDelta, LocalReleases};
use crate::types::MeasurementType;

mod bits;
mod kary;
mod rappor;

pub use dp_rappor::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
pub use rappor::Rappor;
pub(crate) use rappor::counts;

/// A measurement of `V` as prio shards it.
pub type Sharded<V> = <<V as MeasurementType>::Flp as flp::Type>::Measurement;

/// A randomizer of the measurements of the Prio3 type `V`, whose outputs are again valid
/// measurements of `V`.
///
/// Symmetric RAPPOR turns a bucket into several, which Prio3Histogram rightly rejects:
///
/// ```compile_fail,E0277
/// use dp_prio3::ClientNoise;
/// use dp_prio3::randomizers::Rappor;
/// use dp_prio3::types::Histogram;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rappor = Rappor::new(8, 1, "3".parse()?, &"1e-9".parse()?)?;
/// ClientNoise::new(Histogram::new(2, 8)?, rappor)?;
/// # Ok(())
/// # }
/// ```
pub trait LocalRandomizer<V: MeasurementType>: Clone + fmt::Debug + Send + Sync {
    /// The mechanism, for people.
    const NAME: &'static str;

    /// Refuses a type whose measurements are not those of this randomizer.
    ///
    /// # Errors
    ///
    /// If a parameter of the type, such as its length, is not the randomizer's.
    fn fits(&self, _measurement_type: &V) -> Result<(), Error> {
        Ok(())
    }

    /// What is asked of the measurements, before any randomization.
    fn query(&self, measurement_type: &V) -> Query {
        measurement_type.query()
    }

    /// Checks the measurement and randomizes it.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the measurement is not valid, [`Error::Dropped`] if the randomized
    /// one is not.
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        measurement_type: &V,
        measurement: &V::Measurement,
        rng: &mut R,
    ) -> Result<Sharded<V>, Error>;

    /// The unbiased estimate of a true count from the randomized one over `reports` reports. It is
    /// linear in `total`.
    fn estimate(&self, total: i128, reports: u64) -> Estimate;

    /// The probabilities that a report counts one in a total where its client does, and where not;
    /// `None` if these are not all that there is to know.
    fn ones(&self) -> Option<[f64; 2]> {
        None
    }

    /// The slope of [`Self::estimate`] in the total: by what noise in the total is multiplied.
    fn slope(&self) -> f64;

    /// The covariance of the estimates of two different counts; 0 where they are independent.
    fn covariance(&self, _one: &Estimate, _other: &Estimate, _reports: u64) -> f64 {
        0.0
    }

    /// The ε of one report under replacement, whoever reads it.
    ///
    /// # Errors
    ///
    /// If it is larger than an [`Epsilon`] may be.
    fn local_epsilon(&self, measurement_type: &V) -> Result<Epsilon, Error>;

    /// A report as independent releases, for what several reports guarantee whoever reads them.
    ///
    /// # Errors
    ///
    /// If the adjacency means nothing for these measurements.
    fn local_releases(
        &self,
        measurement_type: &V,
        adjacency: Adjacency,
    ) -> Result<LocalReleases, Error>;

    /// What all reports of one person cost in the sums over all honest clients, at the δ of the
    /// circumstances; `None` where nothing better than the client's own noise is proved.
    ///
    /// # Errors
    ///
    /// If the parameters are beyond the calibration's reach.
    fn aggregated_guarantee(
        &self,
        measurement_type: &V,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error>;

    /// What all reports of one person cost in the sums over all honest clients with the noise of
    /// `aggregators` honest aggregators; `None` where nothing is proved of both together.
    ///
    /// # Errors
    ///
    /// If the parameters are beyond the calibration's reach.
    fn with_noise(
        &self,
        measurement_type: &V,
        noise: &NoiseDistribution,
        aggregators: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error>;

    /// A bound on the probability that an honest report is dropped for its weight: what the bound
    /// achieves, not what was asked for. 0 where every randomized measurement is sent.
    fn dropped(&self) -> Rational {
        Rational::zero()
    }

    /// A bound on the probability that two neighbouring measurements fare differently at the bound
    /// on the weight of a report, the one sent and the other not, with the same coins: 0 where
    /// every randomized measurement is sent.
    ///
    /// Noise at the aggregators hides how measurements differ only if both are in the sum, so this
    /// joins its δ.
    fn parted_by_drops(&self) -> Rational {
        Rational::zero()
    }

    /// What it does, with exact parameters, as a ledger records it; `None` if a ledger has no name
    /// for it.
    #[cfg(feature = "parties")]
    fn recorded(&self, _measurement_type: &V) -> Option<dp_ledger::Randomizer> {
        None
    }

    /// The parameters by name, exactly.
    fn parameters(&self) -> Vec<(&'static str, String)>;
}
