//! Reports and the planner's page in Chromium, as people open them.
//!
//! What is not on the machine is left out, and said on standard error.

mod accessible;
mod computes;
mod files;
mod guide;
mod looks;
mod window;
