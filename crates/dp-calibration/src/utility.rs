//! The error of a noisy answer: standard deviations, margins, and bounds that hold for all
//! estimates at once. All of it is floating point, to about eight digits: no guarantee of privacy
//! depends on it.
//!
//! For the error X of one estimate let T(m) = P(|X| > m). The errors of d estimates are
//! independent, so the largest of them is at most m with probability (1 − T(m))^d; the union bound
//! asks d·T(m) ≤ β.
//!
//! **Every aggregator adds noise.** The error of a total is the sum S of A independent draws. Its
//! tail is a polynomial times q^m for Laplace noise; all other tails come from generating
//! functions.
//!
//! Tails grow with the parameter of the noise, also tails of sums (docs/calibration.md, section 9),
//! so that halving finds the largest parameter for a target accuracy.

mod accuracy;
mod intervals;
mod noisy_total;
mod rappor;
mod transform;

pub use accuracy::{Accuracy, Estimates, NoiseWithin, largest_parameter};
pub use intervals::Intervals;
pub use noisy_total::{Answers, NoisyTotal};
pub use rappor::{RAPPOR_CERTIFICATE, rappor_clients, rappor_epsilon0, rappor_total};
