//! Draws of the binomial distribution for a billion clients that flip with 1/(e^5 + 1), beside
//! `rand_distr`.

use std::rc::Rc;

use dp_samplers::{Binomial, simulation};
use rand_core::{CryptoRng, SeedableRng};
use rand_distr::Distribution;

use super::contest::{Column, Contest};
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

    let law = Binomial::new(TRIALS, flip.clone())?;
    let bulk = law.clone();
    contest.enter_fill(Column::Bulk, move |rng: &mut R, out| {
        // Every draw fits 64 bits.
        bulk.fill(rng, out).unwrap_or(());
    });
    contest.enter_draws(Column::Single, move |rng: &mut R| {
        law.sample(rng).cast_signed()
    });

    let law = Rc::new(simulation::Binomial::new(TRIALS, flip.clone())?);
    let bulk = Rc::clone(&law);
    contest.enter_fill(Column::SimulationBulk, move |rng: &mut R, out| {
        bulk.fill(rng, out).unwrap_or(());
    });
    contest.enter_draws(Column::SimulationSingle, move |rng: &mut R| {
        law.sample(rng).cast_signed()
    });

    let peer = rand_distr::Binomial::new(TRIALS, flip.as_float())
        .map_err(|error| Error::peer("rand_distr", error))?;
    contest.enter_draws(Column::Float, move |rng: &mut R| {
        peer.sample(rng).cast_signed()
    });
    Ok(())
}
