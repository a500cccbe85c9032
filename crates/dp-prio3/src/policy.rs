//! What binds a differential privacy mechanism to a Prio3 VDAF: what a policy is, guarantees and estimates
//! ([`PolicyDescription`]), and what the parties do with it ([`DpPolicy`]).
//!
//! After the Internet-Draft draft-wang-ppm-differential-privacy, section 5: a policy
//!
//! 1. randomizes a measurement at the client ([`DpPolicy::randomize`]),
//! 2. adds noise to an aggregate share at each aggregator ([`DpPolicy::add_noise`]),
//! 3. turns an aggregate result and a count into an estimate at the collector, "debias"
//!    ([`PolicyDescription::estimate`]),
//!
//! and states a [`Guarantee`]. Where a policy does nothing at a party (no client randomization, no
//! aggregator noise), it says so in its documentation.

// DIFFERENCE from draft-wang §4: a policy joins samplers and randomizers; there is no common class of mechanisms.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Query, TrustModel};
use prio::flp;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;
use zeroize::Zeroize;

#[cfg(feature = "parties")]
use crate::Error;
use crate::Estimate;
use crate::field::SignedField;
use crate::guarantees::{Circumstances, Guarantee, PrivacyBound, SlackReason};
use crate::vdaf::{Vdaf, VdafKind};

/// The number of reports that a policy allows in one batch unless told otherwise: 2^32.
pub const DEFAULT_MAX_REPORTS: u64 = 1 << 32;

/// The field of a policy's VDAF.
pub type FieldOf<P> = <<P as DpPolicy>::Flp as flp::Flp>::Field;

/// The measurement that a policy's VDAF shards.
pub type ShardedMeasurement<P> = <<P as DpPolicy>::Flp as flp::Type>::Measurement;

/// What a policy is and guarantees, for whoever plans, compares or documents one.
///
/// It can be used without knowing the policy's type, as `&dyn PolicyDescription`.
pub trait PolicyDescription: fmt::Debug + Send + Sync {
    /// The VDAF and the mechanism, for people.
    fn name(&self) -> String;

    /// Which VDAF it is.
    fn vdaf_kind(&self) -> VdafKind;

    /// The number of aggregators.
    fn aggregators(&self) -> usize;

    /// What is asked of the measurements, before any randomization.
    fn query(&self) -> Query;

    /// The fewest reports of a batch that an aggregator releases, by its own count: what a guarantee
    /// counts on other clients for, a smaller batch may not have.
    fn min_reports(&self) -> u64 {
        1
    }

    /// The number of reports in a batch that the aggregators and the collector accept at most.
    fn max_reports(&self) -> u64;

    /// How many reports of a batch a guarantee that counts on other clients assumes to be malicious, at
    /// most: so many come on top of the honest ones that it counts.
    fn assumed_malicious(&self) -> u64 {
        0
    }

    /// Every parameter by name, as the exact string.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// What makes the noise, with exact parameters, as a ledger records it.
    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        dp_ledger::Mechanism::Other(self.name())
    }

    /// What randomizes a measurement at its client.
    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        ClientRandomization::Unknown
    }

    /// What is guaranteed when those whom `trust_model` names are honest, in the numbers that
    /// `circumstances` gives.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee;

    /// [`Self::guarantee`] as a pair: the least ε that is proved at a δ of at most the one of the
    /// circumstances, also where the policy's own budget is of another kind or at another δ.
    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        self.guarantee(trust_model, circumstances).bound
    }

    /// Why more is provable than is stated, if that is known.
    fn slack_reason(&self, _: TrustModel, _: &Circumstances) -> Option<SlackReason> {
        None
    }

    /// Unbiased estimates, one for each total, from the signed noisy totals over `reports` reports.
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate>;

    /// Between which values the noisy totals over `reports` reports lie, all of them, except with
    /// probability 2^−64.
    fn total_range(&self, reports: u64) -> RangeInclusive<i128>;

    /// The distribution of a noisy total over `reports` reports, by which intervals are found; `None` if
    /// the calibration does not know it.
    fn noisy_total(&self, _reports: u64) -> Option<NoisyTotal> {
        None
    }

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
}

/// What randomizes a measurement at its client, with exact parameters: for whoever draws the totals of
/// many clients at once.
#[cfg(feature = "parties")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientRandomization {
    /// A report holds the measurement itself.
    Nothing,
    /// One of the randomizers that a ledger has names for.
    Randomizer(dp_ledger::Randomizer),
    /// Something else.
    Unknown,
}

/// What a validity circuit must be for a policy's VDAF.
pub trait Circuit:
    flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static
{
}

impl<T> Circuit for T where
    T: flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static
{
}

/// A differentially private aggregation, with what every party does in it.
///
/// A policy constructs its VDAF itself, so that the noise and the parameters cannot disagree, and
/// is immutable afterwards. All parties of a task hold the same policy.
pub trait DpPolicy: PolicyDescription {
    /// The validity circuit of the VDAF.
    type Flp: Circuit;

    /// What a client measures.
    type Measurement: ?Sized;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    #[cfg(feature = "parties")]
    /// Checks the measurement and randomizes it: what a client does.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] if the measurement is not one that the task admits, and
    /// [`Error::Dropped`] if the randomized measurement is not.
    fn randomize(
        &self,
        measurement: &Self::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error>;

    #[cfg(feature = "parties")]
    /// Adds the noise of one aggregator to its share of the totals over `reports` reports.
    ///
    /// # Errors
    ///
    /// A draw that does not fit the field, which has probability at most 2^−64; the share is then
    /// not to be released.
    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;
}

/// A policy of which only the VDAF and what clients measure are known; a clone shares it.
///
/// There are a few Prio3 types and many combinations of noise with each. Whoever reads from a document
/// which policy to run handles one `AnyPolicy` for each type.
///
/// ```
/// use std::sync::Arc;
///
/// use dp_exact::Epsilon;
/// use dp_prio3::mechanisms::DiscreteLaplace;
/// use dp_prio3::randomizers::RandomizedResponse;
/// use dp_prio3::types::{Count, MeasurementType};
/// use dp_prio3::{AggregatorNoise, AnyPolicy, ClientNoise, PolicyDescription};
///
/// let epsilon: Epsilon = "1".parse()?;
/// let by_clients = ClientNoise::new(Count::new(2)?, RandomizedResponse::new(epsilon.clone())?)?;
/// let by_aggregators: AggregatorNoise<_, DiscreteLaplace> =
///     AggregatorNoise::new(Count::new(2)?, epsilon)?;
/// let policies: [AnyPolicy<<Count as MeasurementType>::Flp, bool>; 2] =
///     [Arc::new(by_clients), Arc::new(by_aggregators)];
/// assert_ne!(policies[0].name(), policies[1].name());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type AnyPolicy<T, M> = Arc<dyn DpPolicy<Flp = T, Measurement = M>>;

impl<P: PolicyDescription + ?Sized> PolicyDescription for Arc<P> {
    fn name(&self) -> String {
        (**self).name()
    }

    fn vdaf_kind(&self) -> VdafKind {
        (**self).vdaf_kind()
    }

    fn aggregators(&self) -> usize {
        (**self).aggregators()
    }

    fn query(&self) -> Query {
        (**self).query()
    }

    fn min_reports(&self) -> u64 {
        (**self).min_reports()
    }

    fn max_reports(&self) -> u64 {
        (**self).max_reports()
    }

    fn assumed_malicious(&self) -> u64 {
        (**self).assumed_malicious()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        (**self).parameters()
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        (**self).recorded_mechanism()
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        (**self).client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        (**self).guarantee(trust_model, circumstances)
    }

    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        (**self).pair(trust_model, circumstances)
    }

    fn slack_reason(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        (**self).slack_reason(trust_model, circumstances)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        (**self).estimate(totals, reports)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        (**self).total_range(reports)
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        (**self).noisy_total(reports)
    }

    fn divisor(&self, reports: u64) -> u64 {
        (**self).divisor(reports)
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        (**self).covariance(totals, reports, one, other)
    }
}

impl<P: DpPolicy + ?Sized> DpPolicy for Arc<P> {
    type Flp = P::Flp;
    type Measurement = P::Measurement;

    fn vdaf(&self) -> &Vdaf<P::Flp> {
        (**self).vdaf()
    }

    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &P::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<P>, Error> {
        (**self).randomize(measurement, rng)
    }

    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [FieldOf<P>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        (**self).add_noise(share, reports, rng)
    }
}
