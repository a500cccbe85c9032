//! Estimates from counts of randomized bits, and the bias of dropping reports.

mod bits;
mod rejection_bias;

pub(crate) use bits::{deviation, to_float, unbiased};
pub use rejection_bias::{RejectionBias, rejection_bias};
