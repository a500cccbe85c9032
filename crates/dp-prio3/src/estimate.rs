//! Estimates, and the floats that they are made of.

pub use dp_rappor::Estimate;

/// The nearest float, for estimates.
pub(crate) fn as_float<T: num_traits::ToPrimitive>(value: T) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}
