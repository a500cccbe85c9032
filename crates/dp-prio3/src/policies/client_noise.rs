//! Noise at the clients, and at the aggregators as well if the policy says so.
//!
//! Each client randomizes its measurement before it shares it. With N reports
//!
//! ```text
//! total_j = Σ_reports R(x)_j,        estimate_j = (total_j − n·E[R(0)_j]) · slope
//! ```
//!
//! The randomizer's own guarantee holds against every adversary (OC). Against one that sees only
//! the sum, the other honest clients' randomness hides each client further (OAMC). Aggregators may
//! add
//!
//! - **noise as if clients did not randomize** ("hedging", draft-wang-ppm-differential-privacy,
//!   section 3.5). Fix the coins of a client. Two of its measurements then become randomized ones
//!   that differ as the measurements do (flips change both in the same bits; a truthful answer is
//!   replaced in both or in neither), so noise that is calibrated for the measurements protects in
//!   OAOC, whatever the coins. Where more is proved of all noise that an adversary does not know
//!   taken together, that is the guarantee;
//! - **the randomized bits of the clients that a batch lacks**: [compensation](super::compensation).

use std::ops::RangeInclusive;

use dp_amplification::compensation::Compensation;
use dp_calibration::utility::{Answers, NoisyTotal};
use dp_calibration::{Budget, Query, TrustModel};
use dp_exact::{Delta, Epsilon, Rational};
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::bounded_noise::{BoundedNoise, room_for_reports};
use super::compensation::Compensator;
use crate::guarantees::{
    BestPair, Circumstances, EpsilonDelta, Guarantee, HONEST_AGGREGATOR, NoiseSource, PrivacyBound,
    ProvedPairs, SlackReason, several_aggregators, without_other_clients,
};
use crate::mechanisms::{NoiseKind, NoiseMechanism, counted};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription, TaskParameters};
#[cfg(feature = "parties")]
use crate::policy::{FieldOf, ShardedMeasurement};
use crate::randomizers::{LocalRandomizer, Rappor};
use crate::types::{MeasurementType, MultihotCountVec, vdaf_name};
use crate::vdaf::Vdaf;
use crate::{Error, Estimate, as_float};

/// Prio3MultihotCountVec with symmetric RAPPOR: min(d, 2w)·ε₀, and far less among honest clients.
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
    /// [`Error::BudgetKind`] if the noise is not calibrated to budgets of that kind; otherwise if
    /// the budget cannot be kept, or totals with noise could leave the field's range.
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
    /// noise could leave the field's range.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        let room = room_for_reports::<V>(self.noise_bound(), self.task.query.max_entry());
        let policy = Self { task: self.task.with_max_reports(max_reports, room)?, ..self };
        // If the largest batch has a plan, every smaller released batch has one.
        policy.plan(max_reports).transpose()?;
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
    #[must_use]
    pub const fn randomizer(&self) -> &R {
        &self.randomizer
    }

    /// The noise of each aggregator; `None` if they add none.
    #[must_use]
    pub const fn mechanism(&self) -> Option<&NoiseMechanism> {
        match &self.added {
            Added::Noise(noise) => Some(&noise.mechanism),
            Added::Nothing | Added::Compensation(_) => None,
        }
    }

    /// Upper bound on the noise of all aggregators in a total, except with probability 2^−64.
    const fn noise_bound(&self) -> i128 {
        match &self.added {
            Added::Noise(noise) => noise.bound,
            Added::Nothing | Added::Compensation(_) => 0,
        }
    }

    /// The bits that compensation adds to a batch of `reports` reports; `None` without compensation.
    fn plan(&self, reports: u64) -> Option<Result<Compensation, Error>> {
        match &self.added {
            Added::Compensation(compensator) => Some(compensator.plan(&self.task, reports)),
            Added::Nothing | Added::Noise(_) => None,
        }
    }

    /// The number of randomized answers or bits in each total: n reports and, with compensation,
    /// those that aggregators add. Without a plan it is n, as then no aggregator releases its share.
    fn randomized_reports(&self, reports: u64) -> u64 {
        self.plan(reports).and_then(Result::ok).map_or(reports, |plan| plan.debias_count())
    }

    /// The least number of honest reports in a released batch, where `honest` are counted on.
    fn least_honest(&self, honest: u64) -> u64 {
        match &self.added {
            Added::Compensation(compensator) => compensator.least_honest(&self.task, honest),
            Added::Nothing | Added::Noise(_) => honest,
        }
    }

    /// The guarantee that is left where nobody but the client is honest: a text that begins with
    /// `case`.
    fn local_fallback(&self, case: &str) -> String {
        let epsilon = &self.local_epsilon;
        format!("{case}, the client's own randomness remains: epsilon {epsilon}")
    }

    /// Upper bound on the (ε, δ) of all reports of one person, against every adversary. δ is at
    /// most the δ of the circumstances. The exact sum of all losses where `is_quick`.
    fn local_pair(
        &self,
        circumstances: &Circumstances,
        is_quick: bool,
    ) -> Result<EpsilonDelta, Error> {
        if circumstances.is_one_report() {
            let none = Delta::new(Rational::zero())?;
            return EpsilonDelta::new(self.local_epsilon.value().clone(), none);
        }
        let adjacency = circumstances.adjacency;
        let releases = self.randomizer.local_releases(&self.measurement_type, adjacency)?;
        if is_quick { releases.pure(circumstances) } else { releases.composed(circumstances) }
    }

    /// Upper bound on the (ε, δ) of all reports of one person in the sums over all honest clients,
    /// with the noise of `honest` aggregators. `None` where nothing better is proved than each gives
    /// alone.
    fn aggregated_pair(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let noise = self.mechanism().filter(|_| honest > 0);
        let noise = noise.map(|noise| (noise.distribution(), counted(honest)));
        self.randomizer.aggregated_guarantee(&self.measurement_type, noise, circumstances)
    }

    /// Upper bound on the (ε, δ) that the `noise` of `honest` aggregators alone proves; `None` if
    /// nothing is proved at the circumstances' δ. The randomizer's drop mismatch probability is
    /// part of δ, so that less δ is left for the noise.
    fn noise_pair(
        &self,
        noise: &NoiseMechanism,
        honest: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let delta = &circumstances.delta;
        let mismatch = self.randomizer.drop_mismatch_probability();
        let mismatch = mismatch * Rational::from(circumstances.reports());
        let left = Delta::new(delta.value() - &mismatch);
        let Some(left) = left.ok().filter(|left| mismatch.is_zero() || left.value().is_positive())
        else {
            return Ok(None);
        };
        let at = circumstances.clone().at(left);
        let Some(pair) = noise.composed_pair(&self.task.query, honest, &at)? else {
            return Ok(None);
        };
        let delta = Delta::new(pair.delta().value() + &mismatch)?;
        EpsilonDelta::new(pair.epsilon().clone(), delta).map(Some)
    }

    /// Upper bound on the (ε, δ) of the client's bits, in the sums over `honest` honest reports, with
    /// the bits of `plan`.
    fn compensated_pair(
        &self,
        honest: u64,
        plan: &Compensation,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let circumstances = circumstances.with_honest_clients(honest);
        self.randomizer.compensated_guarantee(plan, &circumstances)
    }

    /// The best pair that is proved in a trust model. `Err` if not even the client's own pair can
    /// be computed.
    fn best_pair(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<BestPair, Error> {
        let mut pairs = ProvedPairs::default();
        let honest = usize::from(trust_model.honest_aggregators());
        let clients = circumstances.honest_clients;
        let counts_on_clients = trust_model.needs_other_clients();
        match &self.added {
            Added::Noise(noise) if honest > 0 => {
                let noise = &noise.mechanism;
                pairs.add(NoiseSource::Aggregators, self.noise_pair(noise, honest, circumstances));
                let alone = circumstances.with_honest_clients(1);
                let with_noise = self.aggregated_pair(honest, &alone);
                pairs.add(NoiseSource::ClientAndAggregators, with_noise);
                if counts_on_clients {
                    let joint = self.aggregated_pair(honest, circumstances);
                    pairs.add(NoiseSource::ClientsAndAggregators, joint);
                }
            }
            Added::Compensation(compensator) if honest > 0 => {
                let alone = compensator.alone(&self.task).and_then(|plan| match plan {
                    Some(plan) => self.compensated_pair(1, &plan, circumstances),
                    None => Ok(None),
                });
                pairs.add(NoiseSource::ClientAndAggregators, alone);
                if counts_on_clients {
                    let among = compensator.among(&self.task, clients);
                    let among = among.and_then(|(honest, plan)| {
                        self.compensated_pair(honest, &plan, circumstances)
                    });
                    pairs.add(NoiseSource::ClientsAndAggregators, among);
                }
            }
            _ => {}
        }
        if counts_on_clients {
            let circumstances = circumstances.with_honest_clients(self.least_honest(clients));
            pairs.add(NoiseSource::Clients, self.aggregated_pair(0, &circumstances));
        }
        // The reports of a client together lose at least as much as one: then the quick bound is
        // enough.
        let is_better = pairs.reaches(self.local_epsilon.value(), &circumstances.delta);
        let counts_on_others = counts_on_clients || !pairs.is_empty();
        let mut best = pairs.best(self.local_pair(circumstances, is_better)?, &circumstances.delta);
        if counts_on_others {
            best.remarks.extend(self.remark_on_drops(circumstances));
        }
        Ok(best)
    }

    /// A sentence on dropped reports; `None` where a report of any release is dropped with
    /// probability at most δ/100.
    fn remark_on_drops(&self, circumstances: &Circumstances) -> Option<String> {
        let (rate, delta) = (self.randomizer.drop_probability(), &circumstances.delta);
        let releases = Rational::from(100 * u64::from(circumstances.releases));
        (&rate * &releases > *delta.value()).then(|| {
            format!(
                "an honest report is dropped for its weight with a probability of up to {rate}, \
                 which counts against delta {delta}: a lower false-positive rate gives a smaller \
                 epsilon"
            )
        })
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
        let (min, max) = (self.min_reports(), self.max_reports());
        if source.needs_aggregators() || best.also_needs_aggregators {
            let whose = if origin.honest_aggregators() > 1 { "each" } else { "the" };
            assumptions.push(format!("{whose} {HONEST_AGGREGATOR}"));
            if let Added::Compensation(_) = self.added {
                assumptions.push(format!(
                    "the honest aggregator releases no batch of fewer than {min} or more than \
                     {max} reports by its own count: the guarantee holds for every number of \
                     reports between"
                ));
            }
        }
        if source != NoiseSource::Client {
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        if source.needs_other_clients() {
            assumptions.push(match &self.added {
                Added::Compensation(compensator) => {
                    compensator.honest_reports(&self.task, honest_clients)
                }
                Added::Nothing | Added::Noise(_) => honest_reports(honest_clients, min),
            });
        }
        assumptions
    }

    /// The guarantee, in words, that is left if the parties on whom `best` counts in `trust_model`
    /// are not honest. First comes the best pair with one honest aggregator, then the client's own
    /// randomness.
    fn fallback(
        &self,
        trust_model: TrustModel,
        best: &BestPair,
        circumstances: &Circumstances,
    ) -> Result<String, Error> {
        if best.source == NoiseSource::Client {
            return Ok("nothing protects a client that does not randomize".to_owned());
        }
        let several = trust_model.honest_aggregators() > 1;
        let one = match &self.added {
            Added::Nothing => None,
            _ if best.source.needs_other_clients() || several => {
                let one = self.best_pair(TrustModel::OneAggregatorOneClient, circumstances)?;
                Some(one).filter(|one| one.source.needs_aggregators())
            }
            _ => None,
        };
        let case = match (best.source.needs_other_clients(), &one) {
            (true, Some(_)) if several => {
                "if fewer clients or fewer aggregators are honest, but one aggregator is"
            }
            (true, Some(_)) => "if fewer clients are honest, but one aggregator is",
            (false, Some(_)) => "if fewer aggregators are honest, but one is",
            (true, None) => "if fewer clients are honest or all aggregators work together",
            (false, None) => "if all aggregators work together",
        };
        Ok(match one {
            None => self.local_fallback(case),
            Some(one) => {
                let local = self.local_fallback("if all aggregators work together");
                format!("{case}, {} gives {}; {local}", one.source.name(), one.pair.bound())
            }
        })
    }

    /// The guarantee in a trust model. `Err` if not even the client's own pair can be computed.
    fn proved(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Guarantee, Error> {
        let best = self.best_pair(trust_model, circumstances)?;
        // One honest aggregator is enough where none adds noise, and with compensation, since the
        // bits of one count.
        let model = match &self.added {
            Added::Noise(_) => trust_model,
            _ if trust_model.needs_other_clients() => TrustModel::OneAggregatorMostClients,
            _ => TrustModel::OneAggregatorOneClient,
        };
        let origin = match best.source {
            NoiseSource::Client => TrustModel::OneClient,
            NoiseSource::Clients => TrustModel::OneAggregatorMostClients,
            NoiseSource::ClientsAndAggregators => model,
            _ => {
                let one = TrustModel::OneAggregatorOneClient;
                let several = without_other_clients(model);
                let is_of_one =
                    several == one || best.pair == self.best_pair(one, circumstances)?.pair;
                if is_of_one { one } else { several }
            }
        };
        Ok(Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: self.assumptions(&best, origin, circumstances.honest_clients),
            otherwise: self.fallback(model, &best, circumstances)?,
            also: best.also,
            remarks: best.remarks,
            ..Guarantee::new(trust_model, best.pair.bound(), circumstances)
        })
    }
}

impl MultihotRappor {
    /// Bit vectors of `length` with at most `input_weight` ones, flipped with parameter
    /// `epsilon0`. Of honest reports at most the fraction `false_positive_rate` exceeds the weight
    /// bound and is not sent.
    ///
    /// # Errors
    /// If a parameter is out of its range: 2 to 254 aggregators, `input_weight` from 1 to
    /// `length`, a rate from 0 to 1/2; an ε₀ so long that its multiples exceed the size of an
    /// [`Epsilon`].
    pub fn vectors(
        aggregators: usize,
        length: usize,
        input_weight: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        let rappor = || Rappor::new(length, input_weight, epsilon0, false_positive_rate);
        Self::of(aggregators, length, rappor)
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
        Self::of(aggregators, length, || Rappor::one_hot(length, epsilon0, false_positive_rate))
    }

    /// Lets each aggregator add the randomized bits of the clients that a batch lacks, up to `target`
    /// honest reports. `malicious` of the clients' reports are assumed to be known to the adversary.
    /// For vectors with exactly one bit set: for others nothing is proved of the added bits.
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

    /// The policy of vectors of `length` bits with the randomizer that `rappor` makes, and the bound
    /// on the weight of a report that follows from it.
    fn of(
        aggregators: usize,
        length: usize,
        rappor: impl FnOnce() -> Result<Rappor, Error>,
    ) -> Result<Self, Error> {
        // Checks the aggregators and the length; the bound m on the weight is not known yet.
        MultihotCountVec::new(aggregators, length, 1)?;
        let rappor = rappor()?;
        let vectors = MultihotCountVec::new(aggregators, length, rappor.max_weight())?;
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
        match &self.added {
            Added::Compensation(compensator) => compensator.malicious,
            Added::Nothing | Added::Noise(_) => 0,
        }
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
        let of_noise = |noise: &BoundedNoise| noise.recorded(&self.task.query);
        match &self.added {
            Added::Nothing => Mechanism::Clients(clients),
            Added::Noise(noise) => match of_noise(noise) {
                Some(aggregators) => Mechanism::Both { clients, aggregators },
                None => Mechanism::Other(self.name()),
            },
            Added::Compensation(_) => Mechanism::Other(self.name()),
        }
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> Option<dp_ledger::Randomizer> {
        Some(self.randomizer.recorded(&self.measurement_type))
    }

    /// The client's own guarantee holds in every trust model; the noise of aggregators and, in
    /// OAMC, of the other honest clients adds to it, as far as that is proved.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let circumstances = &circumstances.within(self.task.max_reports);
        if let Some(none) = Guarantee::beyond(trust_model, self.aggregators(), circumstances) {
            return none;
        }
        self.proved(trust_model, circumstances).unwrap_or_else(|error| {
            let reason = format!("the client's own guarantee cannot be stated: {error}");
            Guarantee::new(trust_model, PrivacyBound::Absent { reason }, circumstances)
        })
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
        if let Added::Nothing | Added::Compensation(_) = self.added {
            let is_slack = model.needs_other_clients() && has_several;
            return is_slack.then_some(SlackReason::SeveralReports);
        }
        if model == TrustModel::OneClient || circumstances.is_one_report() {
            None
        } else if has_several {
            Some(SlackReason::BetterOfTwo)
        } else {
            matches!(self.task.query, Query::Histogram { .. })
                .then_some(SlackReason::PairComposition)
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

/// The condition of every guarantee that counts on a client's randomness, in words.
const OWN_FLIPS: &str = "the client draws its randomness from a sound generator and \
     sends one report of its measurement: a second one would spend the budget again";

/// A condition, in words, of a guarantee that counts on other parties, who notice a missing report.
const ARRIVAL: &str = "whether a report arrives does not depend on its measurement, but \
     for a bound on its weight, which is counted";

/// A condition, in words, of every guarantee about the sum of reports.
const HIDDEN_SUM: &str = "Prio3 reveals nothing of an honest client's report but the \
     totals (a computational assumption); the number of reports is public";

/// The condition, in words, that `honest_clients` clients are honest, and who can void the
/// condition.
fn honest_reports(honest_clients: u64, min_reports: u64) -> String {
    let ensured = if min_reports >= honest_clients {
        format!(
            "so the honest one releases no batch of fewer than {min_reports} reports by its own \
             count, of which at most {} may be malicious",
            min_reports - honest_clients
        )
    } else {
        format!(
            "the policy's fewest reports, {min_reports}, do not rule it out, at least \
             {honest_clients} would"
        )
    };
    format!(
        "the reports of {honest_clients} honest clients, this one among them, are in the released \
         batch (a malicious aggregator can reject any of them: {ensured})"
    )
}
