//! What all releases of a claim promise together.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Zero};

use crate::claim::{Claim, Mechanism, Release, Steering};
use crate::count::Count;
use crate::law::{Law, MOST_WEIGHTS, Work};
use crate::noise::{Noise, private};
use crate::number::{Rational, scaled_down, whole};
use crate::statement::{Refusal, outside, unproved, unreadable};

/// The most bits of the common denominator of numbers that are added up exactly.
const MOST_BITS: u64 = 1 << 14;

/// Whether all releases together are (ε, δ) private.
pub(crate) fn verify(claim: &Claim, steering: &Steering, work: &mut Work) -> Result<(), Refusal> {
    if is_met_by_sums(claim) {
        return Ok(());
    }
    if claim.delta.is_zero() {
        return Err(unproved("the largest losses add up to more than epsilon, and delta is 0"));
    }
    let law = together(&claim.releases, steering.grid.as_ref(), work)?;
    let delta = law.delta(&claim.epsilon)?;
    if delta > scaled_down(&claim.delta, work.bits) {
        let found = decimal(&delta, work.bits);
        return Err(unproved(format!(
            "at epsilon {} these losses give a delta of up to {found}, and {} is claimed",
            claim.written[0], claim.written[1]
        )));
    }
    Ok(())
}

/// Basic composition: the largest losses add up to at most ε, and the probabilities of an infinite one to at most δ.
fn is_met_by_sums(claim: &Claim) -> bool {
    let (mut epsilon, mut delta) = (Rational::zero(), Rational::zero());
    for release in &claim.releases {
        let (largest, infinite) = match &release.mechanism {
            Mechanism::Noise(Noise::Laplace(scale), moved) => (whole(moved.clone()) / scale, Rational::zero()),
            Mechanism::Count(Count { epsilon0: Some(epsilon0), .. }) => (epsilon0.clone(), Rational::zero()),
            Mechanism::Count(Count { noise: Some((Noise::Laplace(scale), _)), corner, .. }) => {
                (whole(corner.moved.clone()) / scale, Rational::zero())
            }
            Mechanism::Noise(..) | Mechanism::Count(_) => return false,
            Mechanism::Private { epsilon, delta } => (epsilon.clone(), delta.clone()),
        };
        epsilon += largest * whole(release.moves);
        delta += infinite * whole(release.moves);
        if epsilon.denom().bits().max(delta.denom().bits()) > MOST_BITS {
            return false;
        }
    }
    epsilon <= claim.epsilon && delta <= claim.delta
}

/// The law of the loss of all releases.
fn together(releases: &[Release], grid: Option<&Rational>, work: &mut Work) -> Result<Law, Refusal> {
    let mut sums: Vec<Law> = Vec::new();
    for release in releases {
        let (mut law, numbers) = release.mechanism.law(work)?;
        if let Some(grid) = grid.filter(|&grid| law.step < *grid) {
            law = law.on_grid(grid, work)?;
        }
        let law = law.times(release.moves / numbers, work)?;
        if sums.iter().map(|sum| sum.weights.len()).sum::<usize>() > MOST_WEIGHTS {
            return Err(outside("unlike laws with more than 2097152 losses together: steer by a grid"));
        }
        match sums.iter().position(|sum| sum.step == law.step) {
            Some(place) => sums[place] = sums[place].plus(&law, work)?,
            None => sums.push(law),
        }
    }
    if sums.len() > 1 {
        let first = sums[0].step.clone();
        let mut step = match grid {
            Some(grid) => grid.clone(),
            None => sums.iter().try_fold(first, |step, law| common(&step, &law.step))?,
        };
        while step > Rational::one() {
            step /= whole(2);
        }
        for law in sums.iter_mut().filter(|law| law.step != step) {
            *law = law.on_grid(&step, work)?;
        }
    }
    // The smallest first: each product costs as much as its result is long.
    sums.sort_by_key(|law| law.weights.len());
    let mut rest = sums.into_iter();
    let first = rest.next().ok_or_else(|| unreadable("there are no releases"))?;
    rest.try_fold(first, |sum, law| sum.plus(&law, work))
}

/// The largest step of which both are multiples.
fn common(one: &Rational, other: &Rational) -> Result<Rational, Refusal> {
    if one.denom().bits() > MOST_BITS {
        return Err(outside("steps of losses with no simple common divisor: steer by a grid"));
    }
    let above = (one.numer() * other.denom()).gcd(&(other.numer() * one.denom()));
    Ok(Ratio::new(above, one.denom() * other.denom()))
}

/// A number x/2^bits in scientific notation, for people.
fn decimal(x: &BigInt, bits: u64) -> String {
    let mut exponent = 0;
    let mut scaled = x * 1000u32;
    while scaled > BigInt::zero() && (&scaled >> bits) < BigInt::from(1000) {
        scaled *= 10;
        exponent += 1;
    }
    format!("{}e-{}", (scaled >> bits) + 1, exponent + 3)
}

impl Mechanism {
    /// The law of the loss of one number that moves, or of as many as are tied; and how many these are.
    fn law(&self, work: &mut Work) -> Result<(Law, u64), Refusal> {
        match self {
            Self::Noise(noise, moved) => Ok((noise.losses(moved, work)?, 1)),
            Self::Count(count) => count.law(work),
            Self::Private { epsilon, delta } => {
                work.spend_exponential(epsilon)?;
                Ok((private(epsilon, delta, work.bits)?, 1))
            }
        }
    }
}
