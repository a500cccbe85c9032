//! Noise at the clients: each randomizes its measurement before it shares it, and the aggregators
//! add nothing.
//!
//! ```text
//! total_j = Σ_reports R(x)_j,        estimate_j = (total_j − n·E[R(0)_j]) · slope
//! ```
//!
//! The guarantee of the randomizer by itself holds against everybody (OC). Where only the sum is
//! seen, the other honest clients' randomness hides each client further (OAMC).

use std::ops::RangeInclusive;

use dp_calibration::utility::{Answers, NoisyTotal};
use dp_calibration::{Query, TrustModel};
use dp_exact::{Delta, Epsilon, Rational};
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use crate::error::within;
use crate::guarantees::{
    Circumstances, EpsilonDelta, Fallback, Frontier, Guarantee, Part, PrivacyBound, SlackReason,
};
#[cfg(feature = "parties")]
use crate::policy::{ClientRandomization, FieldOf, ShardedMeasurement};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription};
use crate::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use crate::types::{Count, Histogram, MeasurementType, MultihotCountVec};
use crate::vdaf::{Vdaf, VdafKind};
use crate::{Error, Estimate};

/// Prio3Count with randomized response: ε.
pub type CountResponse = ClientNoise<Count, RandomizedResponse>;

/// Prio3Count with the coin-flip survey: ln 3.
pub type CountCoinFlip = ClientNoise<Count, CoinFlip>;

/// Prio3Histogram with k-ary randomized response: ε.
pub type HistogramResponse = ClientNoise<Histogram, KaryRandomizedResponse>;

/// Prio3MultihotCountVec with symmetric RAPPOR: min(d, 2w)·ε₀, and far less in a crowd.
pub type MultihotRappor = ClientNoise<MultihotCountVec, Rappor>;

/// The policy of type `V` with the randomizer `R` at each client.
#[derive(Clone, Debug)]
pub struct ClientNoise<V, R> {
    measurement_type: V,
    randomizer: R,
    local_epsilon: Epsilon,
    min_reports: u64,
    max_reports: u64,
}

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// Randomizes the measurements of this type. A batch holds at most [`DEFAULT_MAX_REPORTS`].
    ///
    /// # Errors
    ///
    /// If the randomizer is for measurements of another length or weight, or guarantees an ε beyond
    /// the size of an [`Epsilon`].
    pub fn new(measurement_type: V, randomizer: R) -> Result<Self, Error> {
        randomizer.fits(&measurement_type)?;
        let local_epsilon = randomizer.local_epsilon(&measurement_type)?;
        Ok(Self {
            measurement_type,
            randomizer,
            local_epsilon,
            min_reports: 1,
            max_reports: DEFAULT_MAX_REPORTS,
        })
    }

    /// With another bound on the reports in a batch.
    ///
    /// # Errors
    ///
    /// If the bound is below that on the fewest reports, or above 2^63: more totals would not fit
    /// the field.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        within("max_reports", max_reports, self.min_reports..=1 << 63)?;
        Ok(Self { max_reports, ..self })
    }

    /// With a least number of reports in a released batch.
    ///
    /// # Errors
    ///
    /// If that is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        within("min_reports", min_reports, 1..=self.max_reports)?;
        Ok(Self { min_reports, ..self })
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

    /// The ε of one report under replacement, whoever reads it.
    #[must_use]
    pub const fn local_epsilon(&self) -> &Epsilon {
        &self.local_epsilon
    }
}

impl MultihotRappor {
    /// Bit vectors of `length` with at most `input_weight` ones, flipped with parameter
    /// `epsilon0`. Of honest reports at most the fraction `false_positive_rate` exceeds the weight
    /// bound and is not sent.
    ///
    /// # Errors
    ///
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
        // Checks the aggregators and the length; the bound m on the weight is not known yet.
        MultihotCountVec::new(aggregators, length, 1)?;
        let rappor = Rappor::new(length, input_weight, epsilon0, false_positive_rate)?;
        Self::with_bound(aggregators, rappor)
    }

    /// Vectors of `length` bits of which exactly one is set.
    ///
    /// # Errors
    ///
    /// As for [`Self::vectors`].
    pub fn one_hot(
        aggregators: usize,
        length: usize,
        epsilon0: Epsilon,
        false_positive_rate: &Rational,
    ) -> Result<Self, Error> {
        MultihotCountVec::new(aggregators, length, 1)?;
        let rappor = Rappor::one_hot(length, epsilon0, false_positive_rate)?;
        Self::with_bound(aggregators, rappor)
    }

    fn with_bound(aggregators: usize, rappor: Rappor) -> Result<Self, Error> {
        let (length, max_weight) = (rappor.length(), rappor.max_weight());
        let vectors = MultihotCountVec::new(aggregators, length, max_weight)?;
        Self::new(vectors, rappor)
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> PolicyDescription for ClientNoise<V, R> {
    fn name(&self) -> String {
        format!("{} with {} at each client", V::KIND, R::NAME)
    }

    fn vdaf_kind(&self) -> VdafKind {
        V::KIND
    }

    fn aggregators(&self) -> usize {
        self.measurement_type.vdaf().num_aggregators()
    }

    fn query(&self) -> Query {
        self.randomizer.query(&self.measurement_type)
    }

    fn min_reports(&self) -> u64 {
        self.min_reports
    }

    fn max_reports(&self) -> u64 {
        self.max_reports
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.randomizer.parameters());
        parameters.push(("min_reports", self.min_reports.to_string()));
        parameters.push(("max_reports", self.max_reports.to_string()));
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let clients = self.randomizer.recorded(&self.measurement_type);
        clients
            .map_or_else(|| dp_ledger::Mechanism::Other(self.name()), dp_ledger::Mechanism::Clients)
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        let recorded = self.randomizer.recorded(&self.measurement_type);
        recorded.map_or(ClientRandomization::Unknown, ClientRandomization::Randomizer)
    }

    /// The guarantee of the client alone holds against everybody, hence in every trust model. In OAMC
    /// the other honest clients add to it, as far as that is proved for this randomizer.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let aggregators = self.aggregators();
        let circumstances = &circumstances.within(self.max_reports());
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        let crowd = match trust_model.needs_other_clients() {
            true => self.crowd(circumstances),
            false => Ok(None),
        };
        // What a client's reports guarantee together is at least what one of them does.
        let is_ample =
            matches!(&crowd, Ok(Some(loss)) if loss.epsilon() <= self.local_epsilon.value());
        let local = match is_ample {
            true => self.pure_loss(circumstances),
            false => self.local_loss(circumstances),
        };
        let mut frontier = match local {
            Ok(local) => Frontier::of_client(local),
            Err(error) => return not_stated(trust_model, &error, circumstances),
        };
        frontier.add(Part::Clients, crowd);
        let mut answer = frontier.answer(circumstances.delta());
        if trust_model.needs_other_clients() {
            answer.remarks.extend(self.about_drops(circumstances));
        }
        let aggregated_guarantee = answer.part.needs_other_clients();
        // The noise of aggregators is none of it, so one of them is enough.
        let origin = if aggregated_guarantee {
            TrustModel::OneAggregatorMostClients
        } else {
            TrustModel::OneClient
        };
        let mut assumptions = vec![OWN_FLIPS.to_owned()];
        if aggregated_guarantee {
            assumptions.push(in_a_crowd_of(circumstances.honest_clients(), self.min_reports));
            assumptions.extend([HIDDEN_SUM, ARRIVAL].map(str::to_owned));
        }
        let otherwise = if aggregated_guarantee {
            self.alone("if fewer clients are honest or all aggregators work together")
        } else {
            "nothing protects a client that does not randomize".into()
        };
        Guarantee {
            also: answer.also,
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions,
            otherwise,
            remarks: answer.remarks,
            ..Guarantee::new(trust_model, answer.loss.bound(), circumstances)
        }
    }

    /// Why more is provable than is stated, if that is known.
    fn slack_reason(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        let is_counted_alone =
            trust_model.needs_other_clients() && circumstances.reports_per_client() > 1;
        is_counted_alone.then_some(SlackReason::SeveralReports)
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.measurement_type.divisor(reports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = self.divisor(reports);
        totals
            .iter()
            .map(|total| self.randomizer.estimate(*total, reports).divided(divisor))
            .collect()
    }

    fn noisy_total(&self, reports: u64) -> Option<NoisyTotal> {
        let [held, other] = self.randomizer.ones()?;
        Some(NoisyTotal::of_clients(Answers { reports, held, other }))
    }

    fn covariance(&self, totals: &[i128], reports: u64, one: usize, other: usize) -> f64 {
        let estimate = |place: usize| {
            let total = totals.get(place)?;
            Some(self.randomizer.estimate(*total, reports))
        };
        match (estimate(one), estimate(other)) {
            (Some(one), Some(other)) => self.randomizer.covariance(&one, &other, reports),
            _ => 0.0,
        }
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let largest = u128::from(reports).saturating_mul(self.measurement_type.max_entry());
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

    #[cfg(feature = "parties")]
    /// Adds nothing: the noise is the clients'.
    fn add_noise(
        &self,
        _: &mut [FieldOf<Self>],
        _: u64,
        _: &mut dyn CryptoRng,
    ) -> Result<(), Error> {
        Ok(())
    }
}

impl<V: MeasurementType, R: LocalRandomizer<V>> ClientNoise<V, R> {
    /// What remains where nobody else is honest, in words.
    pub(super) fn alone(&self, case: &str) -> Fallback {
        Fallback::from(format!("{case}, the client's own randomness remains: "))
            .own_randomness(self.local_epsilon.clone())
    }

    /// What all reports of one person cost, whoever reads them.
    pub(super) fn local_loss(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        if circumstances.is_one_report() {
            let none = Delta::new(Rational::zero())?;
            return EpsilonDelta::new(self.local_epsilon.value().clone(), none);
        }
        let adjacency = circumstances.adjacency();
        let own = self.randomizer.local_releases(&self.measurement_type, adjacency)?;
        own.loss(circumstances)
    }

    /// ε of all reports of one person with δ = 0, whoever reads them.
    fn pure_loss(&self, circumstances: &Circumstances) -> Result<EpsilonDelta, Error> {
        let adjacency = circumstances.adjacency();
        let own = self.randomizer.local_releases(&self.measurement_type, adjacency)?;
        own.pure(circumstances)
    }

    /// What all reports of one person cost in the sums over all honest clients.
    pub(super) fn crowd(
        &self,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        self.randomizer.aggregated_guarantee(&self.measurement_type, circumstances)
    }

    /// A sentence about dropped reports, where they take from what other clients give.
    pub(super) fn about_drops(&self, circumstances: &Circumstances) -> Option<String> {
        let rate = self.randomizer.dropped();
        let share = &rate * &Rational::from(100u64);
        (share > *circumstances.delta().value()).then(|| {
            format!(
                "an honest report is dropped for its weight with a probability of up to {rate}, \
                 which counts against delta {}: a lower false-positive rate gives a smaller epsilon",
                circumstances.delta()
            )
        })
    }
}

/// Where not even the client's own guarantee can be stated.
pub(super) fn not_stated(
    trust_model: TrustModel,
    error: &Error,
    circumstances: &Circumstances,
) -> Guarantee {
    let reason = format!("the client's own guarantee cannot be stated: {error}");
    Guarantee::new(trust_model, PrivacyBound::Absent { reason }, circumstances)
}

/// What every guarantee of a randomizer rests on.
pub(super) const OWN_FLIPS: &str = "the client draws its randomness from a sound generator and \
     sends one report of its measurement: a second one would spend the budget again";

/// What a guarantee that counts on others rests on beside: a missing report is seen.
pub(super) const ARRIVAL: &str = "whether a report arrives does not depend on its measurement, but \
     for a bound on its weight, which is counted";

/// What a guarantee of the sum rests on beside.
pub(super) const HIDDEN_SUM: &str = "Prio3 reveals nothing of an honest client's report but the \
     totals (a computational assumption); the number of reports is public";

/// How many clients a guarantee counts on, and who can void it, in words.
pub(super) fn in_a_crowd_of(honest_clients: u64, min_reports: u64) -> String {
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
