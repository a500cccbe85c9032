//! The tests of the policies and the parties, in one program so that prio is compiled into it once.

mod batch_state;
mod binding;
mod collector;
mod compensation;
mod encoding;
mod end_to_end;
mod figures;
mod grid;
mod guarantees;
mod guarantees_by_enumeration;
mod hedged;
mod hostile_reports;
mod limits;
mod parameters;
mod policies;
mod releases;
mod replay;
mod report_binding;
mod seen_reports;
mod spending;
mod strategy_matrix;
mod support;
mod types;
