#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod candidates;
mod certificate;
mod claim;
mod steering;

pub use candidates::{Candidates, Unverified};
pub use certificate::{Certificate, FORMAT};
pub use claim::{Claim, Draws, Known, Mechanism, Noise, Rappor, Release, Weight};
pub use steering::{Crowd, Steering};
