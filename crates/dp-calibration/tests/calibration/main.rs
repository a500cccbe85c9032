//! The tests of the calibrations, in one program that is linked once.

mod accuracy;
mod analytic_gaussian;
mod budget;
mod certificates;
mod common;
mod conversion;
mod corner;
mod discrete_gaussian;
mod discrete_laplace;
mod honest;
mod honest_calibration;
mod l1_bound_sum;
mod local;
mod noisy_totals;
mod parameters;
mod properties;
mod sensitivity;
mod utility;
mod whole_range;
mod work;
mod zcdp;
