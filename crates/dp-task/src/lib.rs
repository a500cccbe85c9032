//! The task document.

mod catalogue;
mod document;
mod error;
mod extension;
mod noise_parameters;
mod task;
mod tree;

pub use catalogue::{POLICIES, PolicyName};
pub use document::{MAX_BYTES, TaskDocument, Trust, VERSION};
pub use dp_calibration::Budget;
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational};
pub use dp_prio3;
pub use error::Error;
pub use extension::DpExtension;
pub use noise_parameters::NoiseParameters;
pub use task::Task;
pub use tree::{FieldError, FieldErrorKind};
pub use dp_prio3::{
    AggregatorNoise, AggregatorNoiseType, BatchLimits, ClientNoise, ClientNoiseType,
    MeasurementRange, Vdaf, VdafSize, VdafType,
};
