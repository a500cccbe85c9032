//! Distributions of privacy losses that bound δ from one side, to be composed.
//!
//! The privacy loss of an outcome x is ℓ = ln P(x)/Q(x), with x drawn from P; the losses of
//! independent releases add up. A [`TiltedLoss`] is the distribution of a loss, each probability
//! multiplied by e^(λℓ), on a lattice of rational step, in units of 2^−62. [`fn@together`] adds up
//! distributions on different lattices. Why a distribution from above and one from below are bounds
//! is in `docs/composition.md`. Functions return `None` where a number does not fit, or a lattice
//! would be too long.
//!
//! A [`DominatingPair`] describes a mechanism without a closed form, such as the sum of many
//! clients' answers: one crate bounds the mechanism, an accountant composes it.

mod dominating_pair;
mod gaussian;
mod outcomes;
mod regrid;
#[cfg(test)]
mod tests;
mod tilted;
mod tilting;
mod together;

pub(crate) use self::dominating_pair::DominatingLosses;
pub use self::dominating_pair::{DominatingPair, Outcomes};
pub(crate) use self::gaussian::summed_gaussian;
pub(crate) use self::outcomes::{outcomes, response};
pub(crate) use self::tilted::{LONG, TiltedLoss};
pub(crate) use self::tilting::{BoundSide, PRECISION, Tilting, real};
pub(crate) use self::together::together;
