//! The randomness that a client adds to its own measurement before it shares it.
//!
//! `client_step` randomizes a measurement; the other files have the proved guarantees and the
//! estimates.

use std::fmt;

use dp_amplification::compensation::Compensation;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{Epsilon, Rational};
use dp_rappor::SymmetricRappor;

use crate::Error;
use crate::Estimate;
use crate::guarantees::{Circumstances, LocalReleases};

mod bits;
#[cfg(feature = "parties")]
mod client_step;
mod kary;
mod rappor;

#[cfg(feature = "parties")]
pub(crate) use client_step::ClientStep;

/// Without the parties nobody randomizes.
#[cfg(not(feature = "parties"))]
pub(crate) trait ClientStep {}
#[cfg(not(feature = "parties"))]
impl<T> ClientStep for T {}

pub use dp_rappor::{CoinFlip, KaryRandomizedResponse, RandomizedResponse};
pub use rappor::Rappor;

/// The most ones of a vector of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// In a measurement, before it is randomized.
    pub(crate) measured: usize,
    /// In a report that is sent.
    pub(crate) shared: usize,
}

/// A randomizer of measurements, whose outputs are again valid measurements.
pub(crate) trait LocalRandomizer: ClientStep + fmt::Debug + Send + Sync {
    /// The mechanism, for people.
    fn name(&self) -> &'static str;

    /// The randomizer of each single bit, where aggregators can make up for reports.
    fn bits(&self) -> Option<&SymmetricRappor> {
        None
    }

    /// The most ones of a vector of bits; `None` for other measurements.
    fn weights(&self) -> Option<Weights> {
        None
    }

    /// The unbiased estimate of a true count from the randomized one over `reports` reports. It is
    /// linear in `total`.
    fn estimate(&self, total: i128, reports: u64) -> Estimate;

    /// The probabilities that a report adds one to a total: if the client's measurement does, and
    /// if it does not.
    fn report_probabilities(&self) -> [f64; 2];

    /// The slope of [`Self::estimate`] in the total, which multiplies noise in the total.
    fn slope(&self) -> f64 {
        self.estimate(1, 0).value - self.estimate(0, 0).value
    }

    /// The covariance of the estimates of two different counts; 0 where they are independent.
    fn covariance(&self, _one: &Estimate, _other: &Estimate, _reports: u64) -> f64 {
        0.0
    }

    /// The ε of one report under replacement, against every adversary.
    ///
    /// # Errors
    /// If it is larger than an [`Epsilon`] may be.
    fn local_epsilon(&self) -> Result<Epsilon, Error> {
        let releases = self.local_releases(Adjacency::Replacement)?;
        Ok(Epsilon::new(releases.epsilon.value() * &Rational::from(releases.count))?)
    }

    /// A report as equal independent releases, for the guarantee of several reports against every
    /// adversary.
    ///
    /// # Errors
    /// If the adjacency means nothing for these measurements.
    fn local_releases(&self, adjacency: Adjacency) -> Result<LocalReleases, Error>;

    /// Upper bound on ε of all reports of one person in the sums over all honest clients, at the δ
    /// of the circumstances. `None` where nothing better than the client's own randomness is
    /// proved.
    ///
    /// `noise` is the distribution of one honest aggregator's noise in these sums, and the number
    /// of honest aggregators.
    ///
    /// # Errors
    /// If the parameters are beyond the calibration's reach.
    fn aggregated_epsilon(
        &self,
        noise: Option<(&NoiseDistribution, u32)>,
        circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error>;

    /// Upper bound on the probability that an honest report is dropped for its weight.
    fn drop_probability(&self) -> Rational {
        Rational::zero()
    }

    /// Upper bound on the probability that one of two neighbouring measurements, randomized with
    /// coupled coins, is sent and the other dropped for its weight. It joins the δ of aggregators'
    /// noise, which hides how measurements differ only if both are in the sum.
    fn drop_mismatch_probability(&self) -> Rational {
        Rational::zero()
    }

    /// Upper bound on ε of a report in the sums over all honest clients, at the δ of the
    /// circumstances, with the bits of `plan`, which honest aggregators add. `None` where nothing
    /// is proved.
    ///
    /// # Errors
    /// If the parameters are beyond the calibration's reach.
    fn compensated_epsilon(
        &self,
        _plan: &Compensation,
        _circumstances: &Circumstances,
    ) -> Result<Option<Rational>, Error> {
        Ok(None)
    }
}
