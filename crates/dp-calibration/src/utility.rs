//! The error of a noisy answer: standard deviations, margins, and bounds that hold for all
//! estimates at once. The error of a total is the sum of the independent draws of all aggregators,
//! and of the clients' answers; its tails grow with the parameter of the noise
//! (`docs/calibration.md`, section 9). All of it is floating point, to about eight digits: no
//! guarantee of privacy depends on it.

mod accuracy;
mod complex;
mod float_noise;
mod intervals;
pub(crate) mod k_norm;
mod masses;
mod noisy_total;
mod rappor;
mod transform;

pub use accuracy::{Accuracy, Estimates, largest_noise};
pub use intervals::Intervals;
pub use noisy_total::{Answers, NoisyTotal};
pub use rappor::{RAPPOR_CERTIFICATE, rappor_total};
