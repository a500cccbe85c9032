#![doc = include_str!("../README.md")]

pub mod consistency;
pub mod mechanisms;
pub mod message;
pub mod randomizers;
pub mod spending;
pub mod types;
pub mod verification;

mod aggregator;
mod aggregator_noise;
mod batch;
mod binding;
mod ceiling;
mod client;
mod client_noise;
mod collector;
mod compensated_rappor;
mod context;
mod error;
mod field;
mod frontier;
mod guarantee;
mod hedged;
mod policy;
mod rejection;
pub mod releases;
mod replay;
#[cfg(feature = "simulation")]
pub mod simulation;

pub use aggregator::{Aggregator, Pending};
pub use aggregator_noise::{AggregatorNoise, HistogramGaussian, HistogramLaplace, SumVecLaplace};
pub use batch::{Batch, VerifiedOutput};
pub use binding::{BatchName, MAX_BATCH_NAME_LENGTH, ReportChecksum, TaskDigest};
pub use ceiling::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK, protects_nobody};
pub use client::Client;
pub use client_noise::{
    ClientNoise, CountCoinFlip, CountResponse, HistogramResponse, MultihotRappor,
};
pub use collector::{CollectError, Collection, Collector};
pub use compensated_rappor::CompensatedRappor;
pub use context::{MAX_CONTEXT_LENGTH, VerifyKey};
pub use dp_calibration::{Adjacency, Budget, NoiseLaw, Query, SeveralAggregators, TrustModel};
pub use error::Error;
pub use field::SignedField;
pub use frontier::Loss;
pub use guarantee::{Circumstances, Guarantee, Promise};
pub use hedged::Hedged;
pub use policy::{DEFAULT_MAX_REPORTS, DpPolicy, Estimate, FieldOf, ShardedMeasurement, Vdaf};
pub use rejection::{Rejection, Rejections, Stage};
