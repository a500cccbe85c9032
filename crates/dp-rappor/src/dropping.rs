//! How dropping heavy reports changes the estimated count of a bucket that nobody holds.

use dp_exact::{Interval, Rational, elementary};
#[cfg(not(feature = "std"))]
use num_traits::Float as _;

use crate::{Error, SymmetricRappor, rejection_bias};

/// Error of the debiased count of an empty bucket where reports of more than a certain weight are
/// dropped.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DroppingEffect {
    /// The probability that the report of a one-hot vector is dropped.
    pub rate: Interval,
    /// The standard deviation of the count over all clients, dropping included, in clients.
    pub standard_deviation: f64,
    /// The mean of the count over all clients, whose truth is 0, in clients.
    pub bias: f64,
}

/// The effect on the count of `clients` one-hot vectors of `length` bits, where reports of more than
/// `max_weight` true bits are dropped.
///
/// A client that holds another bucket contributes A·g(y), with y its randomized bit, A whether its
/// report is kept, and g(y) = (y − p)/(1 − 2p). Its mean comes from [`rejection_bias`]; its second
/// moment is (P(y = 1, A)·(1 − p)² + P(y = 0, A)·p²)/(1 − 2p)².
///
/// # Errors
/// As [`rejection_bias`].
pub fn dropping_effect(
    rappor: &SymmetricRappor,
    clients: u64,
    length: usize,
    max_weight: usize,
) -> Result<DroppingEffect, Error> {
    let kept = rejection_bias(rappor, length, 1, false, max_weight)?;
    let p = rappor.flip_probability(64).midpoint();
    let mean = kept.bias().midpoint();
    let accepted = kept.accepted().midpoint();
    let set = kept.reported().midpoint() * accepted;
    let unset = accepted - set;
    let contrast = 1.0 - 2.0 * p;
    let square = (set * elementary::powi(1.0 - p, 2) + unset * elementary::powi(p, 2))
        / elementary::powi(contrast, 2);
    let clients = Rational::from(clients).to_f64();
    Ok(DroppingEffect {
        rate: kept.rejected().clone(),
        standard_deviation: (clients * (square - mean * mean)).sqrt(),
        bias: clients * mean,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All eight reports of three bits, of a client that holds the second one.
    #[test]
    fn the_effect_is_that_of_all_reports() -> Result<(), Error> {
        let rappor = SymmetricRappor::new("1.5".parse()?)?;
        let effect = dropping_effect(&rappor, 50, 3, 1)?;
        let p = 1.0 / (1.5f64.exp() + 1.0);
        let (mut dropped, mut mean, mut square) = (0.0, 0.0, 0.0);
        for report in 0u32..8 {
            let bits = [report & 1 == 1, report & 2 == 2, report & 4 == 4];
            let agrees = [!bits[0], bits[1], !bits[2]];
            let mass: f64 = agrees.map(|agrees| if agrees { 1.0 - p } else { p }).iter().product();
            if report.count_ones() > 1 {
                dropped += mass;
                continue;
            }
            let bit = if bits[0] { 1.0 } else { 0.0 };
            let estimate = (bit - p) / (1.0 - 2.0 * p);
            mean += mass * estimate;
            square += mass * estimate * estimate;
        }
        let deviation = (50.0 * (square - mean * mean)).sqrt();
        assert!((effect.rate.midpoint() - dropped).abs() < 1e-12);
        assert!((effect.bias - 50.0 * mean).abs() < 1e-11, "{}", effect.bias);
        assert!((effect.standard_deviation - deviation).abs() < 1e-11);
        Ok(())
    }
}
