//! Discrete and continuous Gaussian noise.

pub mod analytic_gaussian;
pub(crate) mod coset_sums;
pub mod discrete_gaussian;
pub(crate) mod lattice_gaussian;
pub(crate) mod norm_gaussian;
pub mod zcdp;
