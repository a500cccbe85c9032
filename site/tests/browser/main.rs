//! Reports and the planner's page in Chromium, as people open them.
//!
//! Tests whose tools are missing on the machine are skipped, with a message on standard error.

mod computes;
mod files;
mod looks;
mod window;
