//! Noise at the clients, and at the aggregators as well if the policy says so.
//!
//! Each client randomizes its measurement before it shares it. With n reports, the
//! randomizer R and measurements x
//!
//! ```text
//! total_j = Σ_reports R(x)_j,        estimate_j = (total_j − n·E[R(0)_j]) · slope
//! ```
//!
//! The randomizer's own guarantee holds against every adversary (OC), the other honest clients'
//! randomness hides a client in their sum (OAMC). Aggregators may add
//!
//! - **noise as if clients did not randomize** ("hedging", draft-wang-ppm-differential-privacy,
//!   section 3.5). With the coins of a client fixed, two of its measurements become randomized ones
//!   that differ as the measurements do, so that noise calibrated for the measurements protects in
//!   OAOC, whatever the coins; where more is proved of all noise together, that is the guarantee;
//! - **the randomized bits of the clients that a batch lacks**: [compensation](super::compensation).

mod guarantee;

use std::ops::RangeInclusive;

use dp_calibration::utility::{Answers, NoisyTotal};
use dp_calibration::{Budget, Query, TrustModel};
use dp_exact::{Epsilon, Rational};
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use self::guarantee::unproved;
use super::compensation::Compensator;
use super::{BoundedNoise, room_for_reports};
use crate::guarantees::{Circumstances, Guarantee, PrivacyBound, SlackReason};
use crate::mechanisms::{NoiseKind, NoiseMechanism};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription, TaskParameters};
#[cfg(feature = "parties")]
use crate::policy::{FieldOf, ShardedMeasurement};
use crate::randomizers::{LocalRandomizer, Rappor};
use crate::types::{MeasurementType, MultihotCountVec, Vdaf, vdaf_name};
use crate::{Error, Estimate, as_float};

/// Prio3MultihotCountVec with symmetric RAPPOR, whose bits hide more among honest clients.
pub type MultihotRappor = ClientNoise<MultihotCountVec, Rappor>;

/// The policy of type `V` with the randomizer `R` at each client, and with noise at each aggregator
/// as well if the policy says so.
#[derive(Clone, Debug)]
pub struct ClientNoise<V, R> {
    measurement_type: V,
    randomizer: R,
    /// Upper bound on the ε of one report under replacement, against every adversary.
    local_epsilon: Epsilon,
    task: TaskParameters,
    added: Added,
}

/// What each aggregator adds to its share.
#[derive(Clone, Debug)]
enum Added {
    Nothing,
    Noise(BoundedNoise),
    Compensation(Compensator),
}

impl Added {
    const fn noise(&self) -> Option<&BoundedNoise> {
        if let Self::Noise(noise) = self { Some(noise) } else { None }
    }

    const fn compensator(&self) -> Option<&Compensator> {
        if let Self::Compensation(compensator) = self { Some(compensator) } else { None }
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// Randomizes the measurements of this type. A batch holds at most [`DEFAULT_MAX_REPORTS`].
    ///
    /// # Errors
    /// If the randomizer is for measurements of another length or weight, or guarantees an ε beyond
    /// the size of an [`Epsilon`].
    pub fn new(measurement_type: V, randomizer: R) -> Result<Self, Error> {
        randomizer.check_type(&measurement_type)?;
        let local_epsilon = randomizer.local_epsilon(&measurement_type)?;
        let task = TaskParameters {
            query: randomizer.query(&measurement_type),
            aggregators: measurement_type.vdaf().num_aggregators(),
            min_reports: 1,
            max_reports: DEFAULT_MAX_REPORTS,
        };
        Ok(Self { measurement_type, randomizer, local_epsilon, task, added: Added::Nothing })
    }

    /// Adds noise at each aggregator, calibrated to `budget` for the clients' measurements under
    /// replacement of one.
    ///
    /// # Errors
    /// If the noise is not calibrated to budgets of that kind, the budget cannot be kept, or totals
    /// with noise could leave the field's range.
    pub fn with_noise(self, kind: NoiseKind, budget: impl Into<Budget>) -> Result<Self, Error> {
        let query = &self.task.query;
        let noise = BoundedNoise::calibrate(kind, &self.measurement_type, query, budget)?;
        let max_reports = self.task.max_reports;
        Self { added: Added::Noise(noise), ..self }.with_max_reports(max_reports)
    }

    /// Sets the most reports in a batch.
    ///
    /// # Errors
    /// If the bound is below the least number of reports, or so large that the totals with their
    /// noise could leave the field's range, or no compensation is proved for that bound.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        let room = room_for_reports::<V>(self.noise_bound(), self.task.query.max_entry());
        let policy = Self { task: self.task.with_max_reports(max_reports, room)?, ..self };
        if let Some(compensator) = policy.added.compensator() {
            // If the largest batch has a plan, every smaller released batch has one.
            compensator.plan(&policy.task, max_reports)?;
        }
        Ok(policy)
    }

    /// Sets the least number of reports in a released batch.
    ///
    /// # Errors
    /// If it is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self { task: self.task.with_min_reports(min_reports)?, ..self })
    }

    /// The randomizer.
    pub const fn randomizer(&self) -> &R {
        &self.randomizer
    }

    /// The noise of each aggregator; `None` if they add none.
    #[must_use]
    pub fn mechanism(&self) -> Option<&NoiseMechanism> {
        self.added.noise().map(|noise| &noise.mechanism)
    }

    /// Upper bound on the noise of all aggregators in a total, except with probability 2^−64.
    fn noise_bound(&self) -> i128 {
        self.added.noise().map_or(0, |noise| noise.bound)
    }

    /// The number of randomized answers or bits in each total: n reports and, with compensation,
    /// those that aggregators add. Without a plan it is n, as then no aggregator releases its share.
    fn randomized_reports(&self, reports: u64) -> u64 {
        let plan = self.added.compensator().and_then(|added| added.plan(&self.task, reports).ok());
        plan.map_or(reports, |plan| plan.debias_count())
    }
}

impl MultihotRappor {
    /// Bit vectors of `length` with at most `input_weight` ones, flipped with parameter
    /// `epsilon0`. Of honest reports at most the fraction `false_positive_rate` exceeds the weight
    /// bound and is not sent.
    ///
    /// # Errors
    /// Unless there are 2 to 254 aggregators; as [`Rappor::new`]; if ε₀ is so long that its
    /// multiples exceed the size of an [`Epsilon`].
    pub fn vectors(
        aggregators: usize,
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        Self::of(aggregators, Rappor::new(length, input_weight, epsilon0, false_positive_rate)?)
    }

    /// Vectors of `length` bits, exactly one of them set.
    ///
    /// # Errors
    /// As for [`Self::vectors`].
    pub fn one_hot(
        aggregators: usize,
        length: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        Self::of(aggregators, Rappor::one_hot(length, epsilon0, false_positive_rate)?)
    }

    /// Lets each aggregator add the randomized bits of the clients that a batch lacks, up to `target`
    /// honest reports. `malicious` of the clients' reports are assumed to be known to the adversary.
    /// For vectors of at most one bit set: of others nothing is proved of the added bits.
    ///
    /// # Errors
    /// If `target` is not from 1 to 10^10, or `malicious` is not below the reports of a full batch,
    /// or a full batch has more than 10^10.
    pub fn with_compensation(self, target: u64, malicious: u64) -> Result<Self, Error> {
        let bits = self.randomizer.bits().clone();
        let compensator = Compensator::new(bits, target, malicious, &self.task)?;
        let max_reports = self.task.max_reports;
        Self { added: Added::Compensation(compensator), ..self }.with_max_reports(max_reports)
    }

    /// The policy of the vectors that `rappor` randomizes.
    fn of(aggregators: usize, rappor: Rappor) -> Result<Self, Error> {
        let vectors = MultihotCountVec::new(aggregators, rappor.length(), rappor.max_weight())?;
        Self::new(vectors, rappor)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> PolicyDescription for ClientNoise<V, R> {
    fn name(&self) -> String {
        let clients = format!("{} with {} at each client", vdaf_name(&self.task.query), R::NAME);
        match &self.added {
            Added::Nothing => clients,
            Added::Noise(noise) => {
                format!("{clients} and {} noise at each aggregator", noise.mechanism.kind().name())
            }
            Added::Compensation(_) => format!("{clients}, made up for by each aggregator"),
        }
    }

    fn task_parameters(&self) -> &TaskParameters {
        &self.task
    }

    fn assumed_malicious(&self) -> u64 {
        self.added.compensator().map_or(0, |compensator| compensator.malicious)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.randomizer.parameters());
        parameters.extend(self.task.limits());
        match &self.added {
            Added::Nothing => {}
            Added::Noise(noise) => {
                // Epsilon by itself is the guarantee of the aggregators' noise.
                for (name, _) in &mut parameters {
                    if *name == "epsilon" {
                        *name = "local_epsilon";
                    }
                }
                parameters.extend(noise.mechanism.parameters());
            }
            Added::Compensation(compensator) => parameters.extend(compensator.parameters()),
        }
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        use dp_ledger::Mechanism;
        let clients = self.randomizer.recorded(&self.measurement_type);
        if let Added::Nothing = self.added {
            return Mechanism::Clients(clients);
        }
        match self.added.noise().and_then(|noise| noise.recorded(&self.task.query)) {
            Some(aggregators) => Mechanism::Both { clients, aggregators },
            None => Mechanism::Other(self.name()),
        }
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> Option<dp_ledger::Randomizer> {
        Some(self.randomizer.recorded(&self.measurement_type))
    }

    /// The client's own guarantee holds in every trust model; the noise of aggregators and, in
    /// OAMC, of the other honest clients adds to it, as far as that is proved.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let circumstances = &self.within_batch(circumstances);
        if let Some(none) = Guarantee::beyond(trust_model, self.aggregators(), circumstances) {
            return none;
        }
        self.proved(trust_model, circumstances)
            .unwrap_or_else(|error| Guarantee::new(trust_model, unproved(error), circumstances))
    }

    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        let circumstances = &self.within_batch(circumstances);
        if let Some(none) = Guarantee::beyond(trust_model, self.aggregators(), circumstances) {
            return none.bound;
        }
        let best = self.best_pair(trust_model, circumstances);
        best.map_or_else(unproved, |best| PrivacyBound::Proved(best.pair.budget()))
    }

    /// The reason why a stronger guarantee could be proved; `None` where no slack is known. Joint
    /// noise of clients and aggregators is composed over several releases for bits alone, and for
    /// one report of a person.
    fn slack_reason(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        let has_several = circumstances.reports_per_client > 1;
        match self.added.noise() {
            None => {
                let is_slack = model.needs_other_clients() && has_several;
                is_slack.then_some(SlackReason::SeveralReports)
            }
            _ if model == TrustModel::OneClient || circumstances.is_one_report() => None,
            _ if has_several => Some(SlackReason::BetterOfTwo),
            _ => matches!(self.task.query, Query::Histogram { .. })
                .then_some(SlackReason::PairComposition),
        }
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let (randomized, divisor) = (self.randomized_reports(reports), self.divisor(reports));
        let noise = self.mechanism().map_or(0.0, |noise| {
            let stretched = self.randomizer.slope() / as_float(divisor);
            as_float(self.aggregators()) * noise.variance() * stretched * stretched
        });
        let estimate = |total: &i128| {
            self.randomizer.estimate(*total, randomized).divided(divisor).with_noise(noise)
        };
        totals.iter().map(estimate).collect()
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        let [held, other] = self.randomizer.report_probabilities();
        let reports = self.randomized_reports(reports);
        let clients = NoisyTotal::of_clients(Answers { reports, held, other });
        let aggregators = u32::try_from(self.aggregators()).ok()?;
        Some(match self.mechanism() {
            Some(noise) => clients.with_noise(noise.distribution().clone(), aggregators),
            None => clients,
        })
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        let reports = self.randomized_reports(reports);
        let estimate = |index| totals.get(index).map(|t| self.randomizer.estimate(*t, reports));
        match (estimate(one), estimate(other)) {
            (Some(one), Some(other)) => self.randomizer.covariance(&one, &other, reports),
            _ => 0.0,
        }
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let reports = u128::from(self.randomized_reports(reports));
        let largest = reports.saturating_mul(self.task.query.max_entry());
        let largest = i128::try_from(largest).unwrap_or(i128::MAX);
        -self.noise_bound()..=largest.saturating_add(self.noise_bound())
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> DpPolicy for ClientNoise<V, R> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.measurement_type.vdaf()
    }

    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &V::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        self.randomizer.randomize(&self.measurement_type, measurement, rng)
    }

    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        match &self.added {
            Added::Nothing => Ok(()),
            Added::Noise(noise) => noise.mechanism.add_to(share, rng),
            Added::Compensation(compensator) => compensator.add_to(&self.task, share, reports, rng),
        }
    }
}
