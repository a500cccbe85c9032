//! Noise at the clients: each randomizes its measurement before it shares it, and the aggregators
//! add nothing.
//!
//! ```text
//! total_j = Σ_reports R(x)_j,        estimate_j = (total_j − n·E[R(0)_j]) · slope
//! ```
//!
//! The randomizer's own guarantee holds against every adversary (OC). Against one that sees only
//! the sum, the other honest clients' randomness hides each client further (OAMC).

use std::ops::RangeInclusive;

use dp_calibration::TrustModel;
use dp_calibration::utility::{Answers, NoisyTotal};
use dp_exact::{Delta, Epsilon, Rational};
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use crate::error::within;
use crate::guarantees::{
    BestPair, Circumstances, EpsilonDelta, Guarantee, NoiseSource, PrivacyBound, ProvedPairs,
    SlackReason,
};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription, TaskParameters};
#[cfg(feature = "parties")]
use crate::policy::{FieldOf, ShardedMeasurement};
use crate::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use crate::types::{Count, Histogram, MeasurementType, MultihotCountVec, vdaf_name};
use crate::vdaf::Vdaf;
use crate::{Error, Estimate};

/// Prio3Count with randomized response: ε.
pub type CountResponse = ClientNoise<Count, RandomizedResponse>;

/// Prio3Count with the coin-flip survey: ln 3.
pub type CountCoinFlip = ClientNoise<Count, CoinFlip>;

/// Prio3Histogram with k-ary randomized response: ε.
pub type HistogramResponse = ClientNoise<Histogram, KaryRandomizedResponse>;

/// Prio3MultihotCountVec with symmetric RAPPOR: min(d, 2w)·ε₀, and far less among honest clients.
pub type MultihotRappor = ClientNoise<MultihotCountVec, Rappor>;

/// The policy of type `V` with the randomizer `R` at each client.
#[derive(Clone, Debug)]
pub struct ClientNoise<V, R> {
    measurement_type: V,
    randomizer: R,
    /// Upper bound on the ε of one report under replacement, against every adversary.
    local_epsilon: Epsilon,
    task: TaskParameters,
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
        Ok(Self { measurement_type, randomizer, local_epsilon, task })
    }

    /// Sets the most reports in a batch.
    ///
    /// # Errors
    /// If the bound is below the least number of reports, or above 2^63: more totals would not fit
    /// the field.
    pub fn with_max_reports(mut self, max_reports: u64) -> Result<Self, Error> {
        within("max_reports", max_reports, self.task.min_reports..=1 << 63)?;
        self.task.max_reports = max_reports;
        Ok(self)
    }

    /// Sets the least number of reports in a released batch.
    ///
    /// # Errors
    /// If it is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self { task: self.task.with_min_reports(min_reports)?, ..self })
    }

    /// The Prio3 type, of the randomized measurements.
    #[must_use]
    pub const fn measurement_type(&self) -> &V {
        &self.measurement_type
    }

    /// The randomizer.
    #[must_use]
    pub const fn randomizer(&self) -> &R {
        &self.randomizer
    }

    /// The ε of one report under replacement, against every adversary.
    #[must_use]
    pub const fn local_epsilon(&self) -> &Epsilon {
        &self.local_epsilon
    }

    /// The guarantee that is left where nobody but the client is honest: a text that begins with
    /// `case`.
    pub(super) fn local_fallback(&self, case: &str) -> String {
        let epsilon = &self.local_epsilon;
        format!("{case}, the client's own randomness remains: epsilon {epsilon}")
    }

    /// Upper bound on the (ε, δ) of all reports of one person, against every adversary. δ is at
    /// most the δ of the circumstances.
    pub(super) fn local_pair(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        if circumstances.is_one_report() {
            let none = Delta::new(Rational::zero())?;
            return EpsilonDelta::new(self.local_epsilon.value().clone(), none);
        }
        let adjacency = circumstances.adjacency();
        self.randomizer.local_releases(&self.measurement_type, adjacency)?.composed(circumstances)
    }

    /// Upper bound on the (ε, δ) of all reports of one person in the sums over all honest clients. `None`
    /// where nothing better than the client's own randomness is proved.
    pub(super) fn aggregated_pair(
        &self,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        self.randomizer.aggregated_guarantee(&self.measurement_type, None, circumstances)
    }

    /// A sentence on dropped reports; `None` where a report is dropped with probability at most
    /// δ/100.
    pub(super) fn remark_on_drops(&self, circumstances: &Circumstances) -> Option<String> {
        let (rate, delta) = (self.randomizer.drop_probability(), circumstances.delta());
        (&rate * &Rational::from(100u64) > *delta.value()).then(|| {
            format!(
                "an honest report is dropped for its weight with a probability of up to {rate}, \
                 which counts against delta {delta}: a lower false-positive rate gives a smaller \
                 epsilon"
            )
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
        Self::of(aggregators, length, || {
            Rappor::new(length, input_weight, epsilon0, false_positive_rate)
        })
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

    /// The policy of vectors of `length` bits with the randomizer that `rappor` makes, and the bound on the
    /// weight of a report that follows from it.
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
        format!("{} with {} at each client", vdaf_name(&self.task.query), R::NAME)
    }

    fn task_parameters(&self) -> &TaskParameters {
        &self.task
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.randomizer.parameters());
        parameters.extend(self.task.limits());
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let clients = self.randomizer.recorded(&self.measurement_type);
        clients
            .map_or_else(|| dp_ledger::Mechanism::Other(self.name()), dp_ledger::Mechanism::Clients)
    }

    /// The client's own guarantee holds in every trust model. In OAMC the other honest clients add
    /// to it, as far as that is proved for this randomizer.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let circumstances = &circumstances.within(self.task.max_reports);
        if let Some(none) = Guarantee::beyond(trust_model, self.aggregators(), circumstances) {
            return none;
        }
        let aggregated = match trust_model.needs_other_clients() {
            true => self.aggregated_pair(circumstances),
            false => Ok(None),
        };
        // The reports of a client together lose at least as much as one: then the quick bound is
        // enough.
        let is_better =
            matches!(&aggregated, Ok(Some(pair)) if pair.epsilon() <= self.local_epsilon.value());
        let local = match is_better {
            true => self
                .randomizer
                .local_releases(&self.measurement_type, circumstances.adjacency())
                .and_then(|releases| releases.pure(circumstances)),
            false => self.local_pair(circumstances),
        };
        let mut pairs = match local {
            Ok(local) => ProvedPairs::of_client(local),
            Err(error) => return without_local_guarantee(trust_model, &error, circumstances),
        };
        pairs.add(NoiseSource::Clients, aggregated);
        let mut best = pairs.best(circumstances.delta());
        if trust_model.needs_other_clients() {
            best.remarks.extend(self.remark_on_drops(circumstances));
        }
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        // No aggregator adds noise, so one honest aggregator is enough.
        let (origin, otherwise) = if best.source.needs_other_clients() {
            let honest_clients = circumstances.honest_clients();
            assumptions.push(honest_reports(honest_clients, self.task.min_reports));
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
            let case = "if fewer clients are honest or all aggregators work together";
            (TrustModel::OneAggregatorMostClients, self.local_fallback(case))
        } else {
            let otherwise = "nothing protects a client that does not randomize".to_owned();
            (TrustModel::OneClient, otherwise)
        };
        from_best_pair(trust_model, circumstances, best, origin, assumptions, otherwise)
    }

    fn slack_reason(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        (model.needs_other_clients() && circumstances.reports_per_client() > 1)
            .then_some(SlackReason::SeveralReports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = self.divisor(reports);
        let estimate = |total: &i128| self.randomizer.estimate(*total, reports).divided(divisor);
        totals.iter().map(estimate).collect()
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        let [held, other] = self.randomizer.report_probabilities();
        Some(NoisyTotal::of_clients(Answers { reports, held, other }))
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        let estimate = |index| totals.get(index).map(|t| self.randomizer.estimate(*t, reports));
        match (estimate(one), estimate(other)) {
            (Some(one), Some(other)) => self.randomizer.covariance(&one, &other, reports),
            _ => 0.0,
        }
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let largest = u128::from(reports).saturating_mul(self.task.query.max_entry());
        0..=i128::try_from(largest).unwrap_or(i128::MAX)
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

    /// Adds nothing: the noise is the clients'.
    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        _: &mut [FieldOf<Self>],
        _: u64,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }
}

/// The guarantee with the pair of `best`, which was proved in the trust model `origin`.
fn from_best_pair(
    trust_model: TrustModel,
    circumstances: &Circumstances,
    best: BestPair,
    origin: TrustModel,
    assumptions: Vec<String>,
    otherwise: String,
) -> Guarantee {
    Guarantee {
        also: best.also,
        carried_over_from: (origin != trust_model).then_some(origin),
        assumptions,
        otherwise,
        remarks: best.remarks,
        ..Guarantee::new(trust_model, best.pair.bound(), circumstances)
    }
}

/// The guarantee of a policy whose clients randomize and whose aggregators also add noise.
///
/// `best` gives the best pair in a trust model. `conditions` takes this pair, and the best pair
/// with a single honest aggregator and no other honest client. It returns the trust model of the
/// proof, the assumptions and the fallback.
pub(super) fn of_clients_and_aggregators(
    clients: &dyn PolicyDescription,
    trust_model: TrustModel,
    circumstances: &Circumstances,
    best: impl Fn(TrustModel, &Circumstances) -> Result<BestPair, Error>,
    conditions: impl FnOnce(&BestPair, &BestPair, &Circumstances) -> (TrustModel, Vec<String>, String),
) -> Guarantee {
    let circumstances = &circumstances.within(clients.max_reports());
    if let Some(none) = Guarantee::beyond(trust_model, clients.aggregators(), circumstances) {
        return none;
    }
    if trust_model == TrustModel::OneClient {
        return clients.guarantee(trust_model, circumstances);
    }
    let one_aggregator = TrustModel::OneAggregatorOneClient;
    let pairs = best(trust_model, circumstances).and_then(|pair| {
        let one = match trust_model == one_aggregator {
            true => pair.clone(),
            false => best(one_aggregator, circumstances)?,
        };
        Ok((pair, one))
    });
    match pairs {
        Ok((pair, one)) => {
            let (origin, assumptions, otherwise) = conditions(&pair, &one, circumstances);
            from_best_pair(trust_model, circumstances, pair, origin, assumptions, otherwise)
        }
        Err(error) => without_local_guarantee(trust_model, &error, circumstances),
    }
}

/// The text of a fallback: in the given `case` the pair `one` of one honest aggregator, then the
/// client's own guarantee `local`.
pub(super) fn one_aggregator_fallback(case: &str, one: &BestPair, local: &str) -> String {
    format!("{case}, {} gives {}; {local}", one.source.name(), one.pair.bound())
}

/// The absent guarantee where not even the client's own one can be computed.
fn without_local_guarantee(
    trust_model: TrustModel,
    error: &Error,
    circumstances: &Circumstances,
) -> Guarantee {
    let reason = format!("the client's own guarantee cannot be stated: {error}");
    Guarantee::new(trust_model, PrivacyBound::Absent { reason }, circumstances)
}

/// The condition of every guarantee that counts on a client's randomness, in words.
pub(super) const OWN_FLIPS: &str = "the client draws its randomness from a sound generator and \
     sends one report of its measurement: a second one would spend the budget again";

/// A condition, in words, of a guarantee that counts on other parties, who notice a missing report.
pub(super) const ARRIVAL: &str = "whether a report arrives does not depend on its measurement, but \
     for a bound on its weight, which is counted";

/// A condition, in words, of every guarantee about the sum of reports.
pub(super) const HIDDEN_SUM: &str = "Prio3 reveals nothing of an honest client's report but the \
     totals (a computational assumption); the number of reports is public";

/// The condition, in words, that `honest_clients` clients are honest, and who can void the
/// condition.
pub(super) fn honest_reports(honest_clients: u64, min_reports: u64) -> String {
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
