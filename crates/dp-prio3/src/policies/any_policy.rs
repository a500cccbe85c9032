//! A policy of which only the VDAF and what clients measure are known.
//!
//! There are a few Prio3 types and many combinations of noise with each. Whoever reads from a document
//! which policy to run handles one [`AnyPolicy`] for each type, and the compiler makes the parties once
//! for each type.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Query, TrustModel};
use prio::flp;
use rand_core::CryptoRng;
use zeroize::Zeroize;

use crate::Error;
use crate::estimate::Estimate;
use crate::field::SignedField;
use crate::guarantees::{Circumstances, Guarantee, Loose, Promise};
#[cfg(feature = "parties")]
use crate::policy::ClientRandomization;
use crate::policy::{
    AggregatorPolicy, ClientPolicy, CollectorPolicy, DpPolicy, PolicyDescription, Prio3Policy,
};
use crate::vdaf::{Vdaf, VdafKind};

/// A policy over the validity circuit `T` whose clients measure an `M`. A clone shares the policy.
///
/// ```
/// use dp_exact::Epsilon;
/// use dp_prio3::randomizers::RandomizedResponse;
/// use dp_prio3::types::Count;
/// use dp_prio3::mechanisms::DiscreteLaplace;
/// use dp_prio3::{AggregatorNoise, AnyPolicy, ClientNoise, PolicyDescription};
///
/// let epsilon: Epsilon = "1".parse()?;
/// let by_clients = ClientNoise::new(Count::new(2)?, RandomizedResponse::new(epsilon.clone())?)?;
/// let by_aggregators: AggregatorNoise<_, DiscreteLaplace> =
///     AggregatorNoise::new(Count::new(2)?, epsilon)?;
/// let policies = [AnyPolicy::new(by_clients), AnyPolicy::new(by_aggregators)];
/// assert_ne!(policies[0].name(), policies[1].name());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnyPolicy<T: Circuit, M: ?Sized>(Arc<dyn Parts<T, M>>);

/// What a validity circuit must be for a policy's VDAF.
pub trait Circuit:
    flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static
{
}

impl<T> Circuit for T where
    T: flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static
{
}

/// What the parties of a policy do, for a generator that is behind a pointer.
trait Parts<T: Circuit, M: ?Sized>: CollectorPolicy {
    fn vdaf(&self) -> &Vdaf<T>;

    #[cfg(feature = "parties")]
    fn randomize(&self, measurement: &M, rng: &mut dyn CryptoRng) -> Result<T::Measurement, Error>;

    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [T::Field],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;
}

impl<P: DpPolicy<Flp: Circuit>> Parts<P::Flp, P::Measurement> for P {
    fn vdaf(&self) -> &Vdaf<P::Flp> {
        Prio3Policy::vdaf(self)
    }

    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &P::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<<P::Flp as flp::Type>::Measurement, Error> {
        ClientPolicy::randomize(self, measurement, rng)
    }

    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [<P::Flp as flp::Flp>::Field],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        AggregatorPolicy::add_noise(self, share, reports, rng)
    }
}

impl<T: Circuit, M: ?Sized> AnyPolicy<T, M> {
    /// The policy, behind a pointer.
    #[must_use]
    pub fn new<P>(policy: P) -> Self
    where
        P: DpPolicy<Flp = T, Measurement = M> + 'static,
    {
        Self(Arc::new(policy))
    }
}

impl<T: Circuit, M: ?Sized> fmt::Debug for AnyPolicy<T, M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<T: Circuit, M: ?Sized> Clone for AnyPolicy<T, M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Circuit, M: ?Sized> PolicyDescription for AnyPolicy<T, M> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn vdaf_kind(&self) -> VdafKind {
        self.0.vdaf_kind()
    }

    fn aggregators(&self) -> usize {
        self.0.aggregators()
    }

    fn query(&self) -> Query {
        self.0.query()
    }

    fn min_reports(&self) -> u64 {
        self.0.min_reports()
    }

    fn max_reports(&self) -> u64 {
        self.0.max_reports()
    }

    fn assumed_malicious(&self) -> u64 {
        self.0.assumed_malicious()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.0.parameters()
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        self.0.recorded_mechanism()
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        self.0.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        self.0.guarantee(trust_model, circumstances)
    }

    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Promise {
        self.0.pair(trust_model, circumstances)
    }

    fn loose(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Option<Loose> {
        self.0.loose(trust_model, circumstances)
    }
}

impl<T: Circuit, M: ?Sized> Prio3Policy for AnyPolicy<T, M> {
    type Flp = T;

    fn vdaf(&self) -> &Vdaf<T> {
        self.0.vdaf()
    }
}

impl<T: Circuit, M: ?Sized> ClientPolicy for AnyPolicy<T, M> {
    type Measurement = M;

    #[cfg(feature = "parties")]
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        measurement: &M,
        mut rng: &mut R,
    ) -> Result<T::Measurement, Error> {
        self.0.randomize(measurement, &mut rng)
    }

    #[cfg(not(feature = "parties"))]
    fn randomize<R: CryptoRng + ?Sized>(&self, _: &M, _: &mut R) -> Result<T::Measurement, Error> {
        Err(without_parties())
    }
}

impl<T: Circuit, M: ?Sized> AggregatorPolicy for AnyPolicy<T, M> {
    #[cfg(feature = "parties")]
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        share: &mut [T::Field],
        reports: u64,
        mut rng: &mut R,
    ) -> Result<(), Error> {
        self.0.add_noise(share, reports, &mut rng)
    }

    #[cfg(not(feature = "parties"))]
    fn add_noise<R: CryptoRng + ?Sized>(
        &self,
        _: &mut [T::Field],
        _: u64,
        _: &mut R,
    ) -> Result<(), Error> {
        Err(without_parties())
    }
}

/// Where nothing but descriptions is built, as for browsers, a policy behind a pointer keeps no sampler.
#[cfg(not(feature = "parties"))]
fn without_parties() -> Error {
    let change = "build dp-prio3 with its feature parties";
    let refusal = dp_exact::Refusal::not_available("a draw of noise", change);
    Error::Calibration(refusal.into())
}

impl<T: Circuit, M: ?Sized> CollectorPolicy for AnyPolicy<T, M> {
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        self.0.estimate(totals, reports)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        self.0.total_range(reports)
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        self.0.noisy_total(reports)
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.0.divisor(reports)
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        self.0.covariance(totals, reports, one, other)
    }
}
