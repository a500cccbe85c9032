//! What binds a differential privacy mechanism to a Prio3 VDAF: parameters, guarantees and
//! estimates ([`PolicyDescription`]), and what the parties do ([`DpPolicy`]).
//!
//! After the Internet-Draft draft-wang-ppm-differential-privacy, section 5, with a [`Guarantee`].

// DIFFERENCE from draft-wang §4: a policy joins samplers and randomizers; there is no common class
// of mechanisms.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use dp_calibration::strategy_matrix::{CountError, CumulativeEstimate};
use dp_calibration::utility::NoisyTotal;
use dp_calibration::{Query, TrustModel};
use dp_exact::ParameterError;
use prio::flp;
#[cfg(feature = "parties")]
use rand_core::CryptoRng;
use zeroize::Zeroize;

#[cfg(feature = "parties")]
use crate::Error;
use crate::Estimate;
use crate::error::within;
use crate::field::SignedField;
use crate::guarantees::{Circumstances, Guarantee, PrivacyBound, SlackReason};
use crate::types::Vdaf;

/// The largest number of reports in a batch unless a policy sets another: 2^32.
pub const DEFAULT_MAX_REPORTS: u64 = 1 << 32;

/// The field of a policy's VDAF.
pub type FieldOf<P> = <<P as DpPolicy>::Flp as flp::Flp>::Field;

/// The measurement that a policy's VDAF shards.
pub type ShardedMeasurement<P> = <<P as DpPolicy>::Flp as flp::Type>::Measurement;

/// The parameters that every policy has.
#[derive(Clone, Debug)]
pub struct TaskParameters {
    /// The query over the measurements, before any randomization.
    pub query: Query,
    /// The number of aggregators.
    pub aggregators: usize,
    /// The fewest reports in a batch that an aggregator releases, by its own count. A guarantee
    /// that counts on other clients rests on it.
    pub min_reports: u64,
    /// The most reports in a batch that the aggregators and the collector accept.
    pub max_reports: u64,
}

impl TaskParameters {
    /// These parameters with another `min_reports`; `Err` unless it is from 1 to `max_reports`.
    pub(crate) fn with_min_reports(self, min_reports: u64) -> Result<Self, ParameterError> {
        within("min_reports", min_reports, 1..=self.max_reports)?;
        Ok(Self { min_reports, ..self })
    }

    /// These parameters with another `max_reports`; `Err` unless it is from `min_reports` to `room`,
    /// the most reports whose totals and noise fit the field.
    pub(crate) fn with_max_reports(
        self,
        max_reports: u64,
        room: u64,
    ) -> Result<Self, ParameterError> {
        within("max_reports", max_reports, self.min_reports..=u64::MAX)?;
        if max_reports > room {
            let accepted =
                format!("at most {room}: totals and noise must not wrap around the field");
            return Err(ParameterError::new("max_reports", max_reports, accepted));
        }
        Ok(Self { max_reports, ..self })
    }

    /// The names and values of both limits, for a policy's parameters.
    pub(crate) fn limits(&self) -> [(&'static str, String); 2] {
        [
            ("min_reports", self.min_reports.to_string()),
            ("max_reports", self.max_reports.to_string()),
        ]
    }
}

/// A policy's parameters, guarantees and estimates.
pub trait PolicyDescription: fmt::Debug + Send + Sync {
    /// The VDAF and the mechanism, for people.
    fn name(&self) -> String;

    /// The query, the number of aggregators, and the bounds on the size of a batch.
    fn task_parameters(&self) -> &TaskParameters;

    /// The number of aggregators.
    fn aggregators(&self) -> usize {
        self.task_parameters().aggregators
    }

    /// The query over the measurements, before any randomization.
    fn query(&self) -> Query {
        self.task_parameters().query.clone()
    }

    /// The fewest reports in a batch that an aggregator releases.
    fn min_reports(&self) -> u64 {
        self.task_parameters().min_reports
    }

    /// The most reports in a batch that the aggregators and the collector accept.
    fn max_reports(&self) -> u64 {
        self.task_parameters().max_reports
    }

    /// The largest number of malicious reports in a batch, on top of the honest ones, under which a
    /// guarantee that counts on other clients holds.
    fn assumed_malicious(&self) -> u64 {
        0
    }

    /// Every parameter by name, as the exact string.
    fn parameters(&self) -> Vec<(&'static str, String)>;

    /// The mechanism with exact parameters, as a ledger records it.
    #[cfg(feature = "parties")]
    fn recorded_mechanism(&self) -> dp_ledger::Mechanism {
        dp_ledger::Mechanism::Other(self.name())
    }

    /// The randomizer of measurements at their clients, with exact parameters; `None` if a report
    /// holds the measurement itself.
    #[cfg(feature = "parties")]
    fn client_randomization(&self) -> Option<dp_ledger::Randomizer> {
        None
    }

    /// The guarantee in a trust model under the given circumstances.
    fn guarantee(&self, trust_model: TrustModel, circumstances: &Circumstances) -> Guarantee;

    /// [`Self::guarantee`] as a pair (ε, δ), whatever the policy's own budget: the smallest proved ε
    /// at a δ of at most the circumstances' one.
    fn pair(&self, trust_model: TrustModel, circumstances: &Circumstances) -> PrivacyBound {
        self.guarantee(trust_model, circumstances).bound
    }

    /// Why a stronger guarantee could be proved; `None` where the guarantee is not known to have
    /// slack.
    fn slack_reason(&self, _: TrustModel, _: &Circumstances) -> Option<SlackReason> {
        None
    }

    /// Unbiased estimates, one for each total, from the signed noisy totals over `reports` reports.
    fn estimate(&self, totals: &[i128], reports: u64) -> Vec<Estimate>;

    /// An interval that holds all noisy totals over `reports` reports, except with probability
    /// 2^−64.
    fn total_range(&self, reports: u64) -> RangeInclusive<i128>;

    /// The distribution of a noisy total over `reports` reports, for confidence intervals; `None`
    /// if the calibration does not know it.
    fn noisy_total(&self, _reports: u64) -> Option<NoisyTotal> {
        None
    }

    /// The distribution function of a histogram, estimated from the signed noisy totals over `reports` reports;
    /// `None` if the measurement is no bucket, or the errors of its sums are not known.
    fn cumulative(&self, _totals: &[i128], _reports: u64) -> Option<CumulativeEstimate> {
        None
    }

    /// The error of the estimated number of reports in consecutive buckets, counted from 0; `None`
    /// where [`cumulative`](Self::cumulative) is, and for no bucket or one beyond the last.
    fn range_error(&self, _buckets: Range<usize>) -> Option<CountError> {
        None
    }

    /// The number that divides a total over `reports` reports to give the estimate: `reports` for a
    /// mean, else 1.
    fn divisor(&self, reports: u64) -> u64 {
        match self.task_parameters().query {
            Query::Average { .. } => reports,
            _ => 1,
        }
    }

    /// The covariance of the noise in two different estimates: 0 where every coordinate has its own.
    fn covariance(&self, _totals: &[i128], _reports: u64, _one: usize, _other: usize) -> f64 {
        0.0
    }
}

/// A differentially private aggregation, with what every party does in it.
///
/// A policy constructs its VDAF itself and is immutable. All parties of a task hold the same policy.
pub trait DpPolicy: PolicyDescription {
    /// The validity circuit of the VDAF.
    type Flp: flp::Type<Field: SignedField, Measurement: Zeroize> + Send + Sync + 'static;

    /// A client's measurement.
    type Measurement: ?Sized;

    /// The VDAF.
    fn vdaf(&self) -> &Vdaf<Self::Flp>;

    /// The client's step: checks the measurement and randomizes it.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the task does not admit the measurement, and [`Error::Dropped`] if
    /// it does not admit the randomized measurement.
    #[cfg(feature = "parties")]
    fn randomize(
        &self,
        measurement: &Self::Measurement,
        rng: &mut dyn CryptoRng,
    ) -> Result<ShardedMeasurement<Self>, Error>;

    /// An aggregator's step: adds its noise to its share of the totals over `reports` reports.
    ///
    /// # Errors
    /// A draw that does not fit the field, which has probability at most 2^−64. The share must then
    /// not be released.
    #[cfg(feature = "parties")]
    fn add_noise(
        &self,
        share: &mut [FieldOf<Self>],
        reports: u64,
        rng: &mut dyn CryptoRng,
    ) -> Result<(), Error>;
}

/// A policy that is known by the types of its VDAF and its measurement alone, such as a policy that is
/// read from a document. A clone shares it.
pub type AnyPolicy<T, M> = Arc<dyn DpPolicy<Flp = T, Measurement = M>>;

/// Methods of a policy behind a pointer: each calls the method of the policy itself.
macro_rules! of_the_policy {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)*) => {$(
        $(#[$attribute])*
        fn $name(&self, $($argument: $type),*) -> $output {
            (**self).$name($($argument),*)
        }
    )*};
}

impl<P: PolicyDescription + ?Sized> PolicyDescription for Arc<P> {
    of_the_policy! {
        fn name() -> String;
        fn task_parameters() -> &TaskParameters;
        fn assumed_malicious() -> u64;
        fn parameters() -> Vec<(&'static str, String)>;
        #[cfg(feature = "parties")]
        fn recorded_mechanism() -> dp_ledger::Mechanism;
        #[cfg(feature = "parties")]
        fn client_randomization() -> Option<dp_ledger::Randomizer>;
        fn guarantee(model: TrustModel, circumstances: &Circumstances) -> Guarantee;
        fn pair(model: TrustModel, circumstances: &Circumstances) -> PrivacyBound;
        fn slack_reason(model: TrustModel, circumstances: &Circumstances) -> Option<SlackReason>;
        fn estimate(totals: &[i128], reports: u64) -> Vec<Estimate>;
        fn total_range(reports: u64) -> RangeInclusive<i128>;
        fn noisy_total(reports: u64) -> Option<NoisyTotal>;
        fn cumulative(totals: &[i128], reports: u64) -> Option<CumulativeEstimate>;
        fn range_error(buckets: Range<usize>) -> Option<CountError>;
        fn covariance(totals: &[i128], reports: u64, one: usize, other: usize) -> f64;
    }
}

impl<P: DpPolicy + ?Sized> DpPolicy for Arc<P> {
    type Flp = P::Flp;
    type Measurement = P::Measurement;

    of_the_policy! {
        fn vdaf() -> &Vdaf<P::Flp>;
        #[cfg(feature = "parties")]
        fn randomize(
            measurement: &P::Measurement,
            rng: &mut dyn CryptoRng
        ) -> Result<ShardedMeasurement<P>, Error>;
        #[cfg(feature = "parties")]
        fn add_noise(
            share: &mut [FieldOf<P>],
            reports: u64,
            rng: &mut dyn CryptoRng
        ) -> Result<(), Error>;
    }
}
