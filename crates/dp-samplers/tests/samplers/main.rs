//! The samplers against the distributions that they state.
//!
//! Every statistical test has a false-alarm rate of at most 1e-9 (see `chi_square`), a fixed
//! seed, and a planted fault in `planted_faults` that shows it can fail.

mod bernoulli_real;
mod binomial;
mod chi_square;
mod distributions;
mod draws;
mod interface;
mod k_norm;
mod parameters;
mod planted_faults;
