//! The tests of the calibrations, in one program that is linked once.

mod aggregated_rappor;
mod aggregated_response;
mod analytic_gaussian;
mod budget;
mod common;
mod compensation;
mod composition;
mod conversion;
mod corner;
mod discrete_gaussian;
mod discrete_laplace;
mod hedged;
mod honest;
mod honest_calibration;
mod l1_bound_sum;
mod ledger;
mod local;
mod parameters;
mod privacy_loss;
mod properties;
mod rappor_dropping;
mod rappor_properties;
mod sensitivity;
mod utility;
mod whole_range;
mod zcdp;
