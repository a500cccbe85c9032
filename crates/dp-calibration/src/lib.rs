#![doc = include_str!("../README.md")]

mod accepted;
mod adjacency;
pub mod aggregated_rappor;
pub mod aggregated_response;
pub mod analytic_gaussian;
mod bernoulli_numbers;
mod budget;
pub mod compensation;
pub mod composition;
pub mod conversion;
mod convex;
mod corner;
mod coset_sums;
mod directed;
pub mod discrete_gaussian;
pub mod discrete_laplace;
mod error;
mod euler_maclaurin;
pub mod hedged;
pub mod honest;
pub mod kov15;
pub mod laplace;
mod lattice_gaussian;
pub mod local;
pub mod privacy_loss;
#[cfg(doc)]
pub mod proofs;
mod query;
mod sensitivity;
mod trust_model;
pub mod utility;
pub mod zcdp;

pub use adjacency::Adjacency;
pub use budget::Budget;
pub use corner::Corner;
pub use error::Error;
pub use query::Query;
pub use sensitivity::Sensitivity;
pub use trust_model::{SeveralAggregators, TrustModel};
