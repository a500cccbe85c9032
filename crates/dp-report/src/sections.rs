//! Sections that reports of plans and of runs have in common.

mod risk;

pub(crate) use risk::{Promise, section as risk};
