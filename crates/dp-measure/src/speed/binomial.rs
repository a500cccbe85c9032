//! Draws of the binomial distribution, beside `rand_distr`: for a billion clients that flip with 1/(e^5 + 1),
//! and for a million times a million.

use dp_samplers::{Binomial, simulation};
use rand_core::{CryptoRng, SeedableRng};
use rand_distr::Distribution;

use super::contest::{Call, Column, Contest, Engine, FAST, SHORT, enter_ours};
use crate::Error;
use crate::flip::Flip;

/// n, and ε₀ of p = 1/(e^ε₀ + 1).
fn trials_and_epsilon0(parameter: &str) -> (u64, &'static str) {
    match parameter {
        "10^9, 1/(e^5+1)" => (1_000_000_000, "5"),
        _ => (1_000_000_000_000, "1"),
    }
}

pub(super) fn enter<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let (trials, epsilon0) = trials_and_epsilon0(parameter);
    let flip = Flip::new(epsilon0)?;

    enter_ours!(
        contest,
        R,
        [Binomial::new(trials, flip.clone())?],
        simulation::Binomial::new(trials, flip.clone())?
    );

    let peer = rand_distr::Binomial::new(trials, flip.as_float())
        .map_err(|error| Error::peer("rand_distr", error))?;
    contest.enter_draws(Column::Float, move |rng: &mut R| {
        peer.sample(rng).cast_signed()
    });
    Ok(())
}
