//! "And every larger variance": ranges of variances of discrete Gaussian noise, each with two
//! comparisons. docs/verification.md derives δ(s) ≤ max(δ(s₀)·ρ^k, δ(s₁)) + h²M/8 for s₀ ≤ s ≤ s₁,
//! s = 1/(2σ²), h = s₁ − s₀.

use crate::composition::is_met_by_divergence;
use crate::loss_table::WorkLimit;
use crate::noise::{DiscreteNoise, Gaussian};
use crate::number::*;
use crate::privacy_claim::{ClaimSteering, ClaimedRelease, NumberLoss, PrivacyClaim};
use crate::statement::{Refusal, at_most, ensure, outside, unproved};

/// `Ok` if Gaussian noise of the claimed and of every larger variance is proved (ε, δ)-private.
pub(crate) fn verify(
    claim: &PrivacyClaim, steering: &ClaimSteering, work: &mut WorkLimit,
) -> Result<(), Refusal> {
    let refused = || outside("every larger variance of anything but Gaussian noise of one kind");
    let [ClaimedRelease { mechanism, changed, .. }] = claim.releases.as_slice() else {
        return Err(refused());
    };
    let NumberLoss::Noise(DiscreteNoise::Gaussian(variance), change) = mechanism else {
        return Err(refused());
    };
    let ends: Vec<&Rational> = [variance].into_iter().chain(&steering.cuts).collect();
    let is_growing = ends.windows(2).all(|two| two[0] < two[1]);
    ensure(is_growing, unproved, "the cuts do not grow from the variance on")?;
    // Variances beyond the last end have no larger divergences.
    let rho = whole(change * change * changed) / (ends[ends.len() - 1] * whole(2));
    let is_met = is_met_by_divergence(claim, steering, |order| Some(order * &rho))?;
    ensure(is_met, unproved, "the Rényi divergence does not suffice from the last cut on")?;
    let ranges = VarianceRanges { claim, change, numbers: *changed };
    let mut above = ranges.end(ends[0], work)?;
    for end in &ends[1..] {
        let below = ranges.end(end, work)?;
        ranges.range(&below, &above, work)?;
        above = below;
    }
    Ok(())
}

/// The claim that every range of variances has to meet, for one kind of release.
struct VarianceRanges<'a> {
    claim: &'a PrivacyClaim,
    change: &'a BigInt,
    /// k: the number of numbers that change by `change`, in all repetitions together.
    numbers: u64,
}

/// One end of a range of variances: s = 1/(2σ²) for the variance σ² there, and its noise.
struct RangeEnd {
    s: Rational,
    noise: Gaussian,
    /// Upper bound on δ at this end, in units of 2^−bits.
    delta: BigInt,
}

impl VarianceRanges<'_> {
    /// The end of a range at `variance`, with the bound on the claim's δ there.
    fn end(&self, variance: &Rational, work: &mut WorkLimit) -> Result<RangeEnd, Refusal> {
        let s = (variance * whole(2)).recip();
        let noise = Gaussian::new(&s, work)?;
        let losses = noise.losses(self.change).times(self.numbers, &|_| Ok(()), work)?;
        let delta = losses.delta(&self.claim.epsilon)?;
        Ok(RangeEnd { s, noise, delta })
    }

    /// `Ok` if δ is at most the claimed one between two ends; `low` has the smaller s = 1/(2σ²).
    fn range(&self, low: &RangeEnd, high: &RangeEnd, work: &mut WorkLimit) -> Result<(), Refusal> {
        let h = &high.s - &low.s;
        let behind = Gaussian::new(&(&high.s + &h), work)?;
        let above = &low.noise.normalizer_up * &behind.normalizer_up;
        let ends = Ratio::new(above, high.noise.normalizer_down.pow(2));
        let chord = whole(low.delta.clone()) * powered(&ends, self.numbers, work.bits + 64)?;
        let curved = &h * &h / whole(8) * self.curvature(low, high, work)?;
        let scale = whole(unit(work.bits));
        let most = chord.max(whole(high.delta.clone())) / scale + curved;
        at_most("the bound on delta between two cuts", &most, &self.claim.delta)
    }

    /// Upper bound on M, the curvature of δ(ε) by s = 1/(2σ²) between two ends; `low` has the
    /// smaller s.
    fn curvature(
        &self, low: &RangeEnd, high: &RangeEnd, work: &mut WorkLimit,
    ) -> Result<Rational, Refusal> {
        let (bits, epsilon) = (work.bits, &self.claim.epsilon);
        let (k, change, two) = (whole(self.numbers), whole(self.change.clone()), whole(2));
        // η is near 1/|y|² where B·s₁ = ε; any would do.
        let threshold = epsilon / &high.s;
        let last = threshold.floor().to_integer();
        let squares = self.change * self.change * self.numbers;
        let total = (&threshold + &k * &change * &change) / (&two * &change);
        let size = &total * &total / &k * &high.s + &k / &two;
        let eta = &low.s / (size.ceil() + &two);
        let s = &low.s - &eta;
        let noise = Gaussian::new(&s, work)?;
        let losses = noise.losses(self.change).times(self.numbers, &|_| Ok(()), work)?;
        // The loss at a total V of y is s·(2ΔV + kΔ²), and B = 2ΔV − kΔ², all integers.
        let mut b = (&losses.first / &s).to_integer() - squares * 2;
        let step = (&losses.step / &s).to_integer();
        let mut sum = BigInt::zero();
        for weight in &losses.weights {
            if b > last {
                sum += &b * BigInt::from(weight.clone());
            }
            b += &step;
        }
        let mut sum = whole(sum);
        // Where all |yᵢ| ≤ R, B ≤ 2ΔkR. Elsewhere B ≤ 2Δk·Σ|yᵢ| over those beyond R, and the sum of
        // x·e^(−x²s) from beyond R on, to both sides, is at most e^(−R²s)/s ≤ 2^−bits/s.
        let radius = whole(Gaussian::radius(&s, bits)?);
        sum += &two * &change * &k * (radius * whole(losses.missing()?) + &k / &s);
        let quotient = Ratio::new(noise.normalizer_up, high.noise.normalizer_down.clone());
        let [_, factor] = exp(&(epsilon - Rational::one()), bits)?;
        let factor = Ratio::new(factor, unit(2 * bits));
        Ok(two * factor / eta * powered(&quotient, self.numbers, bits + 64)? * sum)
    }
}
