#![doc = include_str!("../README.md")]

mod accepted;
mod adjacency;
pub mod aggregated_rappor;
pub mod analytic_gaussian;
mod bernoulli_numbers;
mod budget;
pub mod composition;
mod directed;
pub mod discrete_gaussian;
mod error;
mod euler_maclaurin;
pub mod kov15;
pub mod laplace;
mod lattice_gaussian;
pub mod ledger;
pub mod privacy_loss;
mod query;
mod sensitivity;
pub mod zcdp;

pub use adjacency::Adjacency;
pub use budget::Budget;
pub use error::Error;
pub use query::Query;
pub use sensitivity::Sensitivity;
