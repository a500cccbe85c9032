//! Laws of privacy losses, certified from one side: what an accountant adds up.
//!
//! The privacy loss of an outcome x is ℓ = ln P(x)/Q(x), with x drawn from P; the losses of independent
//! releases add up. A [`TiltedLoss`] is the law of a loss, each probability multiplied by e^(λℓ), on a
//! lattice of rational step, in units of 2^−62.
//!
//! - [`discrete_gaussian`] and [`response`] make the laws of discrete Gaussian noise and of randomized
//!   response (whose loss is that of discrete Laplace noise on one integer, too), on exact lattices;
//! - [`outcomes`] makes that of finitely many outcomes, known up to rounding to one side;
//! - [`together`] adds up laws on different lattices.
//!
//! A [`DominatingPair`] describes a mechanism of which no closed form is known: whoever bounds the sum of
//! many clients' answers makes one, an accountant composes it, and neither knows the other.
//!
//! Why a law from above and one from below are bounds is in `docs/composition.md` of `dp-accounting`.

mod dominating_pair;
mod gaussian;
mod outcomes;
mod regrid;
mod response;
#[cfg(test)]
mod tests;
mod tilted;
mod tilting;
mod together;

pub use self::dominating_pair::{DominatingLosses, DominatingPair, Outcomes};
pub use self::gaussian::law as discrete_gaussian;
pub use self::outcomes::law as outcomes;
pub use self::response::{kary as kary_response, law as response};
pub use self::tilted::{TiltedLoss, in_units, largest_weight, polynomial};
pub use self::tilting::{BoundSide, PRECISION, Tilting};
pub use self::together::{COMMON, common_step, together};
