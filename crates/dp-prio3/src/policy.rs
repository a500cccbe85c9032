//! The trait that binds a differential privacy mechanism to a Prio3 VDAF.
//!
//! After the Internet-Draft draft-wang-ppm-differential-privacy, section 5: a policy
//!
//! 1. randomizes a measurement at the client,
//! 2. adds noise to an aggregate share at each aggregator,
//! 3. turns an aggregate result and a count into an estimate at the collector ("debias"),
//!
//! and states a [`Guarantee`]. Where a policy does nothing at a party (no client randomization, no
//! aggregator noise), it says so in its documentation.

use std::fmt;
use std::ops::RangeInclusive;

use dp_calibration::{Query, TrustModel};
use dp_ledger::Mechanism;
use prio::flp;
use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;
use rand_core::CryptoRng;
use zeroize::Zeroize;

use crate::Error;
use crate::field::SignedField;
use crate::guarantee::{Circumstances, Guarantee};

/// The number of reports that a policy allows in one batch unless told otherwise: 2^32.
pub const DEFAULT_MAX_REPORTS: u64 = 1 << 32;

/// Bytes of Prio3's seeds and verification key.
pub(crate) const SEED_SIZE: usize = 32;

/// Prio3 over the validity circuit `T`, as the VDAF specification instantiates it.
pub type Vdaf<T> = Prio3<T, XofTurboShake128, SEED_SIZE>;

/// The field of a policy's VDAF.
pub type FieldOf<P> = <<P as DpPolicy>::Flp as flp::Flp>::Field;

/// The measurement that a policy's VDAF shards.
pub type ShardedMeasurement<P> = <<P as DpPolicy>::Flp as flp::Type>::Measurement;

/// A differentially private aggregation: a Prio3 VDAF with its noise.
///
/// A policy constructs its VDAF itself, so that the noise and the parameters cannot disagree, and
/// is immutable afterwards. All parties of a task hold the same policy.
pub trait DpPolicy: fmt::Debug + Send + Sync {
    /// The validity circuit of the VDAF.
    type Flp: flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync;
    /// What a client measures.
    type Measurement: ?Sized;

    /// The VDAF and the mechanism, for people.
    fn name(&self) -> String;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    /// What is asked of the measurements, before any randomization.
    fn query(&self) -> Query;

    /// The number of reports in a batch that the aggregators and the collector accept at most.
    fn max_reports(&self) -> u64;

    /// The fewest reports of a batch that an aggregator releases, by its own count: what a promise
    /// counts on other clients for, a smaller batch may not have.
    fn min_reports(&self) -> u64 {
        1
    }

    /// How many reports of a batch a promise that counts on other clients assumes to be malicious, at
    /// most: so many come on top of the honest ones that it counts.
    fn assumed_malicious(&self) -> u64 {
        0
    }

    /// Every parameter by name, as the exact string.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// What makes the noise, with exact parameters, as a ledger records it.
    fn recorded_mechanism(&self) -> Mechanism {
        Mechanism::Other(self.name())
    }

    /// The client's part: checks the measurement and randomizes it.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the measurement is not one that the task admits, and
    /// [`Error::Dropped`] if the randomized measurement is not.
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        measurement: &Self::Measurement,
        rng: &mut R,
    ) -> Result<ShardedMeasurement<Self>, Error>;

    /// An aggregator's part: adds this aggregator's noise to its share of the totals over
    /// `reports` reports.
    ///
    /// # Errors
    ///
    /// A draw that does not fit the field, which has probability at most 2^−64; the share is then
    /// not to be released.
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut R,
    ) -> Result<(), Error>;

    /// The collector's part: unbiased estimates, one for each total, from the signed noisy totals
    /// over `reports` reports.
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate>;

    /// Between which values the noisy totals over `reports` reports lie, all of them, except with
    /// probability 2^−64.
    fn total_range(&self, reports: u64) -> RangeInclusive<i128>;

    /// By what a total over `reports` reports is divided to give what is estimated: 1, except for
    /// a mean.
    fn divisor(&self, _reports: u64) -> u64 {
        1
    }

    /// The covariance of the noise in the estimates `one` and `other` (different ones) over
    /// `reports` reports: 0 where every coordinate has its own noise.
    fn covariance(&self, _totals: &[i128], _reports: u64, _one: usize, _other: usize) -> f64 {
        0.0
    }

    /// What is promised when those whom `trust_model` names are honest, in the numbers that
    /// `circumstances` gives.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee;
}

/// An unbiased estimate of one total over the reports of a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, in the unit of the measurement.
    pub value: f64,
    /// The standard deviation of the noise in it. Not of sampling: the truth is the total over the
    /// clients that reported.
    pub standard_error: f64,
    /// The excess kurtosis of that noise: 0 if it is normal, positive if its tails are heavier.
    pub excess_kurtosis: f64,
}

/// The quantile of the standard normal distribution that leaves 2.5 % above it.
const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

impl From<dp_rappor::Estimate> for Estimate {
    fn from(estimate: dp_rappor::Estimate) -> Self {
        Self {
            value: estimate.value,
            standard_error: estimate.standard_error,
            excess_kurtosis: estimate.excess_kurtosis,
        }
    }
}

impl From<Estimate> for dp_rappor::Estimate {
    fn from(estimate: Estimate) -> Self {
        Self {
            value: estimate.value,
            standard_error: estimate.standard_error,
            excess_kurtosis: estimate.excess_kurtosis,
        }
    }
}

impl Estimate {
    /// The same with further independent noise of mean 0. Cumulants add.
    #[must_use]
    pub fn with_noise(self, variance: f64, excess_kurtosis: f64) -> Self {
        let own = self.standard_error.powi(2);
        let total = own + variance;
        let fourth = |variance: f64, excess: f64| {
            if variance > 0.0 {
                excess * (variance / total).powi(2)
            } else {
                0.0
            }
        };
        Self {
            value: self.value,
            standard_error: total.sqrt(),
            excess_kurtosis: fourth(own, self.excess_kurtosis) + fourth(variance, excess_kurtosis),
        }
    }

    /// The estimate of the total divided by `divisor`, such as the mean over as many reports. The
    /// number of reports is public, so the error is divided alike.
    #[must_use]
    pub fn divided(self, divisor: u64) -> Self {
        let divisor = as_float(divisor);
        Self {
            value: self.value / divisor,
            standard_error: self.standard_error / divisor,
            excess_kurtosis: self.excess_kurtosis,
        }
    }

    /// Half the width of the 95 % interval around the value.
    ///
    /// The normal quantile z, corrected by z³ − 3z times a 24th of the excess kurtosis (Cornish,
    /// Fisher 1938), in standard errors; at most √20 of them, which suffices for any noise
    /// (Chebyshev). Integer noise that takes few values covers more.
    #[must_use]
    pub fn margin_95(&self) -> f64 {
        let correction = NORMAL_QUANTILE.powi(3) - 3.0 * NORMAL_QUANTILE;
        let quantile = NORMAL_QUANTILE + correction * self.excess_kurtosis / 24.0;
        quantile.min(20f64.sqrt()) * self.standard_error
    }

    /// value ± `quantile` · standard error.
    #[must_use]
    pub fn interval(&self, quantile: f64) -> RangeInclusive<f64> {
        let half_width = quantile * self.standard_error;
        self.value - half_width..=self.value + half_width
    }
}

/// The nearest float, for estimates.
pub(crate) fn as_float<T: num_traits::ToPrimitive>(value: T) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}
