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

use dp_calibration::{Adjacency, Budget, Query, TrustModel, zcdp};
use dp_exact::{Delta, ParameterError};
use prio::vdaf::Vdaf as _;
use rand_core::CryptoRng;

use crate::Error;
use crate::aggregator_noise::noise_bound;
use crate::client_noise::{ClientNoise, HIDDEN_SUM, OWN_FLIPS, in_a_crowd_of};
use crate::field::{NoiseBlock, SignedField};
use crate::guarantee::{Circumstances, Guarantee, Promise, approximate, better};
use crate::mechanisms::{Calibrate, NoiseMechanism};
use crate::policy::{DpPolicy, Estimate, FieldOf, ShardedMeasurement, Vdaf, as_float};
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;

/// The policy of type `V` with the randomizer `R` at each client and noise `N` at each aggregator.
///
/// ```
/// use dp_exact::Epsilon;
/// use dp_prio3::mechanisms::{DiscreteGaussian, EpsilonDelta};
/// use dp_prio3::{Circumstances, DpPolicy, Hedged, MultihotRappor, TrustModel};
///
/// let rate = "1e-15".parse()?;
/// let clients = MultihotRappor::one_hot(2, 100, "5".parse()?, &rate)?;
/// let budget = EpsilonDelta { epsilon: "0.317".parse()?, delta: "1e-9".parse()? };
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
    /// If the budget cannot be kept, or totals with noise could leave the field's range.
    pub fn new<B>(clients: ClientNoise<V, R>, budget: B) -> Result<Self, Error>
    where
        N: Calibrate<B>,
    {
        let mechanism = N::calibrate(&clients.query(), budget)?;
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
        let aggregators = as_float(self.vdaf().num_aggregators());
        let slope = self.clients.randomizer().slope();
        aggregators * self.mechanism.variance() * slope * slope
    }

    /// The aggregators' part by itself, at an ε and a δ.
    fn noise_alone(&self, circumstances: &Circumstances) -> Result<Budget, Error> {
        let honest = circumstances.honest_of(self.vdaf().num_aggregators());
        let budget = match self.mechanism.budget_of(&self.query(), honest)? {
            Budget::ZeroConcentrated { rho } => {
                let epsilon = zcdp::epsilon(&rho, circumstances.delta())?;
                approximate(epsilon, circumstances.delta())?
            }
            budget => budget,
        };
        let parted = self.clients.randomizer().parted_by_drops();
        if parted.is_zero() {
            return Ok(budget);
        }
        match budget {
            Budget::Pure { epsilon } => Ok(Budget::Approximate {
                epsilon,
                delta: Delta::new(parted)?,
            }),
            Budget::Approximate { epsilon, delta } => Ok(Budget::Approximate {
                epsilon,
                delta: Delta::new(delta.value() + &parted)?,
            }),
            other => Ok(other),
        }
    }

    /// Of all that is proved where an aggregator is honest, the best, and whether it needs the
    /// other clients.
    fn best(&self, trust_model: TrustModel, circumstances: &Circumstances) -> (Budget, bool) {
        let local = self.clients.local_budget();
        let alone = match self.noise_alone(circumstances) {
            Ok(noise) => better(local, noise),
            Err(_) => local,
        };
        let delta = match self.mechanism.budget() {
            Budget::Approximate { delta, .. } => delta.clone(),
            _ => circumstances.delta().clone(),
        };
        let aggregators = circumstances.honest_of(self.vdaf().num_aggregators());
        let together = |clients: u64| {
            let circumstances =
                Circumstances::new(clients, delta.clone()).with_honest_aggregators(aggregators);
            let law = self.mechanism.law()?;
            let measurement_type = self.clients.measurement_type();
            let randomizer = self.clients.randomizer();
            let joint = randomizer.with_noise(measurement_type, &law, &circumstances);
            joint.ok().flatten()
        };
        let with_noise = match together(1) {
            Some(joint) => better(alone, joint),
            None => alone,
        };
        if trust_model != TrustModel::OneAggregatorMostClients {
            return (with_noise, false);
        }
        let crowd = [
            together(circumstances.honest_clients()),
            self.clients.crowd(circumstances),
        ];
        let best = crowd.into_iter().flatten().reduce(better);
        match best.map(|crowd| better(with_noise.clone(), crowd)) {
            Some(crowd) if crowd != with_noise => (crowd, true),
            _ => (with_noise, false),
        }
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> DpPolicy for Hedged<V, R, N> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn name(&self) -> String {
        let clients = self.clients.name();
        format!("{clients} and {} noise at each aggregator", N::NAME)
    }

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.clients.vdaf()
    }

    fn query(&self) -> Query {
        self.clients.query()
    }

    fn max_reports(&self) -> u64 {
        self.clients.max_reports()
    }

    fn min_reports(&self) -> u64 {
        self.clients.min_reports()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        parameters.extend(self.mechanism.parameters());
        parameters
    }

    fn randomize<G: CryptoRng + ?Sized>(
        &self,
        measurement: &V::Measurement,
        rng: &mut G,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }

    fn add_noise<G: CryptoRng + ?Sized>(
        &self,
        share: &mut [FieldOf<Self>],
        _: u64,
        rng: &mut G,
    ) -> Result<(), Error> {
        NoiseBlock::new().add_to(share, |noise| self.mechanism.fill(rng, noise))
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.clients.divisor(reports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = as_float(self.divisor(reports));
        let variance = self.noise_variance() / (divisor * divisor);
        let aggregators = as_float(self.vdaf().num_aggregators());
        let excess_kurtosis = self.mechanism.excess_kurtosis() / aggregators;
        let clients = self.clients.estimate(totals, reports);
        clients
            .into_iter()
            .map(|estimate| estimate.with_noise(variance, excess_kurtosis))
            .collect()
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        self.clients.covariance(totals, reports, one, other)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let range = self.clients.total_range(reports);
        let highest = range.end().saturating_add(self.noise_bound);
        -self.noise_bound..=highest
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        if trust_model == TrustModel::OneClient {
            return self.clients.guarantee(trust_model, circumstances);
        }
        let (budget, needs_crowd) = self.best(trust_model, circumstances);
        let mut assumptions: Vec<String> = [OWN_FLIPS, HONEST_AGGREGATOR, HIDDEN_SUM]
            .map(str::to_owned)
            .to_vec();
        if needs_crowd {
            assumptions.push(in_a_crowd_of(circumstances));
        }
        let carried = trust_model == TrustModel::OneAggregatorMostClients && !needs_crowd;
        Guarantee {
            trust_model,
            adjacency: Adjacency::Replacement,
            promise: Promise::Proved(budget),
            carried_over_from: carried.then_some(TrustModel::OneAggregatorOneClient),
            assumptions,
            otherwise: self.clients.alone(),
        }
    }
}

const HONEST_AGGREGATOR: &str = "the honest aggregator draws its noise from a sound generator, \
     releases the batch once and forgets its share and its noise";
