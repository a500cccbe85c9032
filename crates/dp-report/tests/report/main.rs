//! Reports of plans and of runs, in every form.

mod common;
mod plans;
