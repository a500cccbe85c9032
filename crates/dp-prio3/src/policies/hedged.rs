//! Noise at both ends: clients randomize, and each aggregator adds noise as if they did not.
//!
//! Source: the Internet-Draft draft-wang-ppm-differential-privacy, section 3.5 ("hedging").
//!
//! Fix the coins of a client. Two of its measurements then become randomized ones that differ as
//! the measurements do (flips move both alike; a truthful answer is replaced in both or in
//! neither), so noise that is calibrated for the measurements protects in OAOC, whatever the coins.
//! The clients' randomness protects in OC, by itself. Where more is proved, for all of the noise
//! that an adversary does not know taken together, that is the guarantee.

use std::ops::RangeInclusive;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Budget, Query, TrustModel};
use dp_exact::{Delta, ParameterError, Rational};
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::aggregator_noise::noise_bound;
#[cfg(feature = "parties")]
use super::aggregator_noise::recorded_noise;
use super::client_noise::{ARRIVAL, ClientNoise, HIDDEN_SUM, OWN_FLIPS, in_a_crowd_of, not_stated};
use crate::field::SignedField;
use crate::guarantees::{
    Answer, Circumstances, EpsilonDelta, Fallback, Frontier, Guarantee, Part, SlackReason, several,
    without_other_clients,
};
use crate::mechanisms::NoiseMechanism;
#[cfg(feature = "parties")]
use crate::policy::ClientRandomization;
#[cfg(feature = "parties")]
use crate::policy::ShardedMeasurement;
use crate::policy::{DpPolicy, FieldOf, PolicyDescription};
use crate::randomizers::LocalRandomizer;
use crate::types::MeasurementType;
use crate::vdaf::{Vdaf, VdafKind};
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
        let policy = Self { clients, mechanism, noise_bound };
        let range = policy.total_range(policy.max_reports());
        let largest = FieldOf::<Self>::MAX_SIGNED;
        if *range.end() > largest {
            let accepted =
                format!("totals and noise below {largest}, not to wrap around the field");
            return Err(ParameterError::new("max_reports", policy.max_reports(), accepted).into());
        }
        Ok(policy)
    }

    /// With a least number of reports in a released batch.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self { clients: self.clients.with_min_reports(min_reports)?, ..self })
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
        clients.iter().map(|estimate| (estimate.standard_error, noise)).collect()
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
        // Epsilon by itself is what the aggregators' noise guarantees.
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
        let aggregators = recorded_noise(&self.mechanism, &self.query());
        match clients.zip(aggregators) {
            None => dp_ledger::Mechanism::Other(self.name()),
            Some((clients, aggregators)) => dp_ledger::Mechanism::Both { clients, aggregators },
        }
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        self.clients.client_randomization()
    }

    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let aggregators = self.aggregators();
        let circumstances = &circumstances.within(self.max_reports());
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        if trust_model == TrustModel::OneClient {
            return self.clients.guarantee(trust_model, circumstances);
        }
        let one_aggregator = TrustModel::OneAggregatorOneClient;
        let answers = self.answer(trust_model, circumstances).and_then(|answer| {
            let one = if trust_model == one_aggregator {
                answer.clone()
            } else {
                self.answer(one_aggregator, circumstances)?
            };
            Ok((answer, one))
        });
        let (answer, one) = match answers {
            Ok(answers) => answers,
            Err(error) => return not_stated(trust_model, &error, circumstances),
        };
        let origin = match answer.part {
            Part::Client => TrustModel::OneClient,
            Part::Clients => TrustModel::OneAggregatorMostClients,
            Part::Everything => trust_model,
            _ if answer.loss == one.loss => one_aggregator,
            _ => without_other_clients(trust_model),
        };
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: self.assumptions(&answer, origin, circumstances.honest_clients()),
            otherwise: self.otherwise(trust_model, &answer, &one),
            also: answer.also,
            remarks: answer.remarks,
            ..Guarantee::new(trust_model, answer.loss.bound(), circumstances)
        }
    }

    /// Why more is provable than is stated, if that is known: noise of clients and of aggregators
    /// together is followed over several releases for bits alone, and for one report of a person.
    fn slack_reason(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        let are_bits = !matches!(self.query(), Query::Histogram { .. });
        if trust_model == TrustModel::OneClient || circumstances.is_one_report() {
            None
        } else if circumstances.reports_per_client() > 1 {
            Some(SlackReason::BetterOfTwo)
        } else {
            (!are_bits).then_some(SlackReason::PairComposition)
        }
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.clients.divisor(reports)
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
        Some(clients.with_noise(self.mechanism.law(), aggregators))
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
        self.mechanism.add_to(share, rng)
    }
}

/// The most honest aggregators whose noise is counted together with flips.
const MAX_HONEST: usize = 64;

const HONEST_AGGREGATOR: &str = "honest aggregator draws its noise from a sound generator, \
     releases the batch once and forgets its share and its noise";

impl<V: MeasurementType, R: LocalRandomizer<V>, N: NoiseMechanism> Hedged<V, R, N> {
    /// The aggregators' part by itself. Where a measurement may be dropped and its neighbour not,
    /// that joins δ, so the noise has to do with as much less.
    fn noise_alone(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let asked = circumstances.delta();
        let parted = self.clients.randomizer().parted_by_drops();
        let parted = parted * Rational::from(circumstances.reports());
        let left = Delta::new(asked.value() - &parted);
        let Some(left) = left.ok().filter(|left| parted.is_zero() || left.value().is_positive())
        else {
            return Ok(None);
        };
        let at = circumstances.clone().at(left);
        let Some(loss) = self.mechanism.loss_at(&self.query(), honest, &at)? else {
            return Ok(None);
        };
        let delta = Delta::new(loss.delta().value() + &parted)?;
        EpsilonDelta::new(loss.epsilon().clone(), delta).map(Some)
    }

    /// Flips and noise together, among so many honest clients.
    fn together(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        // The noise of more than these is left out of the account.
        let aggregators = u32::try_from(honest.min(MAX_HONEST))
            .map_err(|_| ParameterError::new("aggregators", honest, "at most 254"))?;
        let measurement_type = self.clients.measurement_type();
        let randomizer = self.clients.randomizer();
        randomizer.with_noise(measurement_type, &self.mechanism.law(), aggregators, circumstances)
    }

    /// The best of all that is proved where an aggregator is honest.
    fn answer(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Answer, Error> {
        let honest = usize::from(trust_model.honest_aggregators());
        let mut frontier = Frontier::of_client(self.clients.local_loss(circumstances)?);
        frontier.add(Part::Aggregators, self.noise_alone(honest, circumstances));
        let alone = circumstances.with_honest_clients(1);
        frontier.add(Part::Both, self.together(honest, &alone));
        if trust_model.needs_other_clients() {
            frontier.add(Part::Everything, self.together(honest, circumstances));
            frontier.add(Part::Clients, self.clients.crowd(circumstances));
        }
        let mut answer = frontier.answer(circumstances.delta());
        answer.remarks.extend(self.clients.about_drops(circumstances));
        Ok(answer)
    }

    /// What a guarantee rests on, by the parts that it counts on.
    fn assumptions(
        &self,
        answer: &Answer,
        trust_model: TrustModel,
        honest_clients: u64,
    ) -> Vec<String> {
        let part = answer.part;
        let mut assumptions = Vec::new();
        if part.needs_noise() {
            assumptions.extend(several(trust_model, self.aggregators()));
        }
        if part != Part::Aggregators {
            assumptions.push(OWN_FLIPS.to_owned());
        }
        if part.needs_noise() || answer.also_needs_noise {
            let whose = match trust_model.honest_aggregators() {
                0 | 1 => "the",
                _ => "each",
            };
            assumptions.push(format!("{whose} {HONEST_AGGREGATOR}"));
        }
        if part != Part::Client {
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        if part.needs_other_clients() {
            assumptions.push(in_a_crowd_of(honest_clients, self.min_reports()));
        }
        assumptions
    }

    /// What remains if those whom `answer` counts on are not honest: first what one honest
    /// aggregator still gives, then the client's own randomness.
    fn otherwise(&self, trust_model: TrustModel, answer: &Answer, one: &Answer) -> Fallback {
        let nobody = self.clients.alone("if all aggregators work together");
        let several = trust_model.honest_aggregators() > 1;
        let weaker = match (answer.part.needs_other_clients(), one.part.needs_noise()) {
            (true, true) if several => {
                "if fewer clients or fewer aggregators are honest, but one aggregator is"
            }
            (true, true) => "if fewer clients are honest, but one aggregator is",
            (false, true) if several => "if fewer aggregators are honest, but one is",
            (true, false) => {
                return self
                    .clients
                    .alone("if fewer clients are honest or all aggregators work together");
            }
            (false, _) => return nobody,
        };
        Fallback::from(format!("{weaker}, {} gives ", one.part.name()))
            .one_aggregator(one.loss.bound())
            .words("; ")
            .then(nobody)
    }
}
