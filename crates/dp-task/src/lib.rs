//! [`dp-prio3`]: dp_prio3
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod build;
mod catalogue;
mod digest;
mod document;
mod error;
mod extension;
mod measurement;
mod noise_parameters;
mod read;
mod task;

pub use build::PolicyVisitor;
pub use catalogue::{POLICIES, PolicyName};
pub use digest::TaskDigest;
pub use document::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType,
    MeasurementRange, SchemaVersion, TaskDocument, Trust, VERSION, Vdaf, VdafSize, VdafType,
};
pub use dp_calibration::Budget;
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational};
pub use dp_prio3;
pub use dp_prio3::grid::Grid;
pub use error::Error;
pub use extension::DpExtension;
pub use measurement::{FromMeasurement, Measurement};
pub use noise_parameters::NoiseParameters;
pub use read::{DocumentField, MAX_BYTES};
pub use task::Task;
