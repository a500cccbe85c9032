//! The tests of the public interface, in one program that is linked once.

mod aggregated_rappor;
mod aggregated_response;
mod common;
mod compensation;
mod documented_figures;
mod enumerated;
mod hedged;
mod hedged_data;
mod losses;
mod named;
mod rappor_crowds;
mod rappor_dropping;
mod rappor_properties;
mod whole_range;
