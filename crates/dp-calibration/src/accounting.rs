#![doc = include_str!("../docs/accounting.md")]

mod accountant;
pub mod schedule;

pub use self::accountant::{
    Accountant, AccountedMechanism, ComposedEpsilon, compose, optimal_of_pairs,
};
pub use crate::privacy_loss::DominatingPair;
