//! Symmetric RAPPOR over packed vectors of 1000 bits, beside one inexact float for each bit.

use std::hint::black_box;

use dp_rappor::{PackedBits, SymmetricRappor, simulation};
use dp_samplers::BernoulliReal;
use rand::RngExt;
use rand_core::{CryptoRng, SeedableRng};

use super::contest::{Column, Contest};
use crate::Error;
use crate::flip::Flip;

/// Bits in a vector.
const LENGTH: u32 = 1000;

pub(super) fn enter<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let rappor = SymmetricRappor::new(parameter.parse()?)?;
    let gaps = simulation::SymmetricRappor::new(rappor.epsilon0())?;
    let mut bits = PackedBits::zeros(LENGTH as usize);
    contest.enter(Column::SimulationBulk, LENGTH, move |rng: &mut R| {
        gaps.randomize_packed(rng, black_box(&mut bits));
    });
    let mut bits = PackedBits::zeros(LENGTH as usize);
    contest.enter(Column::Bulk, LENGTH, move |rng: &mut R| {
        rappor.randomize_packed(rng, black_box(&mut bits));
    });

    let flip = Flip::new(parameter)?;
    let probability = flip.as_float();
    let coin = BernoulliReal::new(flip)?;
    enter_coins(contest, Column::Reference, move |rng: &mut R| {
        coin.sample(rng)
    });
    enter_coins(contest, Column::Float, move |rng: &mut R| {
        rng.random::<f64>() < probability
    });
    Ok(())
}

/// Enters a coin that is thrown for each bit.
fn enter_coins<R: SeedableRng + 'static>(
    contest: &mut Contest,
    column: Column,
    mut coin: impl FnMut(&mut R) -> bool + 'static,
) {
    let mut words = vec![0_u64; LENGTH.div_ceil(64) as usize];
    contest.enter(column, LENGTH, move |rng: &mut R| {
        let mut left = LENGTH;
        for word in black_box(&mut words) {
            let here = left.min(64);
            *word ^= (0..here).fold(0, |mask, place| mask | u64::from(coin(rng)) << place);
            left -= here;
        }
    });
}
