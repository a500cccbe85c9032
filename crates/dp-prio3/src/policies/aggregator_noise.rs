//! Noise at the aggregators: clients send their measurements as they are, and **each** aggregator
//! adds the full noise to its share before it lets go of it.
//!
//! With A aggregators the total carries A independent draws: the privacy rests on one of them, that
//! of the honest aggregator, and the error on all.
//!
//! ```text
//! total_j = Σ_reports x_j + Σ_aggregators N_j
//! ```

// DIFFERENCE from draft-wang §6.1.2.1: the error counts the noise of every aggregator, honest or not.

use std::ops::RangeInclusive;

use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Budget, NoiseDistribution, Query, TrustModel};
use dp_exact::ParameterError;
use num_bigint::BigUint;
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use crate::error::within;
use crate::field::SignedField;
use crate::guarantees::{
    Circumstances, Fallback, Guarantee, PrivacyBound, SlackReason, several, without_other_clients,
};
use crate::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
#[cfg(feature = "parties")]
use crate::policy::{ClientRandomization, FieldOf, ShardedMeasurement};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription};
use crate::types::{Histogram, MeasurementType, SumVec};
use crate::vdaf::{Vdaf, VdafKind};
use crate::{Error, Estimate, as_float};

/// Prio3Histogram with discrete Gaussian noise: (ε, δ) or ρ.
pub type HistogramGaussian = AggregatorNoise<Histogram, DiscreteGaussian>;

/// Prio3Histogram with discrete Laplace noise: pure ε, by scale 2/ε, or (ε, δ).
pub type HistogramLaplace = AggregatorNoise<Histogram, DiscreteLaplace>;

/// Prio3SumVec with discrete Laplace noise: pure ε, by scale length · `max_measurement` / ε, or
/// (ε, δ).
pub type SumVecLaplace = AggregatorNoise<SumVec, DiscreteLaplace>;

/// The policy of type `V` with noise `N` at each aggregator.
///
/// Clients do not randomize. The estimate is the signed total itself.
#[derive(Clone, Debug)]
pub struct AggregatorNoise<V, N> {
    measurement_type: V,
    mechanism: N,
    min_reports: u64,
    max_reports: u64,
    /// The noise of all aggregators in any total stays within ± this, except with probability
    /// 2^−64.
    noise_bound: i128,
}

impl<V: MeasurementType, N: NoiseMechanism> AggregatorNoise<V, N> {
    /// Calibrates the noise to `budget` for this type, under replacement of one measurement. An
    /// [`Epsilon`](dp_exact::Epsilon) stands for a pure budget, a [`Rho`](dp_exact::Rho) for a
    /// zero-concentrated one. A batch holds at most [`DEFAULT_MAX_REPORTS`], or fewer if no more
    /// have room in the field.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetKind`] if the mechanism is not calibrated to budgets of that kind; otherwise
    /// if the budget cannot be kept, or a single measurement with the noise could leave the
    /// field's range (−p/2, p/2).
    pub fn new(measurement_type: V, budget: impl Into<Budget>) -> Result<Self, Error> {
        let mechanism = N::calibrate(&measurement_type.query(), &budget.into())?;
        let noise_bound = noise_bound(&measurement_type, &mechanism)?;
        let policy =
            Self { measurement_type, mechanism, min_reports: 1, max_reports: 1, noise_bound };
        let max_reports = policy.room_for_reports().clamp(1, DEFAULT_MAX_REPORTS);
        policy.with_max_reports(max_reports)
    }

    /// With another bound on the reports in a batch.
    ///
    /// # Errors
    ///
    /// If the bound is below that on the fewest reports, or so large that the totals with their
    /// noise could leave the field's range.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        within("max_reports", max_reports, self.min_reports..=u64::MAX)?;
        let largest = self.room_for_reports();
        if max_reports > largest {
            return Err(ParameterError::new(
                "max_reports",
                max_reports,
                format!("at most {largest}: totals and noise must not wrap around the field"),
            )
            .into());
        }
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

    /// The most reports whose totals, with the noise, stay within the field's range.
    fn room_for_reports(&self) -> u64 {
        let room = max_signed::<V>() - self.noise_bound;
        let reports = room.unsigned_abs() / self.measurement_type.max_entry();
        u64::try_from(reports).unwrap_or(u64::MAX)
    }

    /// The Prio3 type.
    #[must_use]
    pub const fn measurement_type(&self) -> &V {
        &self.measurement_type
    }

    /// The noise.
    #[must_use]
    pub const fn mechanism(&self) -> &N {
        &self.mechanism
    }
}

/// (p − 1)/2 of the type's field.
const fn max_signed<V: MeasurementType>() -> i128 {
    <<V::Flp as prio::flp::Flp>::Field as SignedField>::MAX_SIGNED
}

/// A · b, where each of the A · L draws of a batch exceeds b with probability at most
/// 2^−64 / (A · L).
pub(crate) fn noise_bound<V: MeasurementType, N: NoiseMechanism>(
    measurement_type: &V,
    mechanism: &N,
) -> Result<i128, ParameterError> {
    let aggregators = measurement_type.vdaf().num_aggregators();
    let draws = aggregators.saturating_mul(measurement_type.vdaf().output_len());
    let bits = 64 + usize::BITS - draws.leading_zeros();
    let bound: BigUint = mechanism.tail_bound(bits) * aggregators;
    let largest = max_signed::<V>();
    match i128::try_from(&bound) {
        Ok(bound) if bound < largest => Ok(bound),
        _ => Err(ParameterError::new(
            "noise bound",
            &bound,
            format!("below {largest}: the noise alone would wrap around the field"),
        )),
    }
}

/// The noise of one aggregator as a ledger records it, with how far a replaced measurement of the query moves
/// the totals; `None` if that is no box of differences.
#[cfg(feature = "parties")]
pub(super) fn recorded_noise<N: NoiseMechanism>(
    mechanism: &N,
    query: &Query,
) -> Option<dp_ledger::Noise> {
    let difference = query.worst_case_difference(dp_calibration::Adjacency::Replacement).ok()??;
    let law = mechanism.law();
    Some(dp_ledger::Noise { distribution: law, difference })
}

impl<V: MeasurementType, N: NoiseMechanism> PolicyDescription for AggregatorNoise<V, N> {
    fn name(&self) -> String {
        format!("{} with {} noise at each aggregator", V::KIND, N::NAME)
    }

    fn vdaf_kind(&self) -> VdafKind {
        V::KIND
    }

    fn aggregators(&self) -> usize {
        self.measurement_type.vdaf().num_aggregators()
    }

    fn query(&self) -> Query {
        self.measurement_type.query()
    }

    fn min_reports(&self) -> u64 {
        self.min_reports
    }

    fn max_reports(&self) -> u64 {
        self.max_reports
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.mechanism.parameters());
        parameters.push(("min_reports", self.min_reports.to_string()));
        parameters.push(("max_reports", self.max_reports.to_string()));
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let noise = recorded_noise(&self.mechanism, &self.query());
        noise.map_or_else(
            || dp_ledger::Mechanism::Other(self.name()),
            dp_ledger::Mechanism::Aggregators,
        )
    }

    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> ClientRandomization {
        ClientRandomization::Nothing
    }

    /// With several honest aggregators their noise adds up. A malicious aggregator that adds none
    /// takes nothing from the guarantee, for only the noise of honest ones is counted.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let aggregators = self.aggregators();
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        if trust_model == TrustModel::OneClient {
            let reason = "clients send their measurements without randomization, and all \
                          aggregators together can put them together again"
                .to_owned();
            return Guarantee::new(trust_model, PrivacyBound::Absent { reason }, circumstances);
        }
        let honest = usize::from(trust_model.honest_aggregators());
        let (one, (bound, remark)) = match circumstances.is_one_report() {
            true => {
                let one = PrivacyBound::Proved(self.mechanism.budget().clone());
                (one, self.bound(honest, circumstances))
            }
            false => {
                let one = self.drawn(1, circumstances);
                (one, (self.drawn(honest, circumstances), None))
            }
        };
        let origin = if bound == one {
            TrustModel::OneAggregatorOneClient
        } else {
            without_other_clients(trust_model)
        };
        let counts_on = several(trust_model, aggregators).filter(|_| bound != one);
        let fewer = counts_on.as_ref().map(|_| {
            Fallback::from("if fewer aggregators are honest, what one of them adds remains: ")
                .one_aggregator(one)
                .words("; ")
        });
        let own = ASSUMPTIONS.iter().map(|text| match &counts_on {
            Some(_) => text.replace("the honest aggregator draws", "each honest aggregator draws"),
            None => (*text).to_owned(),
        });
        let own: Vec<String> = own.collect();
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            assumptions: counts_on.into_iter().chain(own).collect(),
            otherwise: fewer.unwrap_or_default().words(OTHERWISE),
            remarks: remark.into_iter().collect(),
            ..Guarantee::new(trust_model, bound, circumstances)
        }
    }

    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        match trust_model {
            TrustModel::OneClient => self.guarantee(trust_model, circumstances).bound,
            _ => self.drawn(trust_model.honest_aggregators().into(), circumstances),
        }
    }

    /// Why more is provable than is stated, if that is known.
    fn slack_reason(
        &self,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        let has_delta = !circumstances.delta().value().is_zero();
        let is_several = trust_model.honest_aggregators() > 1;
        let is_multihot = matches!(self.measurement_type.query(), Query::MultihotCountVec { .. });
        match self.mechanism.law() {
            NoiseDistribution::DiscreteLaplace { .. } if is_several && has_delta => {
                Some(SlackReason::OneNoiseCounted)
            }
            NoiseDistribution::DiscreteGaussian { .. }
                if is_multihot && circumstances.reports_per_client() > 1 =>
            {
                Some(SlackReason::NormBound)
            }
            _ => None,
        }
    }

    fn divisor(&self, reports: u64) -> u64 {
        self.measurement_type.divisor(reports)
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let divisor = self.divisor(reports);
        let aggregators = as_float(self.aggregators());
        let standard_error = (aggregators * self.mechanism.variance()).sqrt();
        totals
            .iter()
            .map(|total| Estimate { value: as_float(*total), standard_error })
            .map(|total| total.divided(divisor))
            .collect()
    }

    fn noisy_total(&self, _: u64) -> Option<NoisyTotal> {
        let aggregators = u32::try_from(self.aggregators()).ok()?;
        Some(NoisyTotal::of_aggregators(self.mechanism.law(), aggregators))
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let reports = reports.min(self.max_reports);
        let largest = u128::from(reports).saturating_mul(self.measurement_type.max_entry());
        let largest = i128::try_from(largest).unwrap_or(i128::MAX);
        -self.noise_bound..=largest.saturating_add(self.noise_bound)
    }
}

impl<V: MeasurementType, N: NoiseMechanism> DpPolicy for AggregatorNoise<V, N> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.measurement_type.vdaf()
    }

    #[cfg(feature = "parties")]
    /// Checks the measurement; there is no randomization at the client.
    fn randomize(
        &self,
        measurement: &V::Measurement,
        _: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error> {
        Ok(self.measurement_type.check(measurement)?)
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

impl<V: MeasurementType, N: NoiseMechanism> AggregatorNoise<V, N> {
    /// (ε, δ) of all releases of the circumstances, with the noise of `honest` aggregators in each.
    pub(super) fn drawn(&self, honest: usize, circumstances: &Circumstances) -> PrivacyBound {
        let query = self.measurement_type.query();
        match self.mechanism.loss_at(&query, honest, circumstances) {
            Ok(Some(loss)) => loss.bound(),
            Ok(None) => {
                let delta = circumstances.delta();
                let reason = format!("nothing is proved of this noise at delta {delta}");
                PrivacyBound::Absent { reason }
            }
            Err(error) => PrivacyBound::Absent { reason: error.to_string() },
        }
    }

    /// The guarantee of so many draws at the policy's own δ. That of one holds in any case, as more
    /// noise never hurts; if no better one can be computed, a sentence says so.
    fn bound(
        &self,
        honest: usize,
        circumstances: &Circumstances,
    ) -> (PrivacyBound, Option<String>) {
        let budget = self.mechanism.budget();
        let one = PrivacyBound::Proved(budget.clone());
        let Budget::Approximate { delta, .. } = budget else {
            return (one, None);
        };
        if honest < 2 {
            return (one, None);
        }
        let query = self.measurement_type.query();
        let circumstances = circumstances.clone().at(delta.clone());
        match self.mechanism.loss_at(&query, honest, &circumstances) {
            Ok(Some(loss)) => (loss.bound(), None),
            Ok(None) => (one, None),
            Err(error) => {
                let remark = format!(
                    "what {honest} honest aggregators add together could not be computed \
                     ({error}): what is stated is the guarantee of one"
                );
                (one, Some(remark))
            }
        }
    }
}

/// What remains.
const OTHERWISE: &str = "if every aggregator is malicious, or the honest one keeps its noise and \
     is broken into, nothing protects a measurement";

/// What the guarantee rests on beside the honest aggregator's noise, which alone is counted.
const ASSUMPTIONS: [&str; 4] = [
    "the honest aggregator draws its noise from a sound generator, releases the batch once and \
     forgets its share and its noise",
    "Prio3 reveals nothing of an honest client's measurement but the totals (a computational \
     assumption); the number of reports is public",
    "the client has one report in the batch (aggregators refuse a report whose id they have seen, which \
     is the same report again; two reports of one client they cannot tell)",
    "whether a report arrives does not depend on its measurement: one that is dropped or rejected \
     is then in neither of two neighbouring batches, and what is released is the same for both",
];
