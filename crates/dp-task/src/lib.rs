//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod catalogue;
mod digest;
mod document;
mod error;
mod extension;
mod field_error;
mod noise_parameters;
mod task;
mod tree;

pub use catalogue::{POLICIES, PolicyName};
pub use digest::TaskDigest;
pub use document::{MAX_BYTES, TaskDocument, Trust, VERSION};
pub use dp_calibration::Budget;
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational};
pub use dp_prio3;
pub use dp_prio3::grid::Grid;
pub use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType,
    MeasurementRange, Parts, Vdaf, VdafSize, VdafType,
};
pub use error::Error;
pub use extension::DpExtension;
pub use noise_parameters::NoiseParameters;
pub use task::{DEFAULT_DELTA, Task};
