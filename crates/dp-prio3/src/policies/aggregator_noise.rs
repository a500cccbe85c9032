//! Noise at the aggregators: clients send their measurements as they are, and **each** aggregator
//! adds the full noise to its share before it releases it.
//!
//! With A aggregators the total carries A independent draws. The privacy rests on the draw of one
//! honest aggregator, and the error on all.

// DIFFERENCE from draft-wang §6.1.2.1: the error counts the noise of every aggregator, honest or
// not.

use std::ops::{Range, RangeInclusive};

use dp_calibration::strategy_matrix::{CountError, CumulativeEstimate};
use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Budget, Query, TrustModel};
use prio::vdaf::Vdaf as _;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;

use super::strategy_matrix::MatrixEstimator;
#[cfg(feature = "parties")]
use super::strategy_matrix::multiply_share;
use super::{BoundedNoise, room_for_reports};
use crate::guarantees::{
    AbsenceReason, Circumstances, Condition, Fallback, Guarantee, PrivacyBound, SlackReason,
    several_aggregators, without_other_clients,
};
use crate::mechanisms::{NoiseKind, NoiseMechanism};
use crate::policy::{DEFAULT_MAX_REPORTS, DpPolicy, PolicyDescription, TaskParameters};
#[cfg(feature = "parties")]
use crate::policy::{FieldOf, ShardedMeasurement};
use crate::types::{MeasurementType, Vdaf, vdaf_name};
use crate::{Error, Estimate, as_float};

/// The policy of type `V` with noise at each aggregator.
///
/// Clients do not randomize. The estimate is the signed total itself.
#[derive(Clone, Debug)]
pub struct AggregatorNoise<V> {
    measurement_type: V,
    noise: BoundedNoise,
    task: TaskParameters,
    /// The strategy matrix by which shares are multiplied before the noise is added.
    strategy: Option<MatrixEstimator>,
}

impl<V: MeasurementType> AggregatorNoise<V> {
    /// Calibrates the noise to `budget` for this type, under replacement of one measurement. An
    /// [`Epsilon`](dp_exact::Epsilon) stands for a pure budget, a [`Rho`](dp_exact::Rho) for a
    /// zero-concentrated one. A batch holds at most [`DEFAULT_MAX_REPORTS`], or fewer if no more
    /// have room in the field.
    ///
    /// # Errors
    /// If the noise is not calibrated to budgets of that kind, the budget cannot be kept, or one
    /// measurement with the noise could leave (−p/2, p/2).
    pub fn new(
        kind: NoiseKind,
        measurement_type: V,
        budget: impl Into<Budget>,
    ) -> Result<Self, Error> {
        let query = measurement_type.query().clone();
        let noise = BoundedNoise::calibrate(kind, &measurement_type, &query, budget)?;
        let aggregators = measurement_type.vdaf().num_aggregators();
        let task = TaskParameters { query, aggregators, min_reports: 1, max_reports: 1 };
        let strategy = task.query.strategy_matrix().map(MatrixEstimator::new);
        let policy = Self { measurement_type, noise, task, strategy };
        let max_reports = policy.room_for_reports().clamp(1, DEFAULT_MAX_REPORTS);
        policy.with_max_reports(max_reports)
    }

    /// Discrete Laplace noise: for a pure or an approximate budget.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn laplace(measurement_type: V, budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(NoiseKind::DiscreteLaplace, measurement_type, budget)
    }

    /// Discrete Gaussian noise: for an approximate or a zero-concentrated budget.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn gaussian(measurement_type: V, budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(NoiseKind::DiscreteGaussian, measurement_type, budget)
    }

    /// Sets the most reports in a batch.
    ///
    /// # Errors
    /// If the bound is below the least number of reports, or so large that the totals with their
    /// noise could leave the field's range.
    pub fn with_max_reports(self, max_reports: u64) -> Result<Self, Error> {
        let room = self.room_for_reports();
        Ok(Self { task: self.task.with_max_reports(max_reports, room)?, ..self })
    }

    /// Sets the least number of reports in a released batch.
    ///
    /// # Errors
    /// If it is 0, or above the most reports.
    pub fn with_min_reports(self, min_reports: u64) -> Result<Self, Error> {
        Ok(Self { task: self.task.with_min_reports(min_reports)?, ..self })
    }

    /// The most reports for which the totals fit the field, noise included.
    fn room_for_reports(&self) -> u64 {
        room_for_reports::<V>(self.noise.bound, self.largest_change())
    }

    /// The most by which one report changes a total, in absolute value.
    fn largest_change(&self) -> u128 {
        let entry = self.task.query.max_entry();
        self.strategy.as_ref().map_or(entry, |strategy| strategy.matrix.largest_entry().into())
    }

    /// The noise.
    pub const fn mechanism(&self) -> &NoiseMechanism {
        &self.noise.mechanism
    }

    /// The variance of the noise of all A aggregators in one total, and its excess kurtosis: 3/A for
    /// Laplace noise, 0 for Gaussian noise.
    fn noise_of_total(&self) -> (f64, f64) {
        let aggregators = as_float(self.aggregators());
        let kurtosis = match self.mechanism().kind() {
            NoiseKind::DiscreteLaplace => 3.0 / aggregators,
            NoiseKind::DiscreteGaussian => 0.0,
        };
        (aggregators * self.mechanism().variance(), kurtosis)
    }

    /// The smallest proved (ε, δ) of all releases of the circumstances together, with the noise of
    /// `honest` aggregators in each. δ is at most the δ of the circumstances. The bound is absent,
    /// with the reason, if none is proved.
    fn composed(&self, honest: u32, circumstances: &Circumstances) -> PrivacyBound {
        match self.mechanism().composed_pair(&self.task.query, honest, circumstances) {
            Ok(Some(pair)) => PrivacyBound::Proved(pair.budget()),
            Ok(None) => {
                let delta = circumstances.delta.clone();
                PrivacyBound::Absent { reason: AbsenceReason::UnprovedAtDelta { delta } }
            }
            Err(error) => PrivacyBound::Absent { reason: AbsenceReason::NotComputed(error) },
        }
    }

    /// The bound with the noise of `honest` aggregators. For one release it is a pair at the δ of the
    /// budget, or the budget itself where further aggregators gain nothing.
    fn bound(&self, honest: u32, circumstances: &Circumstances) -> PrivacyBound {
        if !circumstances.is_one_report() {
            return self.composed(honest, circumstances);
        }
        let budget = self.mechanism().budget();
        let several = match budget {
            Budget::Approximate { delta, .. } if honest > 1 => {
                self.composed(honest, &circumstances.clone().at(delta.clone()))
            }
            _ => PrivacyBound::Proved(budget.clone()),
        };
        match several {
            // The noise of one aggregator always counts, as more noise never hurts.
            PrivacyBound::Absent { .. } => PrivacyBound::Proved(budget.clone()),
            proved => proved,
        }
    }
}

impl<V: MeasurementType> PolicyDescription for AggregatorNoise<V> {
    fn name(&self) -> String {
        let noise = self.mechanism().kind().name();
        format!("{} with {noise} noise at each aggregator", vdaf_name(&self.task.query))
    }

    fn task_parameters(&self) -> &TaskParameters {
        &self.task
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = self.measurement_type.parameters();
        parameters.extend(self.mechanism().parameters());
        parameters.extend(self.task.limits());
        parameters
    }

    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        let noise = self.noise.recorded(&self.task.query);
        noise.map_or_else(
            || dp_ledger::Mechanism::Other(self.name()),
            dp_ledger::Mechanism::Aggregators,
        )
    }

    /// With several honest aggregators their noise adds up. A malicious aggregator that adds none
    /// weakens nothing, for only the noise of honest ones counts.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee {
        let aggregators = self.aggregators();
        if let Some(none) = Guarantee::beyond(trust_model, aggregators, circumstances) {
            return none;
        }
        if trust_model == TrustModel::OneClient {
            let reason = AbsenceReason::PlainMeasurements;
            return Guarantee::new(trust_model, PrivacyBound::Absent { reason }, circumstances);
        }
        let honest = u32::from(trust_model.honest_aggregators());
        let (one, bound) = (self.bound(1, circumstances), self.bound(honest, circumstances));
        let origin = if bound == one {
            TrustModel::OneAggregatorOneClient
        } else {
            without_other_clients(trust_model)
        };
        let several = several_aggregators(trust_model, aggregators).filter(|_| bound != one);
        let one_aggregator = several.is_some().then_some(one);
        let careful = Condition::CarefulAggregator { several: several.is_some() };
        let mut conditions: Vec<Condition> = several.into_iter().collect();
        conditions.extend([
            careful,
            Condition::OnlyTotalsOfMeasurements,
            Condition::OneReport,
            Condition::IndependentArrival,
        ]);
        Guarantee {
            carried_over_from: (origin != trust_model).then_some(origin),
            conditions,
            fallback: Fallback::AggregatorNoise { one_aggregator },
            ..Guarantee::new(trust_model, bound, circumstances)
        }
    }

    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        match trust_model {
            TrustModel::OneClient => self.guarantee(trust_model, circumstances).bound,
            _ => self.composed(trust_model.honest_aggregators().into(), circumstances),
        }
    }

    fn slack_reason(
        &self,
        model: TrustModel,
        circumstances: &Circumstances,
    ) -> Option<SlackReason> {
        match self.mechanism().kind() {
            NoiseKind::DiscreteLaplace => {
                let has_delta = !circumstances.delta.value().is_zero();
                (model.honest_aggregators() > 1 && has_delta)
                    .then_some(SlackReason::OneNoiseCounted)
            }
            NoiseKind::DiscreteGaussian => {
                let is_multihot = matches!(self.task.query, Query::MultihotCountVec { .. });
                (is_multihot && circumstances.reports_per_client > 1)
                    .then_some(SlackReason::NormBound)
            }
        }
    }

    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate> {
        let standard_error = self.noise_of_total().0.sqrt();
        let Some(strategy) = &self.strategy else {
            let divisor = self.divisor(reports);
            let estimate = |value: f64| Estimate { value, standard_error }.divided(divisor);
            return floats(totals).into_iter().map(estimate).collect();
        };
        let (estimator, deviations) = strategy.solver();
        let values = estimator.histogram(&floats(totals), reports).into_iter().zip(deviations);
        let estimate = |(value, deviation): (f64, &f64)| Estimate {
            value,
            standard_error: deviation * standard_error,
        };
        values.map(estimate).collect()
    }

    fn cumulative(&self, totals: &[i128], reports: u64) -> Option<CumulativeEstimate> {
        let (variance, kurtosis) = self.noise_of_total();
        let totals = floats(totals);
        match (&self.strategy, &self.task.query) {
            (Some(strategy), _) => {
                Some(strategy.solver().0.cumulative(&totals, reports, variance, kurtosis))
            }
            (None, Query::Histogram { .. }) => {
                Some(CumulativeEstimate::independent(&totals, reports, variance, kurtosis))
            }
            (None, _) => None,
        }
    }

    fn range_error(&self, buckets: Range<usize>) -> Option<CountError> {
        if buckets.is_empty() || buckets.end > self.task.query.totals() {
            return None;
        }
        if let Some(strategy) = &self.strategy {
            let (variance, kurtosis) = self.noise_of_total();
            return Some(strategy.solver().0.range(buckets).error(variance, kurtosis));
        }
        // Any range of some buckets has the error of the first ones of that number.
        let nothing = vec![0; self.task.query.totals()];
        self.cumulative(&nothing, 0)?.errors.get(buckets.len() - 1).copied()
    }

    fn covariance(&self, _: &[i128], _: u64, one: usize, other: usize) -> f64 {
        let Some(strategy) = &self.strategy else {
            return 0.0;
        };
        let bucket = |bucket: usize| strategy.solver().0.range(bucket..bucket + 1);
        bucket(one).covariance(&bucket(other), self.noise_of_total().0)
    }

    /// Behind a strategy matrix no estimate is one noisy total.
    fn noisy_total(&self, _: u64) -> Option<NoisyTotal> {
        if self.strategy.is_some() {
            return None;
        }
        let aggregators = u32::try_from(self.aggregators()).ok()?;
        Some(NoisyTotal::of_aggregators(self.mechanism().distribution().clone(), aggregators))
    }

    fn total_range(&self, reports: u64) -> RangeInclusive<i128> {
        let reports = reports.min(self.task.max_reports);
        let largest = u128::from(reports).saturating_mul(self.largest_change());
        let largest = i128::try_from(largest).unwrap_or(i128::MAX).saturating_add(self.noise.bound);
        let least = if self.strategy.is_some() { -largest } else { -self.noise.bound };
        least..=largest
    }
}

impl<V: MeasurementType> DpPolicy for AggregatorNoise<V> {
    type Flp = V::Flp;
    type Measurement = V::Measurement;

    fn vdaf(&self) -> &Vdaf<V::Flp> {
        self.measurement_type.vdaf()
    }

    /// Checks the measurement and passes it on unchanged: clients do not randomize.
    #[cfg(feature = "parties")]
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
        if let Some(strategy) = &self.strategy {
            multiply_share(&strategy.matrix, share)?;
        }
        self.mechanism().add_to(share, rng)
    }
}

/// The totals as floats, rounded to nearest.
fn floats(totals: &[i128]) -> Vec<f64> {
    totals.iter().copied().map(as_float).collect()
}
