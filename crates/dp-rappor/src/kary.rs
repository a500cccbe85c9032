//! A randomizer of one of k answers, and its estimates.

mod debias;
mod randomized_response;
mod uniform;

pub use randomized_response::{KaryRandomizedResponse, MAX_ANSWERS};
