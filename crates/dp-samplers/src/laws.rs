//! The laws behind the tables, each by its enclosures and its lower bounds.

mod binomial;
mod binomial_curve;
mod binomial_envelope;
mod digit;
mod gaussian;
mod geometric;
mod ln_factorial;
mod magnitude;

pub(crate) use binomial::Binomial;
pub(crate) use binomial_curve::{ERROR, FRACTION};
#[cfg(test)]
pub(crate) use binomial_envelope::tests::wide;
pub(crate) use binomial_envelope::{Envelope, units};
pub(crate) use digit::Digit;
pub(crate) use gaussian::{Gaussian, HalfGaussian};
pub(crate) use geometric::{OneSided, TwoSided};
pub(crate) use magnitude::Magnitude;
