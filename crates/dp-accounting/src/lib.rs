//! [`dp-calibration`]: dp_calibration
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod accountant;
mod composition;
#[cfg(doc)]
pub mod proofs;
pub mod schedule;

pub use accountant::{Accountant, AccountedMechanism, ComposedEpsilon, Theorem};
pub use composition::{compose, optimal_of_pairs};
pub use dp_calibration::privacy_loss::DominatingPair;
pub use dp_calibration::{Adjacency, Budget, Error, NoiseDistribution, WorstCaseDifference};
pub use dp_exact::{Delta, Epsilon, Interval, Rational};
