//! Simulations over real Prio3, and the data that they run on.

mod common;
mod coverage;
mod data;
mod data_counts;
mod ideal_policies;
mod percentiles;
mod runs;
mod synthetic;
