//! The tests of the policies and the parties, in one program so that prio is compiled into it once.

mod batches;
mod binding;
mod encoding;
mod end_to_end;
mod figures;
mod grid;
mod guarantees;
mod guarantees_by_enumeration;
mod hedged;
mod hostile_reports;
mod k_norm;
mod parameters;
mod policies;
mod replay;
mod report_binding;
mod seen_reports;
mod spending;
#[cfg(unix)]
mod store;
mod support;
