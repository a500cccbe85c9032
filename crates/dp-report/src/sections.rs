//! Sections that reports of plans and of runs have in common.

mod accuracy;
mod risk;

pub(crate) use accuracy::{Setting, alternative, section as accuracy};
pub(crate) use risk::{Promise, section as risk};
