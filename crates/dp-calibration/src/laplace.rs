//! Discrete Laplace noise for pure differential privacy.
//!
//! Noise P(x) ∝ e^(−|x|/t) on every coordinate, independently, changes its probability by at most
//! e^(‖d‖₁/t) when the aggregate changes by d. So t = Δ₁/ε gives ε-differential privacy in any
//! dimension, also after reduction modulo the field (Dwork, McSherry, Nissim, Smith 2006;
//! Ghosh, Roughgarden, Sundararajan 2009 for the integers; Cook 2024 for Prio3).

use dp_exact::{Epsilon, Rational};
use num_bigint::BigUint;

use crate::{Error, Result};

/// The scale t = Δ₁/ε of the discrete Laplace distribution P(x) ∝ e^(−|x|/t) that makes an
/// aggregate of L1 sensitivity `l1` ε-differentially private. Exact.
///
/// ```
/// use dp_calibration::{Adjacency, Query, laplace};
///
/// let sensitivity = Query::Histogram { length: 8 }.sensitivity(Adjacency::Replacement)?;
/// let scale = laplace::scale(&"0.4".parse()?, &sensitivity.l1)?;
/// assert_eq!(scale.to_string(), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the sensitivity is 0: nothing depends on a client then, and there is no noise to calibrate.
pub fn scale(epsilon: &Epsilon, l1: &BigUint) -> Result<Rational> {
    let sensitivity = positive_sensitivity("l1", l1)?;
    let scale = sensitivity.checked_div(epsilon.value());
    scale.ok_or_else(|| Error::parameter("epsilon", epsilon, "a number greater than 0"))
}

/// A sensitivity as a fraction; `Err` if it is 0. `name` is the parameter in the message.
pub(crate) fn positive_sensitivity(name: &'static str, value: &BigUint) -> Result<Rational> {
    Error::check(*value != BigUint::ZERO, name, 0, "an integer of at least 1")?;
    Ok(Rational::integer(value.clone()))
}
