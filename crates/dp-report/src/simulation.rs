//! The report of a simulation.
//!
//! [`Asked`] is known before the run, [`Observed`] after it; both cost nothing. [`report()`] adds what is computed
//! for pictures.

mod accuracy;
mod asked;
mod estimates;
pub(crate) mod numbers;
mod observed;
mod promises;
mod report;
mod summary;
mod text;

pub use asked::Asked;
pub use estimates::{Bar, Estimates};
pub use observed::Observed;
pub use report::report;
