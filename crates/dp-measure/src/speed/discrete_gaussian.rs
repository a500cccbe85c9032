//! Draws of the discrete Gaussian, beside libprio and a rounded normal float.
//!
//! libprio takes σ as a fraction, ours σ² as a fraction: the exact square.

use dp_exact::Rational;
use dp_samplers::{DiscreteGaussian, reference, simulation};
use prio::dp::distributions;
use rand_core::{CryptoRng, SeedableRng};
use rand_distr::{Distribution, Normal};

use super::contest::{Call, Column, Contest, Engine, FAST, SHORT, enter_ours};
use crate::Error;

/// σ as a fraction.
fn sigma(parameter: &str) -> (u128, u128) {
    match parameter {
        "0.5" => (1, 2),
        "5.1904" => (51_904, 10_000),
        "10" => (10, 1),
        "23.3903" => (233_903, 10_000),
        "1000" => (1000, 1),
        "10^6" => (1_000_000, 1),
        _ => (1 << 40, 1),
    }
}

pub(super) fn enter<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let (numerator, denominator) = sigma(parameter);
    let sigma = Rational::new(numerator, denominator)?;
    let variance = sigma.pow(2);

    enter_ours!(
        contest,
        R,
        [DiscreteGaussian::new(&variance)?],
        simulation::DiscreteGaussian::new(&variance)?
    );

    let law = reference::DiscreteGaussian::new(&variance)?;
    contest.enter_slow(Column::Reference, move |rng: &mut R| law.sample(rng));

    let peer = prio::dp::Rational::from_unsigned(numerator, denominator)
        .and_then(distributions::DiscreteGaussian::new)
        .map_err(|error| Error::peer("prio", error))?;
    contest.enter_slow(Column::Prio, move |rng: &mut R| peer.sample(rng));

    let normal =
        Normal::new(0.0, sigma.to_f64()).map_err(|error| Error::peer("rand_distr", error))?;
    contest.enter_draws(Column::Float, move |rng: &mut R| {
        #[expect(clippy::cast_possible_truncation, reason = "to round is the work")]
        {
            normal.sample(rng).round() as i64
        }
    });
    Ok(())
}
