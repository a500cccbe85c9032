//! Noise at both ends: clients randomize, and each aggregator adds noise as if they did not.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, section 3.5 ("hedging").
//!
//! Fix the coins of a client. Two of its measurements then become randomized ones that differ as
//! the measurements do (flips change both in the same bits; a truthful answer is replaced in both
//! or in neither), so noise that is calibrated for the measurements protects in OAOC, whatever the
//! coins. The clients' randomness protects in OC, by itself. Where more is proved of all noise that
//! an adversary does not know taken together, that is the guarantee.

use std::ops::RangeInclusive;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Budget, Query, TrustModel};
use dp_exact::{Delta, ParameterError, Rational};
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::bounded_noise::{BoundedNoise, max_signed};
use super::client_noise::{
    ARRIVAL, ClientNoise, HIDDEN_SUM, OWN_FLIPS, honest_reports, of_clients_and_aggregators,
    one_aggregator_fallback,
};
use crate::guarantees::{
    BestPair, Circumstances, EpsilonDelta, Guarantee, NoiseSource, ProvedPairs, SlackReason,
    several_aggregators, without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
use crate::policy::{DpPolicy, PolicyDescription, TaskParameters};
#[cfg(feature = "parties")]
use crate::policy::{FieldOf, ShardedMeasurement};
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;
use crate::vdaf::Vdaf;
use crate::{Error, Estimate, as_float};

/// The policy of type `V` with the randomizer `R` at each client and noise `N` at each aggregator.
///
/// ```
/// use dp_prio3::mechanisms::DiscreteGaussian;
/// use dp_prio3::{Budget, Circumstances, Hedged, MultihotRappor, PolicyDescription, TrustModel};
///
/// let clients = MultihotRappor::one_hot(2, 100, "5".parse()?, &"1e-15".parse()?)?;
/// let budget = Budget::approximate("0.317".parse()?, "1e-9".parse()?);
/// let policy: Hedged<_, _, DiscreteGaussian> = Hedged::new(clients, budget)?;
/// let most_clients = Circumstances::new(100_000, "1e-9".parse()?);
/// for trust_model in TrustModel::ALL {
///     println!("{}", policy.guarantee(trust_model, &most_clients));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Hedged<V, R, N> {
    clients: ClientNoise<V, R>,
    noise: BoundedNoise<N>,
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> Hedged<V, R, N> {
    /// Adds noise to a policy of the clients', calibrated to `budget` for their measurements under
    /// replacement of one.
    ///
    /// # Errors
    /// [`Error::BudgetKind`] if the mechanism is not calibrated to budgets of that kind; otherwise
    /// if the budget cannot be kept, or totals with noise could leave the field's range.
    pub fn new(clients: ClientNoise<V, R>, budget: impl Into<Budget>) -> Result<Self, Error> {
        let noise = BoundedNoise::calibrate(clients.measurement_type(), &clients.query(), budget)?;
        let policy = Self { clients, noise };
        let largest = max_signed::<V>();
        if *policy.total_range(policy.max_reports()).end() > largest {
            let accepted =
                format!("totals and noise below {largest}, not to wrap around the field");
            return Err(ParameterError::new("max_reports", policy.max_reports(), accepted).into());
        }
        Ok(policy)
    }

    /// The policy of the clients.
    #[must_use]
    pub const fn clients(&self) -> &ClientNoise<V, R> {
        &self.clients
    }

    /// The noise of each aggregator.
    #[must_use]
    pub const fn mechanism(&self) -> &N {
        &self.noise.mechanism
    }

    /// For each estimate over `reports` reports the standard error of the clients' randomness
    /// alone, and of all aggregators' noise alone. Their squares add up.
    #[must_use]
    pub fn standard_errors(&self, totals: &[i128], reports: u64) -> Vec<(f64, f64)> {
        let divisor = as_float(self.divisor(reports));
        let noise = self.noise_variance().sqrt() / divisor;
        let clients = self.clients.estimate(totals, reports);
        clients.iter().map(|estimate| (estimate.standard_error, noise)).collect()
    }

    /// The variance that the noise of all aggregators adds to an estimated total, rounded.
    fn noise_variance(&self) -> f64 {
        let slope = self.clients.randomizer().slope();
        as_float(self.aggregators()) * self.mechanism().variance() * slope * slope
    }

    /// Upper bound on the (ε, δ) that the noise of `honest` aggregators alone proves; `None` if
    /// nothing is proved at the circumstances' δ. The randomizer's drop mismatch probability is
    /// part of δ, so that less δ is left for the noise.
    fn noise_pair(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let delta = circumstances.delta();
        let mismatch = self.clients.randomizer().drop_mismatch_probability();
        let mismatch = mismatch * Rational::from(circumstances.reports());
        let left = Delta::new(delta.value() - &mismatch);
        let Some(left) = left.ok().filter(|left| mismatch.is_zero() || left.value().is_positive())
        else {
            return Ok(None);
        };
        let at = circumstances.clone().at(left);
        let Some(pair) = self.mechanism().composed_pair(&self.query(), honest, &at)? else {
            return Ok(None);
        };
        let delta = Delta::new(pair.delta().value() + &mismatch)?;
        EpsilonDelta::new(pair.epsilon().clone(), delta).map(Some)
    }

    /// Upper bound on the (ε, δ) that all honest clients' flips and the noise of `honest`
    /// aggregators prove together; `None` where no joint bound is computed.
    fn joint_pair(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let aggregators = u32::try_from(honest.min(MAX_HONEST)).unwrap_or(1);
        let noise = self.mechanism().distribution();
        let measurement_type = self.clients.measurement_type();
        self.clients.randomizer().aggregated_guarantee(
            measurement_type,
            Some((&noise, aggregators)),
            circumstances,
        )
    }

    /// The best pair that is proved where an aggregator is honest. `Err` if not even the client's
    /// own pair can be computed.
    fn best_pair(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<BestPair, Error> {
        let honest = usize::from(trust_model.honest_aggregators());
        let mut pairs = ProvedPairs::of_client(self.clients.local_pair(circumstances)?);
        pairs.add(NoiseSource::Aggregators, self.noise_pair(honest, circumstances));
        let alone = circumstances.with_honest_clients(1);
        pairs.add(NoiseSource::ClientAndAggregators, self.joint_pair(honest, &alone));
        if trust_model.needs_other_clients() {
            let joint = self.joint_pair(honest, circumstances);
            pairs.add(NoiseSource::ClientsAndAggregators, joint);
            pairs.add(NoiseSource::Clients, self.clients.aggregated_pair(circumstances));
        }
        let mut best = pairs.best(circumstances.delta());
        best.remarks.extend(self.clients.remark_on_drops(circumstances));
        Ok(best)
    }

    /// The conditions, in words, of a guarantee whose pair `best` was proved in the trust model
    /// `origin`.
    fn assumptions(&self, best: &BestPair, origin: TrustModel, honest_clients: u64) -> Vec<String> {
        let source = best.source;
        let mut assumptions = Vec::new();
        if source.needs_aggregators() {
            assumptions.extend(several_aggregators(origin, self.aggregators()));
        }
        if source != NoiseSource::Aggregators {
            assumptions.push(OWN_FLIPS.to_owned());
        }
        if source.needs_aggregators() || best.also_needs_aggregators {
            let whose = if origin.honest_aggregators() > 1 { "each" } else { "the" };
            assumptions.push(format!("{whose} {HONEST_AGGREGATOR}"));
        }
        if source != NoiseSource::Client {
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        if source.needs_other_clients() {
            assumptions.push(honest_reports(honest_clients, self.min_reports()));
        }
        assumptions
    }

    /// The guarantee, in words, that is left if the parties on whom `best` counts are not honest.
    /// First comes `one`, the best pair with one honest aggregator, then the client's own
    /// randomness.
    fn fallback(&self, trust_model: TrustModel, best: &BestPair, one: &BestPair) -> String {
        let local = self.clients.local_fallback("if all aggregators work together");
        let several = trust_model.honest_aggregators() > 1;
        let case = match (best.source.needs_other_clients(), one.source.needs_aggregators()) {
            (true, true) if several => {
                "if fewer clients or fewer aggregators are honest, but one aggregator is"
            }
            (true, true) => "if fewer clients are honest, but one aggregator is",
            (false, true) if several => "if fewer aggregators are honest, but one is",
            (true, false) => {
                let case = "if fewer clients are honest or all aggregators work together";
                return self.clients.local_fallback(case);
            }
            (false, _) => return local,
        };
        one_aggregator_fallback(case, one, &local)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> PolicyDescription
    for Hedged<V, R, N>
{
    fn name(&self) -> String {
        let clients = self.clients.name();
        format!("{clients} and {} noise at each aggregator", N::NAME)
    }

    fn task_parameters(&self) -> &TaskParameters {
        self.clients.task_parameters()
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.clients.parameters();
        // Epsilon by itself is the guarantee of the aggregators' noise.
        for (name, _) in &mut parameters {
            if *name == "epsilon" {
                *name = "local_epsilon";
            }
        }
        parameters.extend(self.mechanism().parameters());
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let clients = self.clients.randomizer().recorded(self.clients.measurement_type());
        match clients.zip(self.noise.recorded(&self.query())) {
            None => dp_ledger::Mechanism::Other(self.name()),
            Some((clients, aggregators)) => dp_ledger::Mechanism::Both { clients, aggregators },
        }
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> crate::policy::ClientRandomization {
        self.clients.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let best = |model, circumstances: &Circumstances| self.best_pair(model, circumstances);
        of_clients_and_aggregators(
            &self.clients,
            trust_model,
            circumstances,
            best,
            |best, one, circumstances| {
                let origin = match best.source {
                    NoiseSource::Client => TrustModel::OneClient,
                    NoiseSource::Clients => TrustModel::OneAggregatorMostClients,
                    NoiseSource::ClientsAndAggregators => trust_model,
                    _ if best.pair == one.pair => TrustModel::OneAggregatorOneClient,
                    _ => without_other_clients(trust_model),
                };
                let assumptions = self.assumptions(best, origin, circumstances.honest_clients());
                (origin, assumptions, self.fallback(trust_model, best, one))
            },
        )
    }

    /// The reason why a stronger guarantee could be proved; `None` where no slack is known. Joint
    /// noise of clients and aggregators is composed over several releases for bits alone, and for
    /// one report of a person.
    fn slack_reason(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        if model == TrustModel::OneClient || circumstances.is_one_report() {
            None
        } else if circumstances.reports_per_client() > 1 {
            Some(SlackReason::BetterOfTwo)
        } else {
            matches!(self.task_parameters().query, Query::Histogram { .. })
                .then_some(SlackReason::PairComposition)
        }
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = as_float(self.divisor(reports));
        let variance = self.noise_variance() / (divisor * divisor);
        let clients = self.clients.estimate(totals, reports);
        clients.into_iter().map(|estimate| estimate.with_noise(variance)).collect()
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        let aggregators = u32::try_from(self.aggregators()).ok()?;
        let clients = self.clients.noisy_total(reports)?;
        Some(clients.with_noise(self.mechanism().distribution(), aggregators))
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        self.clients.covariance(totals, reports, one, other)
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let range = self.clients.total_range(reports);
        let highest = range.end().saturating_add(self.noise.bound);
        -self.noise.bound..=highest
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> DpPolicy for Hedged<V, R, N> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.clients.vdaf()
    }

    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &V::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.clients.randomize(measurement, rng)
    }

    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        _: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        self.mechanism().add_to(share, rng)
    }
}

/// The largest number of honest aggregators whose noise counts together with clients' flips.
const MAX_HONEST: usize = 64;

/// The condition on an honest aggregator, after "each" or "the".
const HONEST_AGGREGATOR: &str = "honest aggregator draws its noise from a sound generator, \
     releases the batch once and forgets its share and its noise";
