//! The samplers that are tested, each at parameters that exercise another engine.

use std::rc::Rc;

use dp_exact::Rational;
use dp_rappor::{PackedBits, SymmetricRappor};
use dp_samplers::{Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, reference, simulation};
use num_bigint::BigInt;

use super::DRAWS;
use super::classes::{Inputs, Outcomes};
use super::family::Family;
use super::tape::Tape;
use super::test::{Implementation, Test};
use crate::Error;
use crate::flip::Flip;

/// All tests, of every sampler in every implementation.
///
/// # Errors
/// If a sampler refuses its parameter; none does.
pub fn tests() -> Result<Vec<Test>, Error> {
    let mut tests = Vec::new();
    for (sigma, numerator, denominator) in [
        ("0.5", 1_u64, 2_u64),
        ("5.1904", 51_904, 10_000),
        ("23.3903", 233_903, 10_000),
        ("1000", 1000, 1),
        ("10^6", 1_000_000, 1),
        ("2^40", 1 << 40, 1),
    ] {
        tests.extend(gaussian(
            sigma,
            &Rational::new(numerator, denominator)?.pow(2),
        )?);
    }
    for scale in ["2/5", "2", "20", "65535000"] {
        tests.extend(laplace(scale)?);
    }
    for scale in ["2", "65535000"] {
        tests.extend(geometric(scale)?);
    }
    tests.extend(binomial()?);
    for epsilon0 in ["1", "2.5", "5", "8"] {
        tests.extend(rappor(epsilon0)?);
    }
    Ok(tests)
}

/// Small draws against large ones.
fn gaussian(sigma: &'static str, variance: &Rational) -> Result<Vec<Test>, Error> {
    let law = DiscreteGaussian::new(variance)?;
    let short = simulation::DiscreteGaussian::new(variance)?;
    let paper = reference::DiscreteGaussian::new(variance)?;
    let family = Family::new("discrete_gaussian", sigma, law.undecided());
    let (one, bulk) = (law.clone(), law.clone());
    Ok(vec![
        family.one_by_one(move |tape| one.sample_as(tape).unwrap_or(0))?,
        // Every draw fits 64 bits.
        family.in_bulk(
            move |tape| law.sample_as(tape).unwrap_or(0),
            move |tape, out| bulk.fill(tape, out).unwrap_or(()),
        )?,
        family.simulation(move |tape| short.sample_as(tape).unwrap_or(0))?,
        family.reference(move |tape| paper.sample(tape))?,
    ])
}

/// Small draws against large ones.
fn laplace(scale: &'static str) -> Result<Vec<Test>, Error> {
    let t: Rational = scale.parse()?;
    let law = DiscreteLaplace::new(&t)?;
    let short = simulation::DiscreteLaplace::new(&t)?;
    let paper = reference::DiscreteLaplace::new(&t)?;
    let family = Family::new("discrete_laplace", scale, law.undecided());
    let (one, bulk) = (law.clone(), law.clone());
    Ok(vec![
        family.one_by_one(move |tape| one.sample_as(tape).unwrap_or(0))?,
        family.in_bulk(
            move |tape| law.sample_as(tape).unwrap_or(0),
            move |tape, out| bulk.fill(tape, out).unwrap_or(()),
        )?,
        family.simulation(move |tape| short.sample_as(tape).unwrap_or(0))?,
        family.reference(move |tape| paper.sample(tape))?,
    ])
}

/// Small draws against large ones.
fn geometric(scale: &'static str) -> Result<Vec<Test>, Error> {
    let t: Rational = scale.parse()?;
    let law = Geometric::new(&t)?;
    let paper = reference::Geometric::new(&t)?;
    let family = Family::new("geometric", scale, law.undecided());
    let (one, bulk) = (law.clone(), law.clone());
    Ok(vec![
        family.one_by_one(move |tape| one.sample_as(tape).unwrap_or(0))?,
        family.in_bulk(
            move |tape| law.sample_as(tape).unwrap_or(0),
            move |tape, out| bulk.fill(tape, out).unwrap_or(()),
        )?,
        family.reference(move |tape| BigInt::from(paper.sample(tape)))?,
    ])
}

/// Draws near the mean np against those far from it.
fn binomial() -> Result<Vec<Test>, Error> {
    const TRIALS: u64 = 1_000_000_000;
    let flip = Flip::new("5")?;
    let mean = Rational::integer(TRIALS) * Rational::from_f64(flip.as_float())?;
    let mean = i64::try_from(mean.floor()).unwrap_or(0);
    let law = Binomial::new(TRIALS, flip.clone())?;
    let short = simulation::Binomial::new(TRIALS, flip)?;
    let family = Family::new("binomial", "10^9, 1/(e^5+1)", Some(law.undecided())).around(mean);
    let (one, bulk) = (law.clone(), law.clone());
    Ok(vec![
        family.one_by_one(move |tape| one.sample(tape).cast_signed())?,
        family.in_bulk(
            move |tape| law.sample(tape).cast_signed(),
            move |tape, out| bulk.fill(tape, out).unwrap_or(()),
        )?,
        family.simulation(move |tape| short.sample(tape).cast_signed())?,
    ])
}

/// Bits that are all 0 against bits that are all 1, packed and in a slice; few flips against many.
fn rappor(epsilon0: &'static str) -> Result<Vec<Test>, Error> {
    const LENGTH: usize = 64;
    let rappor = Rc::new(SymmetricRappor::new(epsilon0.parse()?)?);
    let undecided = Some(rappor.undecided());
    let (bit, flips) = ("rappor_bit", "rappor_flips");
    let (bit, flips) = (
        Family::new(bit, epsilon0, undecided),
        Family::new(flips, epsilon0, undecided),
    );

    let zeros = [(); DRAWS].map(|()| PackedBits::zeros(LENGTH));
    let ones = [(); DRAWS].map(|()| (0..LENGTH).map(|_| true).collect::<PackedBits>());
    let law = Rc::clone(&rappor);
    let packed = move |vectors: &mut [PackedBits; DRAWS], tape: &mut Tape| {
        for bits in vectors {
            law.randomize_packed(tape, bits);
        }
    };
    let packed_inputs = Inputs::new(zeros.clone(), ones, packed.clone());

    let law = Rc::clone(&rappor);
    let slice = move |bits: &mut [bool; LENGTH * DRAWS], tape: &mut Tape| law.randomize(tape, bits);
    let (zero, one) = ([false; LENGTH * DRAWS], [true; LENGTH * DRAWS]);
    let slice_inputs = Inputs::new(zero, one, slice);

    let weight = move |tape: &mut Tape| {
        let mut bits = PackedBits::zeros(LENGTH);
        rappor.randomize_packed(tape, &mut bits);
        u64::try_from(bits.weight()).unwrap_or(0)
    };
    let mut vectors = zeros;
    let outcomes = Outcomes::new(weight, move |tape| packed(&mut vectors, tape))?;

    Ok(vec![
        bit.test(Implementation::ConstantTime, packed_inputs),
        bit.test(Implementation::ConstantTimeBulk, slice_inputs),
        flips.test(Implementation::ConstantTime, outcomes),
    ])
}
