//! The error of a count that is debiased from symmetric RAPPOR reports: each of n bits is flipped
//! with p = 1/(e^(ε₀)+1). The estimate (Y(e^(ε₀)+1) − n)/(e^(ε₀)−1) has the standard deviation
//! √n/(2·sinh(ε₀/2)), whatever the data; its tails depend on the true count, through the skew.

use dp_exact::{Epsilon, elementary};

use super::noisy_total::{Answers, NoisyTotal};
use crate::{Error, Result};

/// Why the standard deviation and the tails of a debiased count are right, in words.
pub const RAPPOR_CERTIFICATE: &str = "The standard deviation of a debiased count is √n / \
    (2·sinh(epsilon0/2)), whatever the data; tails come from the exact distribution of the count, in \
    floating point. These are figures of accuracy; no guarantee of privacy depends on them.";

/// The total of `clients` bits, each flipped by symmetric RAPPOR at ε₀ = `epsilon0`.
///
/// ```
/// use dp_calibration::utility::rappor_total;
///
/// let total = rappor_total(100_000, &"5".parse()?)?;
/// assert!((total.standard_deviation(0) - 26.13364).abs() < 1e-5);
/// // 95 % of the time all of 100 empty buckets are estimated to within this:
/// let bound = total.margin_of_all(0, 100, &"0.05".parse()?)?;
/// assert!(bound > total.margin(0, &"0.05".parse()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `clients` is 0 or above 10^10, or ε₀ outside 1e-3 to 50.
pub fn rappor_total(clients: u64, epsilon0: &Epsilon) -> Result<NoisyTotal> {
    let is_accepted = (1..=10_000_000_000).contains(&clients);
    Error::check(is_accepted, "clients", clients, "an integer from 1 to 10^10")?;
    let rate = epsilon0.value().to_f64();
    let accepted = "a number from 1e-3 to 50";
    Error::check((1e-3..=50.0).contains(&rate), "epsilon0", epsilon0, accepted)?;
    let held = (1.0 + elementary::exp(-rate)).recip();
    let other = (elementary::exp(rate) + 1.0).recip();
    Ok(NoisyTotal::of_clients(Answers { reports: clients, held, other }))
}
