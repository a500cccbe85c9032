//! The distributions that engines draw, each by its enclosures and its lower bounds.

mod binomial;
mod binomial_curve;
mod binomial_envelope;
mod ln_factorial;
mod magnitude;

pub(crate) use binomial::{Binomial, Probability};
pub(crate) use binomial_envelope::Envelope;
pub(crate) use magnitude::{LowDigit, Magnitude};
