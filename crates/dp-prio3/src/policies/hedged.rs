//! Noise at both ends: clients randomize, and each aggregator adds noise as if they did not.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, section 3.5 ("hedging").
//!
//! Fix the coins of a client. Two of its measurements then become randomized ones that differ as
//! the measurements do (flips move both alike; a truthful answer is replaced in both or in
//! neither), so noise that is calibrated for the measurements protects in OAOC, whatever the coins.
//! The clients' randomness protects in OC, by itself. Where more is proved, for all of the noise
//! that an adversary does not know taken together, that is the promise.

use std::ops::RangeInclusive;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Budget, Query, TrustModel};
use dp_exact::ParameterError;
use rand_core::CryptoRng;

use super::aggregator_noise::noise_bound;
use super::client_noise::ClientNoise;
use crate::Error;
use crate::estimate::{Estimate, as_float};
use crate::field::SignedField;
use crate::guarantees::{Circumstances, Guarantee, Loose};
use crate::mechanisms::NoiseMechanism;
#[cfg(feature = "parties")]
use crate::policy::ClientRandomization;
use crate::policy::{
    AggregatorPolicy, ClientPolicy, CollectorPolicy, FieldOf, PolicyDescription, Prio3Policy,
    ShardedMeasurement,
};
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;
use crate::vdaf::{Vdaf, VdafKind};

mod guarantee;

/// The policy of type `V` with the randomizer `R` at each client and noise `N` at each aggregator.
///
/// ```
/// use dp_prio3::mechanisms::DiscreteGaussian;
/// use dp_prio3::{
///     Budget, Circumstances, Hedged, MultihotRappor, PolicyDescription, TrustModel,
/// };
///
/// let rate = "1e-15".parse()?;
/// let clients = MultihotRappor::one_hot(2, 100, "5".parse()?, &rate)?;
/// let budget = Budget::approximate("0.317".parse()?, "1e-9".parse()?);
/// let policy: Hedged<_, _, DiscreteGaussian> = Hedged::new(clients, budget)?;
///
/// let most_clients = Circumstances::new(100_000, "1e-9".parse()?);
/// for trust_model in TrustModel::ALL {
///     println!("{}", policy.guarantee(trust_model, &most_clients));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hedged<V, R, N> {
    clients: ClientNoise<V, R>,
    mechanism: N,
    /// The noise of all aggregators in any total stays within ± this, except with probability
    /// 2^−64.
    noise_bound: i128,
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> Hedged<V, R, N> {
    /// Adds noise to a policy of the clients', calibrated to `budget` for their measurements under
    /// replacement of one.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetKind`] if the mechanism is not calibrated to budgets of that kind; otherwise
    /// if the budget cannot be kept, or totals with noise could leave the field's range.
    pub fn new(clients: ClientNoise<V, R>, budget: impl Into<Budget>) -> Result<Self, Error> {
        let mechanism = N::calibrate(&clients.query(), &budget.into())?;
        let noise_bound = noise_bound(clients.measurement_type(), &mechanism)?;
        let policy = Self {
            clients,
            mechanism,
            noise_bound,
        };
        let range = policy.total_range(policy.max_reports());
        let largest = FieldOf::<Self>::MAX_SIGNED;
        if *range.end() > largest {
            let accepted =
                format!("totals and noise below {largest}, not to wrap around the field");
            return Err(ParameterError::new("max_reports", policy.max_reports(), accepted).into());
        }
        Ok(policy)
    }

    /// The same where no batch of fewer reports is released.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self {
            clients: self.clients.with_min_reports(min_reports)?,
            ..self
        })
    }

    /// The clients' part.
    #[must_use]
    pub const fn clients(&self) -> &ClientNoise<V, R> {
        &self.clients
    }

    /// The noise of each aggregator.
    #[must_use]
    pub const fn mechanism(&self) -> &N {
        &self.mechanism
    }

    /// The standard error that each ingredient has by itself over `reports` reports: that of the
    /// clients' randomness and that of all aggregators' noise. Their squares add up.
    #[must_use]
    pub fn standard_errors(&self, totals: &[i128], reports: u64) -> Vec<(f64, f64)> {
        let divisor = as_float(self.divisor(reports));
        let noise = self.noise_variance().sqrt() / divisor;
        let clients = self.clients.estimate(totals, reports);
        clients
            .iter()
            .map(|estimate| (estimate.standard_error, noise))
            .collect()
    }

    /// Of the noise of all aggregators in an estimated total.
    fn noise_variance(&self) -> f64 {
        let aggregators = as_float(self.aggregators());
        let slope = self.clients.randomizer().slope();
        aggregators * self.mechanism.variance() * slope * slope
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> PolicyDescription
    for Hedged<V, R, N>
{
    fn name(&self) -> String {
        let clients = self.clients.name();
        format!("{clients} and {} noise at each aggregator", N::NAME)
    }

    fn vdaf_kind(&self) -> VdafKind {
        self.clients.vdaf_kind()
    }

    fn aggregators(&self) -> usize {
        self.clients.aggregators()
    }

    fn query(&self) -> Query {
        self.clients.query()
    }

    fn min_reports(&self) -> u64 {
        self.clients.min_reports()
    }

    fn max_reports(&self) -> u64 {
        self.clients.max_reports()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        // Epsilon by itself is what the aggregators' noise promises.
        for (name, _) in &mut parameters {
            if *name == "epsilon" {
                *name = "local_epsilon";
            }
        }
        parameters.extend(self.mechanism.parameters());
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let clients = self.clients.randomizer();
        let clients = clients.recorded(self.clients.measurement_type());
        let aggregators = super::recorded::recorded_noise(&self.mechanism, &self.query());
        match clients.zip(aggregators) {
            None => dp_ledger::Mechanism::Other(self.name()),
            Some((clients, aggregators)) => dp_ledger::Mechanism::Both {
                clients,
                aggregators,
            },
        }
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        self.clients.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        self.promised(trust_model, circumstances)
    }

    fn loose(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Option<Loose> {
        self.why_loose(trust_model, circumstances)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> Prio3Policy for Hedged<V, R, N> {
    type Flp = V::Flp;

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.clients.vdaf()
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> ClientPolicy
    for Hedged<V, R, N>
{
    type Measurement = V::Measurement;

    fn randomize<G: CryptoRng + ?Sized>(
        &self,
        measurement: &V::Measurement,
        rng: &mut G,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> AggregatorPolicy
    for Hedged<V, R, N>
{
    fn add_noise<G: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        _: u64,
        rng: &mut G,
    ) -> Result<(), Error> {
        self.mechanism.add_to(share, rng)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> CollectorPolicy
    for Hedged<V, R, N>
{
    fn divisor(&self, reports: u64) -> u64 {
        self.clients.divisor(reports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = as_float(self.divisor(reports));
        let variance = self.noise_variance() / (divisor * divisor);
        let clients = self.clients.estimate(totals, reports);
        clients
            .into_iter()
            .map(|estimate| estimate.with_noise(variance))
            .collect()
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        let aggregators = u32::try_from(self.aggregators()).ok()?;
        let clients = self.clients.noisy_total(reports)?;
        Some(clients.with_noise(self.mechanism.law()?, aggregators))
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        self.clients.covariance(totals, reports, one, other)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let range = self.clients.total_range(reports);
        let highest = range.end().saturating_add(self.noise_bound);
        -self.noise_bound..=highest
    }
}
