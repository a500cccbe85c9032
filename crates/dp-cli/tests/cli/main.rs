//! The commands as a user types them.

mod calibrate;
mod certificates;
mod collected;
mod coq;
mod deployments;
mod documents;
mod estimate;
#[cfg(unix)]
mod files;
mod ledger;
mod one_total;
#[cfg(unix)]
mod random_lines;
#[cfg(unix)]
mod readme;
mod refused;
mod simulate;
mod snapshot;
mod support;
mod tables;
mod trials;
