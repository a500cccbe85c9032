#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod accepted;
pub mod accounting;
mod adjacency;
mod budget;
pub mod certificate;
mod contribution;
pub mod conversion;
mod crossing;
pub mod discrete_laplace;
mod error;
pub mod for_amplification;
mod gaussian;
pub mod local;
mod mechanism;
mod name;
mod noise_distribution;
pub mod noise_sum;
mod privacy_loss;
#[cfg(doc)]
pub mod proofs;
mod query;
mod refusal;
mod sensitivity;
pub mod strategy_matrix;
mod trust_model;
pub mod utility;
mod worst_case_difference;

pub use adjacency::Adjacency;
pub use budget::Budget;
pub use contribution::is_worth_its_delta;
pub use dp_exact::{Delta, Epsilon, Interval, ParameterError, Rational, Rho};
pub use error::{Error, Result};
pub(crate) use gaussian::lattice_gaussian;
pub use gaussian::{analytic_gaussian, discrete_gaussian, zcdp};
pub(crate) use gaussian::{coset_sums, norm_gaussian};
pub use mechanism::{Mechanism, Noise, Randomizer};
pub use name::{MAX_NAME, check_line, check_name, is_printable};
pub use noise_distribution::{NoiseDistribution, NoiseKind, VectorNoise};
pub use num_bigint::{BigInt, BigUint};
pub use query::Query;
pub use refusal::Refusal;
pub use sensitivity::{Sensitivity, SensitivityBound};
pub use trust_model::TrustModel;
pub use worst_case_difference::WorstCaseDifference;

/// A number that a test states.
#[cfg(test)]
fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}
