//! The samplers against the distributions that they state.
//!
//! Every statistical test has a false-alarm rate of at most 1e-9 (see `chi_square`), a fixed
//! seed, and a planted fault in `planted_faults` that shows it can fail.

mod bernoulli;
mod bernoulli_real;
mod binomial;
mod chi_square;
mod costs;
mod debug;
mod discrete_gaussian;
mod discrete_laplace;
mod distributions;
mod geometric;
mod interface;
mod many_draws;
mod moments;
mod parameters;
mod passes;
mod planted_faults;
mod properties;
mod vectors;
