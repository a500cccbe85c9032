//! The laws behind the tables, each by its enclosures and its lower bounds.

mod digit;
mod gaussian;
mod geometric;

pub(crate) use digit::Digit;
pub(crate) use gaussian::Gaussian;
pub(crate) use geometric::{OneSided, TwoSided};
