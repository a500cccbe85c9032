//! The samplers that are tested, each at parameters that exercise another engine.

use std::rc::Rc;

use dp_exact::{Epsilon, Rational};
use dp_rappor::{PackedBits, SymmetricRappor};
use dp_samplers::{
    Binomial, DiscreteGaussian, DiscreteLaplace, Geometric, Variant, reference, simulation,
};
use num_bigint::BigInt;

use super::DRAWS;
use super::classes::{Inputs, Outcomes};
use super::family::Family;
use super::planted;
use super::tape::Tape;
use super::test::{Implementation, Test};
use crate::flip::Flip;
use crate::{Error, variant};

/// All tests, of every sampler in every implementation; first of a leak that is there.
///
/// # Errors
/// If a sampler refuses its parameter; none does.
pub fn tests() -> Result<Vec<Test>, Error> {
    let mut tests = planted::tests();
    for (sigma, numerator, denominator) in [
        ("0.5", 1_u64, 2_u64),
        ("5.1904", 51_904, 10_000),
        ("10", 10, 1),
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

/// Draws of a law one by one and in slices, by each of the ways to draw that serve its parameter. The methods of
/// laws belong to no trait; every draw fits 64 bits.
macro_rules! one_by_one_and_in_bulk {
    ($family:expr, $make:expr) => {
        one_by_one_and_in_bulk!($family, $make, variant::all($make))
    };
    ($family:expr, $make:expr, $laws:expr) => {{
        let mut tests = Vec::new();
        for (variant, law) in $laws {
            let family = $family
                .promising(law.undecided().into())
                .by(variant, &law.touches());
            let make = $make.clone();
            tests.extend(family.draws(Implementation::ConstantTime, move || {
                let law = make(variant)?;
                Ok(move |tape: &mut Tape| law.sample_as(tape).unwrap_or(0))
            }));
            // A rejected proposal moves the words of all later draws, so that no slice of one class can be
            // laid out.
            if variant == Variant::Rounds {
                continue;
            }
            let make = $make.clone();
            tests.extend(family.in_bulk(move || {
                let law = make(variant)?;
                Ok(move |tape: &mut Tape, out: &mut [i64]| law.fill(tape, out).unwrap_or(()))
            }));
        }
        tests
    }};
}

/// Small draws against large ones.
fn gaussian(sigma: &'static str, variance: &Rational) -> Result<Vec<Test>, Error> {
    let short = simulation::DiscreteGaussian::new(variance)?;
    let paper = reference::DiscreteGaussian::new(variance)?;
    let family = Family::new("discrete_gaussian", sigma);
    let variance = variance.clone();
    let make = move |variant| DiscreteGaussian::with_variant(&variance, variant);
    let mut tests = one_by_one_and_in_bulk!(family, &make);
    tests.extend(family.draws(Implementation::Simulation, move || {
        let short = short.clone();
        Ok(move |tape: &mut Tape| short.sample_as(tape).unwrap_or(0))
    }));
    tests.extend(family.reference(move |tape| paper.sample(tape)));
    Ok(tests)
}

/// Small draws against large ones.
fn laplace(scale: &'static str) -> Result<Vec<Test>, Error> {
    let t: Rational = scale.parse()?;
    let short = simulation::DiscreteLaplace::new(&t)?;
    let paper = reference::DiscreteLaplace::new(&t)?;
    let family = Family::new("discrete_laplace", scale);
    let make = move |variant| DiscreteLaplace::with_variant(&t, variant);
    let mut tests = one_by_one_and_in_bulk!(family, &make);
    tests.extend(family.draws(Implementation::Simulation, move || {
        let short = short.clone();
        Ok(move |tape: &mut Tape| short.sample_as(tape).unwrap_or(0))
    }));
    tests.extend(family.reference(move |tape| paper.sample(tape)));
    Ok(tests)
}

/// Small draws against large ones.
fn geometric(scale: &'static str) -> Result<Vec<Test>, Error> {
    let t: Rational = scale.parse()?;
    let paper = reference::Geometric::new(&t)?;
    let family = Family::new("geometric", scale);
    let make = move |variant| Geometric::with_variant(&t, variant);
    let mut tests = one_by_one_and_in_bulk!(family, &make);
    tests.extend(family.reference(move |tape| BigInt::from(paper.sample(tape))));
    Ok(tests)
}

/// Draws near the mean np against those far from it.
fn binomial() -> Result<Vec<Test>, Error> {
    const TRIALS: u64 = 1_000_000_000;
    let flip = Flip::new("5")?;
    let mean = Rational::integer(TRIALS) * Rational::from_f64(flip.as_float())?;
    let mean = i64::try_from(mean.floor()).unwrap_or(0);
    let short = Rc::new(simulation::Binomial::new(TRIALS, flip.clone())?);
    let family = Family::new("binomial", "10^9, 1/(e^5+1)").around(mean);
    let law = Binomial::new(TRIALS, flip.clone())?;
    let make = move |_: Variant| Binomial::new(TRIALS, flip.clone());
    let mut tests = one_by_one_and_in_bulk!(family, &make, [(law.variant(), law)]);
    tests.extend(family.draws(Implementation::Simulation, move || {
        let short = Rc::clone(&short);
        Ok(move |tape: &mut Tape| short.sample(tape).cast_signed())
    }));
    Ok(tests)
}

/// Bits that are all 0 against bits that are all 1, packed and in a slice; few flips against many. No
/// table is read.
fn rappor(epsilon0: &'static str) -> Result<Vec<Test>, Error> {
    const LENGTH: usize = 64;
    let epsilon0_exact: Epsilon = epsilon0.parse()?;
    let make = move || Ok::<_, Error>(SymmetricRappor::new(epsilon0_exact.clone())?);
    let undecided = Some(make()?.undecided());
    let family = |name| {
        Family::new(name, epsilon0)
            .promising(undecided)
            .without_tables()
    };
    let (bit, flips) = (family("rappor_bit"), family("rappor_flips"));

    let zeros = [(); DRAWS].map(|()| PackedBits::zeros(LENGTH));
    let ones = [(); DRAWS].map(|()| (0..LENGTH).map(|_| true).collect::<PackedBits>());
    let (law, inputs) = (make.clone(), zeros.clone());
    let packed = move || {
        let (one, twin) = (randomize_packed(law()?), randomize_packed(law()?));
        Ok(Inputs::new(inputs.clone(), ones.clone(), one).with_twin(twin))
    };

    let law = make.clone();
    let slice = move || {
        let randomize = |law: SymmetricRappor| {
            move |bits: &mut [bool; LENGTH * DRAWS], tape: &mut Tape| law.randomize(tape, bits)
        };
        let (one, twin) = (randomize(law()?), randomize(law()?));
        let (zero, ones) = ([false; LENGTH * DRAWS], [true; LENGTH * DRAWS]);
        Ok(Inputs::new(zero, ones, one).with_twin(twin))
    };

    let outcomes = move || {
        let law = make()?;
        let weight = move |tape: &mut Tape| {
            let mut bits = PackedBits::zeros(LENGTH);
            law.randomize_packed(tape, &mut bits);
            u64::try_from(bits.weight()).unwrap_or(0)
        };
        let timed = |randomize: Randomize, mut vectors: Vectors| {
            move |tape: &mut Tape| randomize(&mut vectors, tape)
        };
        let one = timed(randomize_packed(make()?), zeros.clone());
        let twin = timed(randomize_packed(make()?), zeros.clone());
        Ok(Outcomes::new(weight, one)?.with_twin(twin))
    };

    let mut tests = bit.tests(Implementation::ConstantTime, packed);
    tests.extend(bit.tests(Implementation::ConstantTimeBulk, slice));
    tests.extend(flips.tests(Implementation::ConstantTime, outcomes));
    Ok(tests)
}

type Vectors = [PackedBits; DRAWS];
type Randomize = Box<dyn Fn(&mut Vectors, &mut Tape)>;

fn randomize_packed(law: SymmetricRappor) -> Randomize {
    Box::new(move |vectors, tape| {
        for bits in vectors {
            law.randomize_packed(tape, bits);
        }
    })
}
