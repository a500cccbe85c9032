//! The laws behind the tables, each by its enclosures and its lower bounds.

mod binomial;
mod digit;
mod gaussian;
mod geometric;
mod ln_factorial;

pub(crate) use binomial::Binomial;
pub(crate) use digit::Digit;
pub(crate) use gaussian::Gaussian;
pub(crate) use geometric::{OneSided, TwoSided};
