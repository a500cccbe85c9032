//! What is kept is found again, and what was altered is refused.

mod altered_files;
mod directory_releases;
mod directory_reports;
#[cfg(unix)]
mod hostile_places;
mod kills;
#[cfg(unix)]
mod modes;
mod restart;
