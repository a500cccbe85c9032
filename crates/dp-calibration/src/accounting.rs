#![doc = include_str!("../docs/accounting.md")]

mod accountant;
mod composition;
pub mod schedule;

pub use self::accountant::{Accountant, AccountedMechanism, ComposedEpsilon, Theorem};
pub use self::composition::{compose, optimal_of_pairs};
pub use crate::privacy_loss::DominatingPair;
