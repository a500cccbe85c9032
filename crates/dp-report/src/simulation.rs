//! The report of a simulation.
//!
//! [`Asked`] is known before the run, [`Observed`] after it.

mod asked;
mod estimates;
mod numbers;
mod observed;
mod summary;
mod text;

pub use asked::Asked;
pub use estimates::{Bar, Estimates};
pub use observed::Observed;
