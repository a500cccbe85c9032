#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[macro_use]
mod debug;

pub mod grid;
pub mod mechanisms;
pub mod randomizers;

mod circuit;
mod collected;
mod compensation;
mod error;
mod field;
mod guarantees;
mod measurement;
#[cfg(feature = "parties")]
mod parties;
mod policy;
#[cfg(feature = "store")]
pub mod store;
mod strategy_matrix;

/// The proofs behind the figures of this crate, as they stand in its folder `docs`.
#[cfg(doc)]
pub mod proofs {
    /// Over which batches a guarantee quantifies, and from where on it protects nobody.
    #[doc = include_str!("../docs/guarantees.md")]
    pub mod guarantees {}

    /// What ties the parts of a report together, and what an aggregator has to remember.
    #[doc = include_str!("../docs/binding.md")]
    pub mod binding {}
}

pub use collected::{CollectedBatch, NoResult};
pub use dp_calibration::{Adjacency, Budget, NoiseDistribution, Query, TrustModel, VectorNoise};
pub use dp_exact::{Delta, Epsilon, Interval, ParameterError, Rational, Rho};
#[cfg(feature = "parties")]
pub use dp_files::Forked;
pub use dp_rappor::Estimate;
pub use error::Error;
pub use field::SignedField;
pub use guarantees::{
    AbsenceReason, Circumstances, Condition, EpsilonDelta, Fallback, Guarantee,
    MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, NoiseSource, PrivacyBound, Remark,
    SlackReason, WEAK, protects_nobody,
};
#[cfg(feature = "parties")]
pub use measurement::Inadmissible;
pub use measurement::Measurement;
pub use num_bigint::{BigInt, BigUint};
#[cfg(feature = "parties")]
pub use parties::{
    Aggregator, Batch, BatchError, BatchName, Client, CollectError, Collection, Collector,
    MAX_CONTEXT_LENGTH, Pending, Rejection, ReportChecksum, Stage, Stores, TaskDigest, TimeWindow,
    VerifiedOutput, VerifyKey, message, releases, replay, spending, verification,
};
pub use policy::encode as canonical;
pub use policy::number;
pub use policy::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType,
    DEFAULT_MAX_REPORTS, MAX_AGGREGATORS, MAX_INPUT_LENGTH, MeasurementRange, Parts, Policy, Vdaf,
    VdafSize, VdafType,
};
#[cfg(feature = "simulation")]
pub use policy::{AlterNoise, Deviation, OtherEstimates};
pub use prio;
pub use rand_core::CryptoRng;
pub use strategy_matrix::multiply_share;

/// The float nearest to `value`, for estimates; no privacy outcome depends on the rounding.
pub(crate) fn as_float<T: num_traits::ToPrimitive>(value: T) -> f64 {
    value.to_f64().expect("an integer has a nearest float")
}
