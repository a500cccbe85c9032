//! Whether the running time tells the noise: a two-class test in the manner of dudect.
//!
//! Source: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant time?" (DATE 2017). Run time
//! is measured for two classes of inputs, in random order; Welch's t-test says whether the means
//! differ. Below |t| of 4.5 no difference is seen; a difference that is there grows with the
//! square root of the number of measurements.
//!
//! The input of a sampler is the words of its generator. So:
//!
//! 1. the words that each draw uses are recorded, and draws sorted by the magnitude of their
//!    outcome, up to the median and above;
//! 2. the words of [`DRAWS`] draws of one class are laid out one after the other, those of the
//!    next measurement behind them, in the order in which they will run;
//! 3. the draws are repeated from those words, [`DRAWS`] at a time by the clock. What class a
//!    measurement belongs to is looked up after the round, far from the clock;
//! 4. the slowest measurements, beyond a percentile of both classes together, are left out, and
//!    the means are compared.
//!
//! Beside each test runs its **null control**: the same in every step, but with draws as they
//! come under random labels. If its |t| is large, the machine or the method is at fault.
//!
//! All this is done with the caches in each of three states ([`Cache`]). Where they were disturbed, the same
//! draws with other tables are made before the measurement, and its words are read, so that all is warm
//! again but the tables. Each test is repeated with several seeds, of which each builds the tables anew:
//! [`combined_t`] is the evidence of all.
//!
//! What lines of a table tell someone who sees them in the cache, no clock says: [`lines_tv`] computes it
//! from the table.

mod cache;
mod classes;
mod cycles;
mod evidence;
mod family;
mod lines;
mod planted;
mod rounds;
mod samplers;
mod slices;
mod tape;
mod test;
mod text;
mod welch;

pub use cache::Cache;
pub use classes::{Class, Inputs, Outcomes, Subject};
pub use cycles::cycles_per_nanosecond;
pub use evidence::combined_t;
pub use lines::lines_tv;
pub use rounds::{Clock, Verdict, measure, measure_by};
pub use samplers::tests;
pub use tape::Tape;
pub use test::{Implementation, Row, SEEDS, Test};
pub use text::{HEADER, Line, Summary};
pub use welch::{cropped, welch_t};

/// Draws in a measurement.
pub const DRAWS: usize = 16;

/// |t| from which a difference counts as seen.
pub const THRESHOLD: f64 = 4.5;

/// Measurements of a test, unless told otherwise.
pub const DEFAULT_SAMPLES: u32 = 200_000;
