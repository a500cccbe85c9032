#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod grid;
pub mod mechanisms;
#[cfg(doc)]
pub mod proofs;
pub mod randomizers;
pub mod types;

mod error;
mod estimate;
mod field;
mod guarantees;
#[cfg(feature = "parties")]
mod parties;
mod policies;
mod policy;
mod vdaf;

pub use dp_calibration::{Adjacency, Budget, NoiseLaw, Query, SeveralAggregators, TrustModel};
pub use dp_exact::{Delta, Epsilon, Forked, Interval, ParameterError, Rational, Rho};
pub use dp_samplers::FromDraw;
pub use error::Error;
pub use estimate::Estimate;
pub use field::SignedField;
pub use guarantees::{
    Circumstances, Guarantee, Loose, Loss, MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON,
    Otherwise, OwnNoise, Promise, Remains, WEAK, protects_nobody,
};
pub use num_bigint::{BigInt, BigUint};
#[cfg(feature = "simulation")]
pub use parties::simulation;
#[cfg(feature = "parties")]
pub use parties::{
    Aggregator, Batch, BatchError, BatchName, Client, CollectError, Collection, Collector,
    MAX_BATCH_NAME_LENGTH, MAX_CONTEXT_LENGTH, Pending, Rejection, Rejections, ReportChecksum,
    Stage, TaskDigest, VerifiedOutput, VerifyKey, Window, message, releases, replay, spending,
    verification,
};
pub use policies::{
    AggregatorNoise, AnyPolicy, Circuit, ClientNoise, CompensatedRappor, CountCoinFlip,
    CountResponse, Hedged, HistogramGaussian, HistogramLaplace, HistogramResponse, MultihotRappor,
    SumVecLaplace,
};
#[cfg(feature = "parties")]
pub use policy::ClientRandomization;
pub use policy::{
    AggregatorPolicy, ClientPolicy, CollectorPolicy, DEFAULT_MAX_REPORTS, DpPolicy, FieldOf,
    PolicyDescription, Prio3Policy, ShardedMeasurement,
};
pub use prio;
pub use rand_core::CryptoRng;
pub use vdaf::{Vdaf, VdafKind};
