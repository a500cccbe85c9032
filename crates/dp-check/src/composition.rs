//! The joint guarantee of all releases of a claim.

use crate::aggregated_count::AggregatedCount;
use crate::loss_table::{LossTable, MOST_WEIGHTS, WorkLimit};
use crate::noise::{DiscreteNoise, private};
use crate::number::*;
use crate::privacy_claim::{ClaimSteering, ClaimedRelease, NumberLoss, PrivacyClaim};
use crate::statement::{Refusal, at_most, ensure, outside, unproved, unreadable};
use crate::wide_gaussian;

/// Largest number of bits in the denominator of an exact sum.
const MOST_BITS: u64 = 1 << 14;

/// `Ok` if all releases of the claim together are proved (ε, δ)-private.
pub(crate) fn verify(
    claim: &PrivacyClaim, steering: &ClaimSteering, work: &mut WorkLimit,
) -> Result<(), Refusal> {
    let releases = &claim.releases;
    let divergence = |order: &Rational| sum(releases, |one| one.mechanism.divergence(order));
    let sums = largest_losses(releases);
    let is_met = |[loss, delta]: &[Rational; 2]| *loss <= claim.epsilon && *delta <= claim.delta;
    if sums.as_ref().is_some_and(is_met) || is_met_by_divergence(claim, steering, divergence)? {
        return Ok(());
    }
    if let [release] = &releases[..]
        && let (NumberLoss::Noise(DiscreteNoise::Gaussian(variance), _), Some(rows)) =
            (&release.mechanism, &release.rows)
    {
        return wide_gaussian::verify(claim, variance, rows, release.changed, work);
    }
    if claim.delta.is_zero() {
        let refused = || unproved("delta is 0, and the sum of the largest losses is not known");
        let [loss, delta] = sums.ok_or_else(refused)?;
        at_most("delta is 0, and the sum of the largest losses", &loss, &claim.epsilon)?;
        at_most("the sum of the deltas of all releases", &delta, &claim.delta)?;
    }
    together(claim, steering.grid.as_ref(), work)?.check(claim)
}

/// Whether the Rényi divergence D at the steering's order α proves the claim: e^((α−1)(D−ε))/(α−1)
/// times (1 − 1/α)^α ≤ δ (Canonne and others 2020, Proposition 12), where ln(1 − x) ≤ −x − x²/2 − …
/// − x⁸/8. False without a known D, or an order above 1.
pub(crate) fn is_met_by_divergence(
    claim: &PrivacyClaim, steering: &ClaimSteering,
    divergence: impl Fn(&Rational) -> Option<Rational>,
) -> Result<bool, Refusal> {
    let is_served = |order: &Rational| *order > Ratio::one() && order.denom().bits() < MOST_BITS;
    let Some(order) = steering.order.as_ref().filter(|&order| is_served(order)) else {
        return Ok(false);
    };
    let Some(divergence) = divergence(order) else { return Ok(false) };
    let (bits, less) = (bits_below_one(&claim.delta) + 64, order - Rational::one());
    let term = |sum, place: u8| sum / order + Ratio::new(1.into(), place.into());
    let last = (1..=8).rev().fold(Rational::zero(), term);
    let exponent = &less * (divergence - &claim.epsilon) - last;
    let is_small = exponent < whole(1000);
    Ok(is_small && Ratio::new(exp(&exponent, bits)?[1].clone(), unit(bits)) / less <= claim.delta)
}

/// Basic composition: the sums of the largest losses, and of their δ; `None` unless all are known.
fn largest_losses(releases: &[ClaimedRelease]) -> Option<[Rational; 2]> {
    let largest = |release: &ClaimedRelease| match &release.mechanism {
        NumberLoss::Noise(DiscreteNoise::Laplace(scale), change) => {
            Some((whole(change.clone()) / scale, Rational::zero()))
        }
        NumberLoss::Count(AggregatedCount { epsilon0: Some(epsilon), .. }) => {
            Some((epsilon.clone(), Rational::zero()))
        }
        NumberLoss::Count(count) => match &count.noise {
            Some((DiscreteNoise::Laplace(scale), _)) => {
                Some((whole(count.difference.change.clone()) / scale, Rational::zero()))
            }
            _ => None,
        },
        NumberLoss::Private { epsilon, delta } => Some((epsilon.clone(), delta.clone())),
        _ => None,
    };
    let loss = sum(releases, |one| Some(largest(one)?.0))?;
    Some([loss, sum(releases, |one| Some(largest(one)?.1))?])
}

/// The sum of `each` over all numbers that change; `None` if a term is, or if a denominator has
/// over 2^14 bits.
fn sum(
    releases: &[ClaimedRelease], each: impl Fn(&ClaimedRelease) -> Option<Rational>,
) -> Option<Rational> {
    releases.iter().try_fold(Rational::zero(), |sum, release| {
        let sum = sum + each(release)? * whole(release.changed);
        (sum.denom().bits() <= MOST_BITS).then_some(sum)
    })
}

/// The loss distribution of all releases together. Losses whose step is finer than `grid` go onto
/// multiples of it. If steps differ after that, all losses go onto multiples of `grid` or, without
/// it, of the steps' greatest common divisor, halved until it is at most 1. `Err` for more than
/// 2^21 losses, for a Rényi divergence, and if some of the releases refute the claim.
fn together(
    claim: &PrivacyClaim, grid: Option<&Rational>, work: &mut WorkLimit,
) -> Result<LossTable, Refusal> {
    let mut sums: Vec<LossTable> = Vec::new();
    for release in &claim.releases {
        let mut losses = release.mechanism.losses(work)?;
        if let Some(grid) = grid.filter(|&grid| losses.step < *grid) {
            losses = losses.on_grid(grid, work)?;
        }
        let losses = losses.times(release.changed, &|part| part.check(claim), work)?;
        let weights: usize = sums.iter().map(|sum| sum.weights.len()).sum();
        ensure(weights <= MOST_WEIGHTS, outside, "more than 2097152 losses: steer by a grid")?;
        match sums.iter().position(|sum| sum.step == losses.step) {
            Some(place) => sums[place] = sums[place].plus(&losses, work)?,
            None => sums.push(losses),
        }
    }
    if sums.len() > 1 {
        let mut step = match grid {
            Some(grid) => grid.clone(),
            None => sums[1..]
                .iter()
                .try_fold(sums[0].step.clone(), |step, losses| common(&step, &losses.step))?,
        };
        while step > Rational::one() {
            step /= whole(2);
        }
        for losses in sums.iter_mut().filter(|losses| losses.step != step) {
            *losses = losses.on_grid(&step, work)?;
        }
    }
    // The smallest first: the cost of a product is the length of its result.
    sums.sort_by_key(|losses| losses.weights.len());
    let mut rest = sums.into_iter();
    let first = rest.next().ok_or_else(|| unreadable("there are no releases"))?;
    rest.try_fold(first, |sum, losses| sum.plus(&losses, work))
}

/// The greatest common divisor of two steps. `Err` if a denominator has more than `MOST_BITS` bits.
fn common(one: &Rational, other: &Rational) -> Result<Rational, Refusal> {
    let is_simple = one.denom().bits() <= MOST_BITS;
    ensure(is_simple, outside, "steps of losses with no simple common divisor: steer by a grid")?;
    let above = (one.numer() * other.denom()).gcd(&(other.numer() * one.denom()));
    Ok(Ratio::new(above, one.denom() * other.denom()))
}

impl NumberLoss {
    /// Upper bound on the Rényi divergence of one number at `order` (α·Δ²/2σ²); `None` if unknown.
    fn divergence(&self, order: &Rational) -> Option<Rational> {
        Some(match self {
            Self::Noise(DiscreteNoise::Gaussian(variance), change) => {
                order * whole(change * change) / (variance * whole(2))
            }
            Self::Renyi { slope, order: None } => order * slope,
            Self::Renyi { slope, order: Some(known) } if known == order => slope.clone(),
            _ => return None,
        })
    }

    /// The loss distribution of one changed number. `Err` for `Renyi`.
    fn losses(&self, work: &mut WorkLimit) -> Result<LossTable, Refusal> {
        match self {
            Self::Noise(noise, change) => noise.losses(change, work),
            Self::Count(count) => count.losses(work),
            Self::Renyi { .. } => {
                Err(unproved("a Rényi divergence does not suffice at the order of the steering"))
            }
            Self::Private { epsilon, delta } => {
                work.spend_exponential(epsilon)?;
                private(epsilon, delta, work.bits)
            }
        }
    }
}
