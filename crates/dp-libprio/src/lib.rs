#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod circuit_query;
mod noise;
mod strategy;

pub use circuit_query::CircuitQuery;
pub use dp_calibration::{Budget, NoiseDistribution, Query, VectorNoise};
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
pub use dp_prio3::{Error, SignedField};
pub use noise::CalibratedNoise;
pub use prio;
pub use strategy::{Strategy, VERSION};

/// The signed totals, from (−p/2, p/2), of a result of libprio or of a DAP collector built on it.
///
/// A noisy total of −10 is p − 10 in such a result. Not for Prio3Average, where libprio fails to
/// divide a negative total: collect a Prio3Sum, and divide by the number of reports.
#[must_use]
pub fn signed_totals<F: SignedField>(result: &[F::Integer]) -> Vec<i128> {
    result.iter().map(|total| F::from(*total).to_signed()).collect()
}
