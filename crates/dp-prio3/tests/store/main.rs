//! Stores on the disk: what is kept is found again, and what was altered is refused.
#![cfg(unix)]

mod altered_files;
mod directory_releases;
mod directory_reports;
mod hostile_places;
mod kills;
mod restart;
