//! Symmetric RAPPOR over vectors of 1000 bits, packed or in a slice, beside one inexact float for each bit.

use std::hint::black_box;

use dp_rappor::{PackedBits, SymmetricRappor, simulation};
use dp_samplers::BernoulliReal;
use rand::RngExt;
use rand_core::{CryptoRng, SeedableRng};

use super::contest::{Call, Column, Contest, Engine};
use crate::Error;
use crate::flip::Flip;

/// Bits in a vector.
const LENGTH: u32 = 1000;

const OURS: Column = Column::Ours(Engine::CONSTANT_TIME, Call::Bulk);
const SIMULATED: Column = Column::Ours(Engine::SIMULATION, Call::Bulk);

/// Packed, 64 bits to a word.
pub(super) fn enter_packed<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let rappor = SymmetricRappor::new(parameter.parse()?)?;
    let gaps = simulation::SymmetricRappor::new(rappor.epsilon0())?;
    let mut bits = PackedBits::zeros(LENGTH as usize);
    contest.enter(SIMULATED, LENGTH, move |rng: &mut R| {
        gaps.randomize_packed(rng, black_box(&mut bits));
    });
    let mut bits = PackedBits::zeros(LENGTH as usize);
    contest.enter(OURS, LENGTH, move |rng: &mut R| {
        rappor.randomize_packed(rng, black_box(&mut bits));
    });

    let flip = Flip::new(parameter)?;
    let probability = flip.as_float();
    let coin = BernoulliReal::new(flip)?;
    enter_packed_coins(contest, Column::Reference, move |rng: &mut R| {
        coin.sample(rng)
    });
    enter_packed_coins(contest, Column::Float, move |rng: &mut R| {
        rng.random::<f64>() < probability
    });
    Ok(())
}

/// Enters a coin that is thrown for each packed bit.
fn enter_packed_coins<R: SeedableRng + 'static>(
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

/// In a slice of `bool`.
pub(super) fn enter_slice<R>(contest: &mut Contest, parameter: &str) -> Result<(), Error>
where
    R: SeedableRng + CryptoRng + 'static,
{
    let rappor = SymmetricRappor::new(parameter.parse()?)?;
    let gaps = simulation::SymmetricRappor::new(rappor.epsilon0())?;
    enter_bits(contest, SIMULATED, move |rng: &mut R, bits| {
        gaps.randomize(rng, bits);
    });
    enter_bits(contest, OURS, move |rng: &mut R, bits| {
        rappor.randomize(rng, bits);
    });

    let flip = Flip::new(parameter)?;
    let probability = flip.as_float();
    let coin = BernoulliReal::new(flip)?;
    enter_bits(contest, Column::Reference, move |rng: &mut R, bits| {
        bits.iter_mut().for_each(|bit| *bit ^= coin.sample(rng));
    });
    enter_bits(contest, Column::Float, move |rng: &mut R, bits| {
        for bit in bits {
            *bit ^= rng.random::<f64>() < probability;
        }
    });
    Ok(())
}

/// Enters what randomizes a slice.
fn enter_bits<R: SeedableRng + 'static>(
    contest: &mut Contest,
    column: Column,
    mut randomize: impl FnMut(&mut R, &mut [bool]) + 'static,
) {
    let mut bits = vec![false; LENGTH as usize];
    contest.enter(column, LENGTH, move |rng: &mut R| {
        randomize(rng, black_box(&mut bits));
    });
}
