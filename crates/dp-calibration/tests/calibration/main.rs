//! The tests of the public interface, in one program that is linked once.

mod accounting;
mod analytic_gaussian;
mod budget;
mod common;
mod contribution;
mod conversion;
mod discrete_gaussian;
mod discrete_laplace;
mod l1_bound_sum;
mod noise_sum;
mod noisy_totals;
mod parameters;
mod sensitivity;
mod utility;
mod worst_case_difference;
mod zcdp;
