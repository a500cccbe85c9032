//! Draws of the binomial distribution for a billion clients that flip with 1/(e^5 + 1), beside
//! `rand_distr`.

use dp_samplers::{Binomial, simulation};
use rand_core::{CryptoRng, SeedableRng};
use rand_distr::Distribution;

use super::contest::{Column, Contest, enter_ours};
use crate::Error;
use crate::flip::Flip;

/// n
const TRIALS: u64 = 1_000_000_000;

/// ε₀
const EPSILON0: &str = "5";

pub(super) fn enter<R>(contest: &mut Contest) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let flip = Flip::new(EPSILON0)?;

    enter_ours!(
        contest,
        R,
        Binomial::new(TRIALS, flip.clone())?,
        simulation::Binomial::new(TRIALS, flip.clone())?
    );

    let peer = rand_distr::Binomial::new(TRIALS, flip.as_float())
        .map_err(|error| Error::peer("rand_distr", error))?;
    contest.enter_draws(Column::Float, move |rng: &mut R| {
        peer.sample(rng).cast_signed()
    });
    Ok(())
}
